"""Which reader found what: it grows with every change of what is found in the same answer."""

READER_VERSION = "1"
