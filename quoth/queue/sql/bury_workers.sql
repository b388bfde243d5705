delete from queue.worker
 where beat_at < now() - %(lease)s::interval * 12
   and not exists (select from queue.job
                    where job.worker = worker.id and job.state in ('claimed', 'running'))
