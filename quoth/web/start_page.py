"""GET / and POST /checks: name the brand, paste the prompts, press Check."""

import secrets
from dataclasses import dataclass

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from quoth.capture.load_check import list_checks
from quoth.capture.new_check import BadCheck, IdempotencyConflict, NewBrand, NewCheck, NewPrompt
from quoth.capture.start_check import start_check
from quoth.web.pages import House

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Typed:
    """What a person typed, as it stands in the form."""

    brand: str = ""
    aliases: str = ""
    domain: str = ""
    competitors: str = ""
    prompts: str = ""
    language: str = "ru"
    country: str = "RU"
    samples: str = "1"
    engines: tuple[str, ...] = ()
    key: str = ""

    @classmethod
    def read(cls, form: FormData) -> "Typed":
        """Read the form; nothing is judged yet."""
        names = ("brand", "aliases", "domain", "competitors", "prompts", "language", "country",
                 "samples", "key")  # fmt: skip
        values = {name: str(form.get(name, "")) for name in names}
        return cls(**values, engines=tuple(str(each) for each in form.getlist("engines")))

    def new_check(self) -> NewCheck:
        """Return the check that was meant; raises `BadCheck`."""
        if not self.samples.strip().isdecimal():
            raise BadCheck("samples", "samples must be a whole number")
        domains = tuple(_lines(self.domain.replace(",", "\n")))
        aliases = tuple(_lines(self.aliases.replace(",", "\n")))
        return NewCheck(
            brand=NewBrand(self.brand, aliases, domains),
            competitors=tuple(NewBrand(name) for name in _lines(self.competitors)),
            prompts=tuple(
                NewPrompt(text, self.language.strip().lower(), self.country.strip().upper())
                for text in _lines(self.prompts)
            ),
            engines=self.engines,
            samples=int(self.samples),
            started_by="page",
            idempotency_key=self.key or None,
        )


async def start_page(house: House, request: Request) -> Response:
    """The form, and the latest checks."""
    typed = Typed(engines=tuple(house.engines.ready), key=secrets.token_urlsafe(16))
    return await _form(house, request, typed)


async def checks_page(house: House, request: Request) -> Response:
    """All checks, the latest first, a page at a time."""
    given = request.query_params.get("before", "")
    before = int(given) if given.isdecimal() and len(given) < 19 else None
    async with house.database.autocommit() as tx:
        lines = await list_checks(tx, house.workspace, limit=SHOWN + 1, before=before)
    more = lines[SHOWN - 1].id if len(lines) > SHOWN else None
    return house.page(request, "checks.html", checks=lines[:SHOWN], more=more)


async def start(house: House, request: Request) -> Response:
    """Start the check; a second press of the button finds the same one."""
    typed = Typed.read(await request.form())
    try:
        started = await start_check(
            house.database, house.workspace, house.engines, typed.new_check()
        )
    except BadCheck as error:
        return await _form(house, request, typed, error=error)
    except IdempotencyConflict:
        changed = BadCheck("key", "this form was sent before with other words: press Check again")
        return await _form(house, request, _renewed(typed), error=changed)
    return RedirectResponse(f"/checks/{started.check_id}", status_code=303)


def _renewed(typed: Typed) -> Typed:
    return Typed(
        typed.brand, typed.aliases, typed.domain, typed.competitors, typed.prompts, typed.language,
        typed.country, typed.samples, typed.engines, secrets.token_urlsafe(16),
    )  # fmt: skip


async def _form(
    house: House, request: Request, typed: Typed, *, error: BadCheck | None = None
) -> Response:
    async with house.database.autocommit() as tx:
        checks = await list_checks(tx, house.workspace, limit=8)
    return house.page(
        request,
        "start.html",
        status=422 if error else 200,
        typed=typed,
        error=error,
        checks=checks,
        known=house.engines.known.values(),
        ready=house.engines.ready,
    )


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
