"""The Responses API as several engines speak it: create, poll, cancel, delete."""

import json
import time
from collections.abc import Mapping
from typing import Any, Protocol
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from quoth.simulator.answers.write_answer import Answer, write_answer
from quoth.simulator.chance import Latency, dice
from quoth.simulator.engine import World
from quoth.simulator.faults import REFUSALS, BadFault, Fault, Stage
from quoth.simulator.ledger import Purchase
from quoth.simulator.network.broken import Hang, broken
from quoth.simulator.network.connection import gone
from quoth.simulator.order import Order, Refused, refused_as

Body = Mapping[str, Any]


class Dialect(Protocol):
    """What differs between the engines that speak it."""

    @property
    def name(self) -> str:
        """The engine."""
        ...

    @property
    def latency(self) -> Latency:
        """How long it thinks."""
        ...

    def order(self, request: Body) -> Order:
        """Read a request. Raises `Refused`."""
        ...

    def unfinished(self, purchase: Purchase, status: str) -> Body:
        """Return the response while there is nothing to say, or never will be."""
        ...

    def finished(self, purchase: Purchase, answer: Answer) -> Body:
        """Return the response that the job ended with."""
        ...

    def found(self, purchase: Purchase) -> bool:
        """Return whether its buyer can fetch it again."""
        ...

    def check_cancel(self, purchase: Purchase, *, running: bool) -> None:
        """Raise `Refused` if the engine does not cancel such a job."""
        ...

    def cancelled(self, purchase: Purchase, response: Body) -> Body:
        """Return what a cancel is answered with, given the job's response after it."""
        ...

    def refusal(self, refused: Refused) -> Body:
        """Return an error in the engine's words."""
        ...

    def headers(self) -> Mapping[str, str]:
        """Return what its replies carry."""
        ...


