"""Follows one check through the package and writes down which files it enters, in order."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import CO_NEWLOCALS
from types import FrameType

from tests.architecture.project import PACKAGE

SIMULATOR = str(PACKAGE / "simulator")


@contextmanager
def entered() -> Iterator[list[str]]:
    """Collect our modules and templates in whose functions anything runs, each once, in order."""
    modules: dict[str, None] = {}
    inside = str(PACKAGE)

    def look(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        # Only functions have locals of their own: neither an import nor a class body is a call.
        if event == "call" and code.co_flags & CO_NEWLOCALS:
            file = code.co_filename
            if file.startswith(inside) and not file.startswith(SIMULATOR):
                modules.setdefault(file.removeprefix(inside + "/"))

    order: list[str] = []
    threading.setprofile(look)
    sys.setprofile(look)
    try:
        yield order
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        order.extend(modules)
