"""Whether a claim costs the same with a million finished jobs in the table as without."""

import statistics
import time
from uuid import uuid4

from psycopg import AsyncConnection

from bench.queue import ours
from bench.queue.server import Server
from bench.results import Result
from quoth.queue.change import Change
from quoth.queue.claim import claim_jobs
from quoth.queue.finish import finish
from quoth.storage import Database

BATCH = 10
CLAIMS = 300
# A first few make the plans.
WARM_UP = 20
PENDING = 100_000
FINISHED = 1_000_000
WAITING = 100_000

FILL = """
insert into queue.job (kind, lane, flow, key, payload, state, turn, max_tries, deadline,
                       due_at, expires_at, ended_at)
select 'noop', 'bench', 'bench', %(state)s || number, '{"number": 1}', %(state)s, number * 1000,
       4, interval '1 hour', now() + interval '1 hour', now() + interval '1 day',
       case when %(state)s = 'done' then now() end
  from generate_series(1, %(count)s) as number
"""


async def claim_flat(server: Server, rounds: int) -> Result:
    """Claim turn by turn in both tables, so that what disturbs one disturbs the other."""
    async with server.database() as alone_url, server.database() as full_url:
        await _fill(alone_url, {"pending": PENDING})
        await _fill(full_url, {"done": FINISHED, "waiting": WAITING, "pending": PENDING})
        async with Database.open(alone_url) as alone, Database.open(full_url) as full:
            took = [
                (await _claim(full), await _claim(alone)) for _ in range(WARM_UP + CLAIMS * rounds)
            ][WARM_UP:]
    with_all = statistics.median(full for full, _ in took)
    by_itself = statistics.median(alone for _, alone in took)
    return Result(
        "claim_flat", round(with_all, 3), "ms", round(with_all / by_itself, 3),
        f"{by_itself:.3f} ms with the pending jobs alone",
        f"median of {len(took)} claims of {BATCH} among {FINISHED:,} finished, {WAITING:,} waiting "
        f"and {PENDING:,} pending jobs; lower is better; promised: 1.4",
    )  # fmt: skip


async def _claim(database: Database) -> float:
    began = time.perf_counter()
    jobs = await claim_jobs(database, ours.LANE, worker=uuid4(), limit=BATCH)
    took = (time.perf_counter() - began) * 1000
    if len(jobs) != BATCH:
        raise RuntimeError(f"{len(jobs)} jobs claimed in place of {BATCH}")
    await finish(database, {}, [Change(job, "done") for job in jobs])
    return took


async def _fill(url: str, counts: dict[str, int]) -> None:
    await ours.setup(url)
    async with await AsyncConnection.connect(url, autocommit=True) as connection:
        for state, count in counts.items():
            await connection.execute(FILL, {"state": state, "count": count})
        await connection.execute("vacuum analyze")
        await connection.execute("checkpoint")
