import asyncio

from quoth.brands.brand import Brand
from quoth.brands.keep_brands import GivenBrand, keep_brands, keep_competitors
from quoth.storage import Database, Statement

COMPETITORS = Statement(b"select competitor_id from brands.competitor order by competitor_id")


async def keep(database: Database, *given: GivenBrand) -> list[Brand]:
    async with database.transaction() as tx:
        return await keep_brands(tx, 1, [brand.cleaned() for brand in given])


async def test_a_brand_is_made_once_however_its_name_is_written(database: Database) -> None:
    [made] = await keep(database, GivenBrand("Точка", ("Tochka",), ("https://tochka.com/",)))

    [found] = await keep(database, GivenBrand(" ТОЧКА "))

    assert found == made == Brand(made.id, "Точка", ("Tochka",), ("tochka.com",), 1)


async def test_brands_come_back_in_the_order_given(database: Database) -> None:
    await keep(database, GivenBrand("Б"))

    brands = await keep(database, GivenBrand("В"), GivenBrand("Б"), GivenBrand("А"))

    assert [brand.name for brand in brands] == ["В", "Б", "А"]


async def test_new_names_and_domains_are_added_and_make_a_new_version(database: Database) -> None:
    await keep(database, GivenBrand("Точка", ("Tochka",), ("tochka.com",)))

    [brand] = await keep(
        database,
        GivenBrand("точка", ("Точка Банк", "TOCHKA"), ("www.tochka.com", "точка.рф")),
    )

    assert brand.aliases == ("Tochka", "Точка Банк")
    assert brand.domains == ("tochka.com", "xn--80atlp0a.xn--p1ai")
    assert brand.version == 2


async def test_what_is_known_already_makes_no_new_version(database: Database) -> None:
    given = GivenBrand("Точка", ("Tochka",), ("tochka.com",))
    await keep(database, given)

    [brand] = await keep(database, given)

    assert brand.version == 1


async def test_two_who_add_different_aliases_at_once_both_succeed(database: Database) -> None:
    await keep(database, GivenBrand("Точка"))

    await asyncio.gather(*(keep(database, GivenBrand("Точка", (f"Точка {n}",))) for n in range(4)))

    [brand] = await keep(database, GivenBrand("Точка"))
    assert sorted(brand.aliases) == [f"Точка {n}" for n in range(4)]
    assert brand.version == 5


async def test_many_who_make_the_same_brands_at_once_make_them_once(database: Database) -> None:
    names = [f"Бренд {n}" for n in range(10)]

    kept = await asyncio.gather(
        keep(database, *(GivenBrand(name) for name in names)),
        keep(database, *(GivenBrand(name.upper()) for name in reversed(names))),
        keep(database, *(GivenBrand(name) for name in names[::2] + names[1::2])),
    )

    assert len({brand.id for brands in kept for brand in brands}) == 10


async def test_competitors_are_noted_once(database: Database) -> None:
    ours, *theirs = await keep(database, GivenBrand("А"), GivenBrand("Б"), GivenBrand("В"))

    for ids in ([theirs[0].id], [brand.id for brand in theirs]):
        async with database.transaction() as tx:
            await keep_competitors(tx, 1, ours.id, ids)

    async with database.autocommit() as tx:
        assert await tx.values(COMPETITORS) == [brand.id for brand in theirs]
