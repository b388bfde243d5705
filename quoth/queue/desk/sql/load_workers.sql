select worker.id, worker.host, worker.pid, worker.version, worker.lanes, worker.started_at,
       now() - worker.beat_at as silent,
       (select count(*)
          from queue.job
         where job.worker = worker.id
           and job.state in ('claimed', 'running')) as jobs
  from queue.worker
 order by worker.beat_at desc, worker.host, worker.pid
