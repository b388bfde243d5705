-- compatible-from: 0
set lock_timeout = '5s';

create schema storage;

-- Which migrations this database has had, and which code may still run on what they left.
create table storage.migration (
    version         integer     primary key,
    name            text        not null,
    checksum        text        not null,
    compatible_from integer     not null check (compatible_from between 0 and version),
    applied_at      timestamptz not null default now()
);

create view storage.schema_version as
select max(version) as version,
       max(compatible_from) as compatible_from
  from storage.migration;
