"""Errors as RFC 9457 says: `application/problem+json` that names the field and what to do."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Annotated

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from quoth.capture.new_check import BadCheck, IdempotencyConflict
from quoth.observability.events import emit
from quoth.storage import DatabaseUnavailable, NotFound

MEDIA_TYPE = "application/problem+json"
# Titles of our own: the standard library renames its phrases from version to version.
TITLES = {
    400: "Bad request",
    404: "Not found",
    405: "Method not allowed",
    409: "Idempotency-Key already used",
    413: "Too large",
    422: "Bad input",
    500: "Internal error",
    503: "Database unavailable",
}
MOST_FAULTS = 20


class Fault(BaseModel):
    """One thing that is wrong: `field` names it, with dots and indices (`prompts.0.text`)."""

    field: str
    message: str


class Problem(BaseModel):
    """What went wrong, for programs (`type`, `status`, `errors`) and people (`title`, `detail`)."""

    type: str
    title: str
    status: int
    detail: str
    errors: Annotated[list[Fault] | None, Field(description="For input that is wrong.")] = None


def problem(
    status: int,
    detail: str,
    *,
    errors: Sequence[Fault] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return the response that says so."""
    title = TITLES.get(status) or HTTPStatus(status).phrase
    body = Problem(
        type=f"urn:quoth:problem:{title.lower().replace(' ', '-')}",
        title=title,
        status=status,
        detail=detail,
        errors=list(errors) or None,
    )
    return Response(
        body.model_dump_json(exclude_none=True),
        status,
        {"cache-control": "no-store", **(headers or {})},
        MEDIA_TYPE,
    )


def answer_with_problems(api: FastAPI) -> None:
    """Have every error of the API answered as a problem."""
    api.add_exception_handler(RequestValidationError, _bad_request)
    api.add_exception_handler(BadCheck, _bad_check)
    api.add_exception_handler(IdempotencyConflict, _conflict)
    api.add_exception_handler(NotFound, _not_found)
    api.add_exception_handler(DatabaseUnavailable, _unavailable)
    api.add_exception_handler(HTTPException, _http)
    api.add_exception_handler(Exception, _broken)


async def _bad_request(_request: Request, error: Exception) -> Response:
    faults = error.errors() if isinstance(error, RequestValidationError) else []
    if any(fault["type"] == "json_invalid" for fault in faults):
        place = faults[0]["loc"][-1]
        return problem(400, f"The body is no JSON: see character {place}.")
    errors = [Fault(field=_field(each["loc"]), message=each["msg"]) for each in faults]
    return _bad_input(errors[:MOST_FAULTS])


async def _bad_check(_request: Request, error: Exception) -> Response:
    field = error.field if isinstance(error, BadCheck) else ""
    return _bad_input([Fault(field=field, message=str(error))])


def _bad_input(errors: Sequence[Fault]) -> Response:
    detail = "; ".join(f"{each.field}: {each.message}" for each in errors)
    return problem(422, detail, errors=errors)


def _field(place: Sequence[object]) -> str:
    """`("body", "prompts", 0, "text")` is the field `prompts.0.text`."""
    inside = place[1:] if len(place) > 1 else place
    return ".".join(str(part) for part in inside)


async def _conflict(_request: Request, _error: Exception) -> Response:
    return problem(
        409,
        "This Idempotency-Key came before with another body: nothing was started.",
    )


async def _not_found(_request: Request, _error: Exception) -> Response:
    return problem(404, "There is nothing here.")


async def _unavailable(_request: Request, _error: Exception) -> Response:
    return problem(
        503,
        "The database does not answer; the same request may succeed soon.",
        headers={"retry-after": "2"},
    )


async def _http(_request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    detail = error.detail if isinstance(error, HTTPException) else "Something broke here."
    return problem(status, detail, headers=headers)


async def _broken(request: Request, error: Exception) -> Response:
    emit("api.failed", path=request.url.path, error=error)
    return problem(500, "Something broke here; it has been logged.")


def documented(*statuses: int) -> dict[int | str, dict[str, object]]:
    """Describe the problems that an operation may answer with, for OpenAPI."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {
            "description": TITLES[status],
            "content": {MEDIA_TYPE: {"schema": schema}},
        }
        for status in statuses
    }
