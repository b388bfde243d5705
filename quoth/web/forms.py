"""Reads what was sent: a form (bounded, no field is a file), and where a list goes on."""

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request

LARGEST = 4 * 1024 * 1024
FORM = "application/x-www-form-urlencoded"
LARGEST_ID = 2**63 - 1


class Form:
    """What was typed, by the names of its fields."""

    def __init__(self, fields: Mapping[str, Sequence[str]]) -> None:
        self._fields = fields

    def one(self, name: str) -> str:
        """The last value of a field, or nothing."""
        return self._fields.get(name, ("",))[-1]

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a field."""
        return tuple(self._fields.get(name, ()))

    def lines(self, name: str) -> tuple[str, ...]:
        """The lines of a field that have something in them."""
        return tuple(line.strip() for line in self.one(name).splitlines() if line.strip())


async def read_form(request: Request) -> Form:
    """Return the form. Raises `HTTPException` for what is none, or too large."""
    if request.headers.get("content-type", FORM).partition(";")[0].strip().lower() != FORM:
        raise HTTPException(415)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST:
            raise HTTPException(413)
    try:
        text = body.decode("ascii")
        return Form(parse_qs(text, keep_blank_values=True, errors="strict", max_num_fields=1_000))
    except ValueError as error:
        raise HTTPException(400) from error


def read_cursor(given: str | None) -> int | None:
    """The id of a row before which a list goes on. Raises `HTTPException` for what is none."""
    if given is None:
        return None
    if not (given.isascii() and given.isdecimal() and 0 < int(given[:20]) <= LARGEST_ID):
        raise HTTPException(404)
    return int(given)
