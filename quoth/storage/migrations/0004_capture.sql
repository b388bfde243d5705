-- compatible-from: 4
set lock_timeout = '5s';

create schema capture;

-- A question a customer might ask. An edit makes a new revision and never rewrites history.
create table capture.prompt (
    workspace_id bigint      not null references accounts.workspace,
    id           bigint      generated always as identity,
    revision     integer     not null default 1,
    text         text        not null check (text <> ''),
    language     text        not null,
    country      text        not null,
    -- Of text, language and country together: what makes it the same prompt.
    digest       bytea       not null,
    tags         text[]      not null default '{}',
    created_at   timestamptz not null default now(),
    archived_at  timestamptz,
    primary key (workspace_id, id)
);

create unique index prompt_once on capture.prompt (workspace_id, digest)
    where archived_at is null;

create table capture.prompt_revision (
    workspace_id bigint      not null,
    prompt_id    bigint      not null,
    revision     integer     not null,
    text         text        not null,
    language     text        not null,
    country      text        not null,
    created_at   timestamptz not null default now(),
    primary key (workspace_id, prompt_id, revision),
    foreign key (workspace_id, prompt_id) references capture.prompt on delete cascade
);

-- A check ("check" alone is a reserved word): prompts x engines x samples, started once.
create table capture.check_run (
    workspace_id    bigint      not null references accounts.workspace,
    id              bigint      generated always as identity,
    brand_id        bigint      not null,
    started_by      text        not null check (started_by in ('page', 'api', 'command', 'schedule')),
    for_day         date        not null,
    -- All that decides what is asked and how it is read, frozen at the start.
    manifest        jsonb       not null,
    idempotency_key text,
    request_digest  bytea       not null,
    started_at      timestamptz not null default now(),
    expires_at      timestamptz not null,
    cancelled_at    timestamptz,
    primary key (workspace_id, id),
    unique (workspace_id, idempotency_key),
    foreign key (workspace_id, brand_id) references brands.brand
);

-- One prompt asked of one engine once. `outcome` is null until the capture is over.
create table capture.capture (
    workspace_id    bigint      not null,
    id              bigint      generated always as identity,
    check_id        bigint      not null,
    prompt_id       bigint      not null,
    prompt_revision integer     not null,
    engine          text        not null,
    surface         text        not null,
    sample          smallint    not null check (sample >= 1),
    -- Grows with each manual retry, so that every job of a capture has a key of its own.
    round           integer     not null default 1,
    outcome         text        check (outcome in
                        ('answered', 'answered_without_search', 'incomplete', 'no_surface', 'empty',
                         'refused', 'failed', 'cancelled', 'expired')),
    error_class     text,
    reason          text,
    ended_at        timestamptz,
    primary key (workspace_id, id),
    unique (workspace_id, check_id, prompt_id, engine, surface, sample),
    foreign key (workspace_id, check_id) references capture.check_run on delete cascade,
    foreign key (workspace_id, prompt_id, prompt_revision) references capture.prompt_revision
);

-- Which checks still run.
create index capture_open on capture.capture (workspace_id, check_id) where outcome is null;

-- One outward call, written down before it is made; outlives the job.
create table capture.attempt (
    workspace_id  bigint      not null,
    id            bigint      generated always as identity,
    capture_id    bigint      not null,
    number        integer     not null,
    -- The capture's round in which it was made.
    round         integer     not null,
    -- sending: written, perhaps sent; accepted: the engine's id is known. The rest are ends.
    -- unknown: possibly paid; late: its answer came after the job had been taken over.
    state         text        not null default 'sending'
                  check (state in ('sending', 'accepted', 'answered', 'not_sent', 'refused',
                                   'failed', 'unknown', 'late', 'cancelled')),
    model         text        not null,
    engine_ref    text,
    sent_at       timestamptz not null default now(),
    -- An open call is surely over by then, whatever became of its worker.
    call_until    timestamptz not null,
    accepted_at   timestamptz,
    ended_at      timestamptz,
    error_class   text,
    error         text,
    usage         jsonb,
    cost          numeric(14, 8),
    currency      text,
    cost_source   text        check (cost_source in ('provider', 'price_table')),
    possibly_paid boolean     not null default false,
    -- What came back when it is not (or not yet) the capture's answer: status, headers, gzip body.
    status        integer,
    headers       jsonb,
    body          bytea,
    primary key (workspace_id, id),
    unique (workspace_id, capture_id, number),
    foreign key (workspace_id, capture_id) references capture.capture on delete cascade
);

alter table capture.attempt alter column body set storage external;

-- What came back, kept raw and whole: exactly one a capture.
create table capture.answer (
    workspace_id bigint      not null,
    capture_id   bigint      not null,
    attempt_id   bigint      not null,
    text         text        not null,
    model        text        not null,
    searched     boolean     not null,
    queries      text[]      not null default '{}',
    -- What the reply gave as sources, in its order: url, title, start, end, used.
    links        jsonb       not null default '[]',
    status       integer     not null,
    headers      jsonb       not null,
    body         bytea       not null,
    took         interval    not null,
    answered_at  timestamptz not null default now(),
    primary key (workspace_id, capture_id),
    foreign key (workspace_id, capture_id) references capture.capture on delete cascade,
    foreign key (workspace_id, attempt_id) references capture.attempt
);

alter table capture.answer alter column body set storage external;

-- All that one version of the reader found in one answer.
create table capture.reading (
    workspace_id bigint      not null,
    capture_id   bigint      not null,
    version      text        not null,
    -- Its mentions and citations in short, for whoever shows a thousand answers at once: the brands
    -- in the order in which the text first names them, how often each, how many sources are cited.
    brand_ids    bigint[]    not null,
    mentions     integer[]   not null,
    cited        integer     not null,
    read_at      timestamptz not null default now(),
    primary key (workspace_id, capture_id, version),
    check (cardinality(brand_ids) = cardinality(mentions)),
    foreign key (workspace_id, capture_id) references capture.answer on delete cascade
);

create table capture.mention (
    workspace_id bigint  not null,
    capture_id   bigint  not null,
    version      text    not null,
    brand_id     bigint  not null,
    -- Code points in the raw text, end exclusive.
    starts       integer not null check (starts >= 0),
    ends         integer not null check (ends > starts),
    surface      text    not null,
    primary key (workspace_id, capture_id, version, starts, brand_id),
    foreign key (workspace_id, capture_id, version) references capture.reading on delete cascade
);

create table capture.citation (
    workspace_id bigint  not null,
    capture_id   bigint  not null,
    version      text    not null,
    position     integer not null check (position >= 1),
    url          text    not null,
    domain       text    not null,
    title        text,
    -- Cited in the text, or merely consulted.
    used         boolean not null,
    starts       integer,
    ends         integer,
    primary key (workspace_id, capture_id, version, position),
    foreign key (workspace_id, capture_id, version) references capture.reading on delete cascade
);
