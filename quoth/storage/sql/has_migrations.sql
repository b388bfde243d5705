select to_regclass('storage.migration') is not null
