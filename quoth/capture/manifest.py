"""A check's manifest: all that decides what is asked and how it is read, frozen at the start."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from quoth.brands.brand import Brand
from quoth.capture.prompts import Prompt
from quoth.capture.views.shapes import AskedEngine, AskedPrompt, WatchedBrand
from quoth.providers.contract import Route


@dataclass(frozen=True, slots=True)
class Lane:
    """Where an engine's jobs of the check wait, and how long one try of them may take."""

    name: str
    deadline: timedelta


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest as it is read back."""

    brands: tuple[WatchedBrand, ...]
    prompts: tuple[AskedPrompt, ...]
    engines: tuple[AskedEngine, ...]
    lanes: dict[str, Lane]
    samples: int


def write_manifest(
    brands: Sequence[Brand],
    prompts: Sequence[Prompt],
    engines: Sequence[tuple[str, Route]],
    *,
    samples: int,
    reader: str,
) -> dict[str, Any]:
    """As it is stored. The first brand is ours; `engines` are their titles and routes."""
    return {
        "brands": [
            {
                "id": brand.id,
                "name": brand.name,
                "ours": place == 0,
                "aliases": list(brand.aliases),
                "domains": list(brand.domains),
                "version": brand.version,
            }
            for place, brand in enumerate(brands)
        ],
        "prompts": [
            {
                "id": prompt.id,
                "revision": prompt.revision,
                "text": prompt.text,
                "language": prompt.language,
                "country": prompt.country,
            }
            for prompt in prompts
        ],
        "engines": [
            {
                "engine": route.engine,
                "title": title,
                "surface": route.surface,
                "model": route.model,
                "lane": route.lane,
                "deadline": route.deadline.total_seconds(),
            }
            for title, route in engines
        ],
        "samples": samples,
        "reader": reader,
    }


def read_manifest(stored: dict[str, Any]) -> Manifest:
    """What `write_manifest` wrote."""
    return Manifest(
        brands=read_brands(stored["brands"]),
        prompts=tuple(AskedPrompt(**prompt) for prompt in stored["prompts"]),
        engines=tuple(read_engine(engine) for engine in stored["engines"]),
        lanes={
            engine["engine"]: Lane(engine["lane"], timedelta(seconds=engine["deadline"]))
            for engine in stored["engines"]
        },
        samples=stored["samples"],
    )


def read_brands(stored: list[dict[str, Any]]) -> tuple[WatchedBrand, ...]:
    """The brands alone."""
    return tuple(
        WatchedBrand(
            id=brand["id"],
            name=brand["name"],
            ours=brand["ours"],
            aliases=tuple(brand["aliases"]),
            domains=tuple(brand["domains"]),
        )
        for brand in stored
    )


def read_engine(stored: dict[str, Any]) -> AskedEngine:
    """One engine alone."""
    return AskedEngine(stored["engine"], stored["title"], stored["surface"], stored["model"])
