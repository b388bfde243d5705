"""Where the server's files lie, and that nothing lies anywhere else."""

import stat
from pathlib import Path

import pytest

from quoth.storage.embedded.layout import Layout
from tests.storage.embedded.conftest import Hold
from tests.storage.embedded.holder import ask, postmaster_of

NAMES = {
    "plain": "data",
    "spaces and Cyrillic": "мои данные/Quoth 2",
    "quotes": """it's "so", they\\say""",
    "longer than a socket's path": "/".join(["очень-длинное-имя"] * 6),
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_any_path_will_do(hold: Hold, own_dir: Path, user: str | None, name: str) -> None:
    data_dir = own_dir / name

    for _ in range(2):
        holder = hold(data_dir, user).ready()
        socket_dir = Layout(data_dir).socket_dir
        answer = ask(holder.url, "select current_user || '@' || current_database()")
        code = holder.end()

        assert answer == "quoth@quoth"
        assert code == 0
        assert postmaster_of(data_dir) is None
        assert not socket_dir.exists() or socket_dir.parent == data_dir


def test_everything_is_private(hold: Hold, own_dir: Path, user: str | None) -> None:
    data_dir = own_dir / "data"

    hold(data_dir, user).ready()

    for path in (data_dir, *data_dir.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_nobody_is_let_in_without_proof(hold: Hold, own_dir: Path, user: str | None) -> None:
    holder = hold(own_dir / "data", user).ready()

    methods = ask(holder.url, "select array_agg(distinct auth_method) from pg_hba_file_rules")
    addresses = ask(holder.url, "show listen_addresses")

    assert methods == ["peer"]
    assert addresses == ""


def test_a_cluster_is_as_we_want_it(hold: Hold, own_dir: Path, user: str | None) -> None:
    holder = hold(own_dir / "data", user).ready()

    assert ask(holder.url, "show data_checksums") == "on"
    assert ask(holder.url, "show server_encoding") == "UTF8"
    assert ask(holder.url, "show timezone") == "UTC"
    assert ask(
        holder.url,
        "select datlocprovider::text || ' ' || datlocale from pg_database"
        " where datname = current_database()",
    ) == "b C.UTF-8"  # fmt: skip
