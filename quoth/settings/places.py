"""Where things lie when nobody says otherwise."""

import os
from pathlib import Path

from platformdirs import user_config_path, user_data_path


def default_data_dir() -> Path:
    """The system's place for root, the user's own for everybody else."""
    return Path("/var/lib/quoth") if _is_root() else user_data_path("quoth", appauthor=False)


def default_config_file() -> Path:
    """The file that is read where `QUOTH_CONFIG` names none; it need not be there."""
    folder = Path("/etc/quoth") if _is_root() else user_config_path("quoth", appauthor=False)
    return folder / "config.toml"


def _is_root() -> bool:
    return os.name == "posix" and os.geteuid() == 0
