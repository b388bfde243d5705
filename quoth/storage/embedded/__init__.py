"""The PostgreSQL that Quoth brings along: made, started, shared, watched and stopped by us."""

from quoth.storage.embedded.configuration import Options
from quoth.storage.embedded.errors import EmbeddedServerError
from quoth.storage.embedded.run import embedded_server

__all__ = ["EmbeddedServerError", "Options", "embedded_server"]
