-- compatible-from: 2
set lock_timeout = '5s';

create schema queue;

-- A process that works. `witnessed` says that it holds a session advisory lock on `lock_key`.
create table queue.worker (
    id         uuid        primary key,
    host       text        not null,
    pid        integer     not null,
    version    text        not null,
    lanes      text[]      not null,
    lock_key   bigint      not null,
    witnessed  boolean     not null,
    started_at timestamptz not null default now(),
    beat_at    timestamptz not null default now()
) with (fillfactor = 50);

-- The channel to one engine: its limits for the whole fleet.
create table queue.lane (
    name       text        primary key,
    slots      integer     not null check (slots between 1 and 10000),
    per_minute integer     check (per_minute > 0),
    -- GCRA's theoretical arrival time: calls may start while it is not too far ahead of now.
    arrival_at timestamptz not null default '-infinity',
    -- Cool-down: nothing is claimed before `open_at`. After it the lane is as wide as `width`
    -- (1 = one probe), which doubles with each success; null is the full width.
    open_at    timestamptz not null default '-infinity',
    width      integer     check (width >= 1),
    reason     text
) with (fillfactor = 50);

-- The places in a lane, one row each, so that a limit is a lock and never a count.
create table queue.slot (
    lane         text        not null references queue.lane on delete cascade,
    number       integer     not null,
    job_id       bigint,
    -- A call whose worker was lost may still be out: the place opens when it must have ended.
    closed_until timestamptz not null default '-infinity',
    primary key (lane, number)
) with (fillfactor = 50);

-- How far each flow of a lane has got in virtual time (start-time fair queueing).
create table queue.flow (
    lane text   not null,
    name text   not null,
    turn bigint not null,
    primary key (lane, name)
) with (fillfactor = 50);

create table queue.job (
    id           bigint generated always as identity primary key,
    kind         text        not null,
    lane         text        not null,
    flow         text        not null,
    key          text        not null,
    payload      jsonb       not null,
    state        text        not null default 'pending'
                 check (state in ('pending', 'waiting', 'claimed', 'running',
                                  'done', 'failed', 'cancelled')),
    turn         bigint      not null,
    -- Only ever grows, with every claim, refund and takeover: it guards every later statement.
    fence        bigint      not null default 0,
    tries        smallint    not null default 0,
    max_tries    smallint    not null check (max_tries >= 1),
    crashes      smallint    not null default 0,
    deferrals    integer     not null default 0,
    worker       uuid,
    -- The place in the lane. A job that waits may keep it while its call is still out.
    slot         integer,
    -- How long one try may take, and until when its open call may reach the engine.
    deadline     interval    not null,
    call_until   timestamptz,
    created_at   timestamptz not null default now(),
    due_at       timestamptz not null default now(),
    expires_at   timestamptz not null,
    claimed_at   timestamptz,
    started_at   timestamptz,
    ended_at     timestamptz,
    cancel_asked boolean     not null default false,
    reason       text,
    unique (kind, key)
) with (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.05
);

-- A claim walks only what is claimable, in order.
create index job_pending on queue.job (lane, turn, id) where state = 'pending' and slot is null;
create index job_resumed on queue.job (lane, id) where state = 'pending' and slot is not null;
create index job_waiting on queue.job (due_at) where state = 'waiting';
create index job_held on queue.job (worker) where state in ('claimed', 'running');
