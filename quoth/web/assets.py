"""What the pages load: bundled at installation, under names that change with the content."""

import json
from collections.abc import Mapping
from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

DIST = Path(__file__).parent / "static" / "dist"
URL = "/static"
FOR_EVER = "public, max-age=31536000, immutable"


class PagesNotBuilt(Exception):
    """The bundle is missing: this copy of the package was never installed."""


def load_assets() -> Mapping[str, str]:
    """The address of each file by the name of its source. Raises `PagesNotBuilt`."""
    try:
        manifest = json.loads((DIST / "manifest.json").read_text("utf-8"))
    except FileNotFoundError as error:
        raise PagesNotBuilt(
            "The pages' scripts and styles are not built: install the package (make setup, or "
            "pip install -e .)."
        ) from error
    return {source: f"{URL}/{built}" for source, built in manifest["files"].items()}


class Assets(StaticFiles):
    """Serves the bundle; a name never changes its content, so it is kept for ever."""

    def __init__(self) -> None:
        super().__init__(directory=DIST)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Serve one file."""
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = FOR_EVER if response.status_code < 400 else "no-store"
        return response
