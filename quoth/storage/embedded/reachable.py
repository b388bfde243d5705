"""Programs that the server's user can run: the wheel's, or a copy in the data directory."""

import shutil
import tempfile
from pathlib import Path

from quoth.storage.embedded.account import Account
from quoth.storage.embedded.errors import StartFailed
from quoth.storage.embedded.layout import Layout
from quoth.storage.embedded.programs import Programs, installed_programs, wheel_version


def reachable_programs(layout: Layout, account: Account) -> Programs:
    """Return the wheel's programs, copied once when they lie where the account may not go."""
    installed = installed_programs()
    if _runs(installed, account):
        return installed
    copied = Programs(layout.data_dir / f"programs-{wheel_version()}")
    if not _runs(copied, account):
        _copy(installed, copied.root)
    if not _runs(copied, account):
        raise StartFailed(
            f"the user {account.name} cannot run the programs in {copied.root}: is the disk "
            "mounted `noexec`?"
        )
    return copied


def _runs(programs: Programs, account: Account) -> bool:
    try:
        return account.run(programs["postgres"], "--version").returncode == 0
    except (FileNotFoundError, PermissionError):
        return False


def _copy(installed: Programs, root: Path) -> None:
    new = Path(tempfile.mkdtemp(prefix="programs-new-", dir=root.parent))
    new.chmod(0o755)
    for part in installed.parts:
        shutil.copytree(part, new / part.relative_to(installed.root), symlinks=True)
    for old in root.parent.glob("programs-[0-9]*"):
        shutil.rmtree(old)
    new.rename(root)
