"""Find brands by name, make those that are missing, and add what is newly known of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quoth.brands.brand import Brand, clean_domain, clean_name, folded, unique_names
from quoth.storage import Statements, Transaction

sql = Statements(__package__)


@dataclass(frozen=True, slots=True)
class GivenBrand:
    """What somebody says of a brand: its name, and names and domains it surely has."""

    name: str
    aliases: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()

    def cleaned(self) -> "GivenBrand":
        """The same in the form in which it is kept. Raises `BadBrand`."""
        name = clean_name(self.name)
        domains = tuple(dict.fromkeys(map(clean_domain, self.domains)))
        return GivenBrand(name, unique_names(self.aliases, but=name), domains)


@dataclass(frozen=True, slots=True)
class BrandRow:
    """A brand as its table has it."""

    id: int
    name: str
    folded: str
    aliases: list[str]
    domains: list[str]
    version: int


async def keep_brands(
    tx: Transaction, workspace_id: int, given: Sequence[GivenBrand]
) -> list[Brand]:
    """The brands in the order given, which are `cleaned` and have different names.

    A brand that is there keeps the spelling of its name; new aliases and domains are added to it.
    """
    keys = [folded(brand.name) for brand in given]
    found = await tx.all(BrandRow, sql.find_brands, workspace_id=workspace_id, keys=keys)
    if len(found) < len(given):
        await tx.run(
            sql.insert_brands,
            workspace_id=workspace_id,
            brands=_json(sorted(zip(keys, given, strict=True), key=lambda item: item[0])),
        )
        found = await tx.all(BrandRow, sql.find_brands, workspace_id=workspace_id, keys=keys)
    if any(_additions(row, brand) for row, brand in zip(found, given, strict=True)):
        # Under a lock, so that two who add different aliases at once both succeed.
        await tx.run(sql.lock_brands, workspace_id=workspace_id, keys=keys)
        found = await tx.all(BrandRow, sql.find_brands, workspace_id=workspace_id, keys=keys)
        changes = [_additions(row, brand) for row, brand in zip(found, given, strict=True)]
        await tx.run(
            sql.extend_brands,
            workspace_id=workspace_id,
            additions=[change for change in changes if change],
        )
        found = await tx.all(BrandRow, sql.find_brands, workspace_id=workspace_id, keys=keys)
    return [
        Brand(row.id, row.name, tuple(row.aliases), tuple(row.domains), row.version)
        for row in found
    ]


async def keep_competitors(
    tx: Transaction, workspace_id: int, brand_id: int, competitor_ids: Sequence[int]
) -> None:
    """Note that these brands compete with the brand; those noted before stay."""
    await tx.run(
        sql.insert_competitors,
        workspace_id=workspace_id,
        brand_id=brand_id,
        competitor_ids=sorted(competitor_ids),
    )


def _json(brands: Sequence[tuple[str, GivenBrand]]) -> list[dict[str, Any]]:
    return [
        {
            "name": brand.name,
            "folded": key,
            "aliases": list(brand.aliases),
            "domains": list(brand.domains),
        }
        for key, brand in brands
    ]


def _additions(row: BrandRow, given: GivenBrand) -> dict[str, Any] | None:
    """What is said of the brand and not known yet, or None."""
    known = {row.folded, *map(folded, row.aliases)}
    aliases = [alias for alias in given.aliases if folded(alias) not in known]
    domains = [domain for domain in given.domains if domain not in row.domains]
    if not aliases and not domains:
        return None
    return {"id": row.id, "aliases": aliases, "domains": domains}
