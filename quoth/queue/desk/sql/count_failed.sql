select count(*) from (select from queue.job where state = 'failed' limit %(many)s) as failed
