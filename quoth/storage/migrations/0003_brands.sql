-- compatible-from: 3
set lock_timeout = '5s';

create schema brands;

-- What is watched: ours or a competitor. `version` grows with each edit of names or domains.
create table brands.brand (
    workspace_id bigint      not null references accounts.workspace,
    id           bigint      generated always as identity,
    name         text        not null check (name <> ''),
    -- The name as names are compared: however it is written, it is the same brand.
    folded       text        not null,
    aliases      text[]      not null default '{}',
    domains      text[]      not null default '{}',
    version      integer     not null default 1,
    created_at   timestamptz not null default now(),
    primary key (workspace_id, id),
    unique (workspace_id, folded)
);

create table brands.competitor (
    workspace_id  bigint not null,
    brand_id      bigint not null,
    competitor_id bigint not null check (competitor_id <> brand_id),
    primary key (workspace_id, brand_id, competitor_id),
    foreign key (workspace_id, brand_id) references brands.brand on delete cascade,
    foreign key (workspace_id, competitor_id) references brands.brand on delete cascade
);
