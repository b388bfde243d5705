delete from queue.worker where id = %(id)s
