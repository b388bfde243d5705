"""The simulator's own endpoints: what was bought, what goes wrong, and a fresh start."""

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from math import inf
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from quoth.simulator.engine import World
from quoth.simulator.faults import KINDS, BadFault, make_fault
from quoth.simulator.ledger import Purchase, most_at_once


def control_routes(world: World) -> Sequence[BaseRoute]:
    """Return the routes under `/control`."""

    async def purchases(request: Request) -> Response:
        found = _of_engine(world, request)
        now = time.time()
        return JSONResponse(
            {
                "count": len(found),
                "by_engine": Counter(purchase.engine for purchase in found),
                "purchases": [_shown(purchase, now) for purchase in found],
            }
        )

    async def spans(request: Request) -> Response:
        found = _of_engine(world, request)
        engines = sorted({purchase.engine for purchase in found} | set(world.ledger.most_creating))
        return JSONResponse({name: _spans(world, name, found) for name in engines})

    async def list_faults(_: Request) -> Response:
        rules = [{**asdict(rule), "met": met} for rule, met in world.faults.rules()]
        return JSONResponse({"faults": rules, "kinds": sorted(KINDS)})

    async def add_fault(request: Request) -> Response:
        try:
            given = json.loads(await request.body())
            if not isinstance(given, dict):
                raise BadFault("a fault is a JSON object")
            fault = make_fault(given)
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 400)
        world.faults.add(fault)
        return JSONResponse(asdict(fault), 201)

    async def clear_faults(_: Request) -> Response:
        world.faults.clear()
        return Response(status_code=204)

    async def reset(_: Request) -> Response:
        world.faults.clear()
        world.ledger.reset()
        return Response(status_code=204)

    return [
        Route("/control/purchases", purchases, methods=["GET"]),
        Route("/control/spans", spans, methods=["GET"]),
        Route("/control/faults", list_faults, methods=["GET"]),
        Route("/control/faults", add_fault, methods=["POST"]),
        Route("/control/faults", clear_faults, methods=["DELETE"]),
        Route("/control/reset", reset, methods=["POST"]),
    ]


def _of_engine(world: World, request: Request) -> list[Purchase]:
    engine = request.query_params.get("engine")
    return [p for p in world.ledger.purchases.values() if engine in (None, p.engine)]


def _shown(purchase: Purchase, now: float) -> dict[str, Any]:
    over = purchase.over_at()
    return {
        "id": purchase.id,
        "engine": purchase.engine,
        "prompt": purchase.order.prompt,
        "metadata": purchase.order.metadata,
        "model": purchase.order.model,
        "nth": purchase.nth,
        "status": purchase.status(now),
        "fate": purchase.fate.kind if purchase.fate else None,
        "in": purchase.accepted_at,
        "out": over if over < inf else None,
        "cancelled": purchase.cancelled_at is not None,
        "polls": purchase.polls,
    }


def _spans(world: World, engine: str, purchases: Sequence[Purchase]) -> dict[str, Any]:
    own = [purchase for purchase in purchases if purchase.engine == engine]
    return {
        "most_jobs_at_once": most_at_once(own),
        "most_creates_at_once": world.ledger.most_creating[engine],
        "spans": [[p.accepted_at, over if (over := p.over_at()) < inf else None] for p in own],
    }
