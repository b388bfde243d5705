-- compatible-from: 1
set lock_timeout = '5s';

create schema accounts;

-- A tenant: every row of the other rooms belongs to exactly one.
create table accounts.workspace (
    id         bigint generated always as identity primary key,
    name       text        not null unique check (name <> ''),
    time_zone  text        not null default 'UTC',
    created_at timestamptz not null default now()
);

insert into accounts.workspace (name) values ('local');
