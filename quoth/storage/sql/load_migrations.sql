select version,
       name,
       checksum,
       compatible_from
  from storage.migration
 order by version
