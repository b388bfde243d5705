insert into storage.migration (version, name, checksum, compatible_from)
values (%(version)s, %(name)s, %(checksum)s, %(compatible_from)s)