class Responses:
    """Serves one dialect in one world."""

    def __init__(self, world: World, dialect: Dialect) -> None:
        self._world = world
        self._dialect = dialect

    def routes(self, path: str, *, also_create_at: tuple[str, ...] = ()) -> list[Route]:
        """Return the routes below `path`, the most used first."""
        return [
            Route(path + "/{id}", self._poll, methods=["GET"]),
            *(Route(at, self._create, methods=["POST"]) for at in (path, *also_create_at)),
            Route(path + "/{id}/cancel", self._cancel, methods=["POST"]),
            Route(path + "/{id}", self._delete, methods=["DELETE"]),
        ]

    async def _create(self, request: Request) -> Response:
        try:
            body = await _json(request)
            _check_key(request)
            order = self._dialect.order(body)
            fault = self._world.faults.meet(self._dialect.name, order.prompt, "create")
        except BadFault as bad:
            return self._refuse(Refused(400, str(bad), code="invalid_value", param="input"))
        except Refused as refused:
            return self._refuse(refused)
        with self._world.ledger.create_call(self._dialect.name):
            return await self._accept(request, order, fault)

    async def _accept(self, request: Request, order: Order, fault: Fault | None) -> Response:
        if fault is None or fault.is_fate:
            return await self._first_reply(request, self._buy(order, fault))
        if not fault.bought:
            return self._spoil(fault, Response())
        return self._spoil(fault, await self._first_reply(request, self._buy(order, None)))

    async def _first_reply(self, request: Request, purchase: Purchase) -> Response:
        if purchase.order.background:
            return self._reply(self._dialect.unfinished(purchase, "queued"))
        # Who hangs up on a call in the foreground has bought it all the same.
        left = purchase.ends_at - time.time()
        if await gone(request.receive, within=left if left < 1e9 else None):
            return Hang()
        return self._reply(self._now(purchase))

    async def _poll(self, request: Request) -> Response:
        try:
            purchase = self._find(request)
            if request.query_params.get("stream") == "true":
                raise Refused(400, "The simulator does not stream.", param="stream")
        except Refused as refused:
            return self._refuse(refused)
        purchase.polls += 1
        fault = self._meet(purchase, "poll")
        if fault and not fault.bought:
            return self._spoil(fault, Response())
        reply = self._reply(self._now(purchase))
        return self._spoil(fault, reply) if fault else reply

    async def _cancel(self, request: Request) -> Response:
        try:
            purchase = self._find(request)
            fault = self._meet(purchase, "cancel")
            if fault and not fault.bought:
                return self._spoil(fault, Response())
            running = purchase.status(time.time()) in ("queued", "in_progress")
            self._dialect.check_cancel(purchase, running=running)
            if running:
                self._world.ledger.cancel(purchase)
        except Refused as refused:
            return self._refuse(refused)
        reply = self._reply(self._dialect.cancelled(purchase, self._now(purchase)))
        return self._spoil(fault, reply) if fault else reply

    async def _delete(self, request: Request) -> Response:
        try:
            purchase = self._find(request)
        except Refused as refused:
            return self._refuse(refused)
        self._world.ledger.delete(purchase)
        return self._reply({"id": purchase.id, "object": "response", "deleted": True})

    def _find(self, request: Request) -> Purchase:
        _check_key(request)
        wanted = request.path_params["id"]
        purchase = self._world.ledger.find(self._dialect.name, wanted)
        if purchase is None or not self._dialect.found(purchase):
            raise Refused(404, f"Response with id '{wanted}' not found.", param="id")
        return purchase

    def _meet(self, purchase: Purchase, on: Stage) -> Fault | None:
        return self._world.faults.meet(self._dialect.name, purchase.order.prompt, on)

    def _buy(self, order: Order, fate: Fault | None) -> Purchase:
        world, engine = self._world, self._dialect.name
        nth = world.ledger.next_nth(engine, order)
        luck = dice(world.seed, engine, order.question, nth, "latency")
        queued, takes = self._dialect.latency.draw(luck, speed=world.speed)
        now = time.time()
        begins, ends = now + queued, now + takes
        if fate and fate.kind == "stuck":
            begins, ends = float("inf") if fate.detail == "queued" else begins, float("inf")
        elif fate and fate.seconds is not None:
            begins, ends = now + min(queued, fate.seconds), now + fate.seconds
        purchase = Purchase(f"resp_{uuid4().hex}", engine, order, nth, now, begins, ends, fate=fate)
        world.ledger.enter(purchase)
        return purchase

    def _now(self, purchase: Purchase) -> Body:
        status = purchase.status(time.time())
        if status != "ended":
            return self._dialect.unfinished(purchase, status)
        order = purchase.order
        answer = write_answer(
            order.question, engine=purchase.engine, nth=purchase.nth, seed=self._world.seed
        )
        return self._dialect.finished(purchase, answer)

    def _spoil(self, fault: Fault, reply: Response) -> Response:
        if fault.kind in REFUSALS:
            return self._refuse(refused_as(fault.kind, fault.detail), after=fault.after)
        return broken(fault, reply)

    def _reply(self, body: Body) -> Response:
        return _json_response(body, 200, self._dialect.headers())

    def _refuse(self, refused: Refused, *, after: float | None = None) -> Response:
        headers = dict(self._dialect.headers())
        if after is not None:
            headers["retry-after"] = f"{after:g}"
        return _json_response(self._dialect.refusal(refused), refused.status, headers)


async def _json(request: Request) -> Body:
    try:
        body = json.loads(await request.body())
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise Refused(400, "We could not parse the JSON body of your request.")
    return body


def _json_response(body: Body, status: int, headers: Mapping[str, str]) -> Response:
    written = json.dumps(body, ensure_ascii=False).encode(errors="replace")
    return Response(written, status, headers, media_type="application/json")


def _check_key(request: Request) -> None:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise Refused(401, "You didn't provide an API key.", code="missing_api_key")
    if key.startswith("bad"):
        raise Refused(401, "Incorrect API key provided.", code="invalid_api_key")
