"""What the registry promises: safe settings, engines in one place, and TLS that is checked."""

import ast
import ssl
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import quoth
from quoth.providers.contract import NotSent, Question
from quoth.providers.registry import ADAPTERS, ProviderSettings, open_provider, route_of
from tests.providers.scripted import KEY, asking, reply, scripted

PACKAGE = Path(quoth.__file__).parent
ENGINES_AND_VENDORS = {*ADAPTERS, "openai", "sonar"}
QUESTION = Question("?", "en", "DE", "1")

OPENSSL = [
    *("openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=quoth.test"),
    *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
    *("-addext", "subjectAltName=IP:127.0.0.1"),
]

engines = pytest.mark.parametrize("engine", ADAPTERS)


def test_every_engine_has_its_defaults() -> None:
    routes = {name: route_of(one, ProviderSettings(KEY)) for name, one in ADAPTERS.items()}

    assert {name: (route.lane, route.deadline) for name, route in routes.items()} == {
        "chatgpt": ("chatgpt/openai-responses", timedelta(minutes=30)),
        "perplexity": ("perplexity/perplexity-agent", timedelta(minutes=15)),
    }
    assert {(route.slots, route.create) for route in routes.values()} == {
        (4, timedelta(seconds=30))
    }


@engines
def test_settings_go_before_defaults(engine: str) -> None:
    settings = ProviderSettings(
        KEY,
        model="another",
        create=timedelta(seconds=1),
        deadline=timedelta(seconds=2),
        slots=3,
        per_minute=4,
        surface="simulator",
    )

    route = route_of(ADAPTERS[engine], settings)

    assert (route.lane, route.model) == (f"{engine}/simulator", "another")
    assert (route.create.seconds, route.deadline.seconds) == (1, 2)
    assert (route.slots, route.per_minute) == (3, 4)


def test_settings_do_not_show_their_secrets() -> None:
    shown = repr(ProviderSettings(KEY, proxy=f"http://user:{KEY}@proxy.test"))

    assert KEY not in shown


@engines
@pytest.mark.parametrize(
    "settings",
    [
        ProviderSettings(""),
        ProviderSettings("sk-with a space"),
        ProviderSettings("sk-with\x00nul"),
        ProviderSettings("ключ"),
        ProviderSettings(KEY, base_url="api.engine.test/v1"),
        ProviderSettings(KEY, base_url="ftp://api.engine.test"),
        ProviderSettings(KEY, base_url="http://[::1"),
        ProviderSettings(KEY, base_url=f"https://{'a' * 64}.test"),
        ProviderSettings(KEY, proxy=f"socks5://user:{KEY}@127.0.0.1"),
        ProviderSettings(KEY, proxy="proxy.test:3128"),
    ],
)
async def test_what_can_never_work_is_said_at_once(engine: str, settings: ProviderSettings) -> None:
    with pytest.raises(ValueError, match=r"key for|base URL|proxy must") as raised:
        async with open_provider(ADAPTERS[engine], settings):
            pass

    assert KEY not in str(raised.value)


@engines
async def test_an_address_with_a_path_and_a_slash_is_kept(engine: str) -> None:
    async with (
        scripted(reply(200, {"id": "resp_1"})) as server,
        asking(engine, f"{server.url}/gateway/") as provider,
    ):
        await provider.send(QUESTION)

    assert server.asked[0][1].startswith("/gateway/")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that only it vouches for, made with the machine's openssl."""
    folder = tmp_path_factory.mktemp("tls")
    key, cert = folder / "key.pem", folder / "cert.pem"
    try:
        subprocess.run(
            [*OPENSSL, "-keyout", str(key), "-out", str(cert)],
            check=True,
            capture_output=True,
        )
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("no openssl that can make a certificate")
    return cert, key


@engines
async def test_a_stranger_s_certificate_is_not_trusted_until_it_is_said_so(
    engine: str, certificate: tuple[Path, Path]
) -> None:
    cert, key = certificate
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(cert, key)

    async with scripted(reply(200, {"id": "resp_1"}), tls=tls) as server:
        url = f"https://127.0.0.1:{server.port}"
        async with asking(engine, url) as provider:
            with pytest.raises(NotSent, match="CERTIFICATE_VERIFY_FAILED"):
                await provider.send(QUESTION)
        async with asking(engine, url, ca_bundle=str(cert)) as provider:
            accepted = await provider.send(QUESTION)

    assert accepted.ref == "resp_1"
    assert len(server.asked) == 1


def test_a_new_engine_is_its_module_and_its_line() -> None:
    """No code elsewhere decides anything by an engine's name."""
    at_home = {PACKAGE / "providers", PACKAGE / "simulator"}

    naming = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in PACKAGE.rglob("*.py")
        if not at_home & set(path.parents)
        for name in _names_in(ast.parse(path.read_text()))
        if name.lower() in ENGINES_AND_VENDORS
    ]

    assert naming == []


def test_in_the_room_only_an_engine_s_module_and_the_registry_import_it() -> None:
    importing = {
        path.name
        for path in (PACKAGE / "providers").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and node.module in {f"quoth.providers.{engine}" for engine in ADAPTERS}
    }

    assert importing == {"registry.py"}


def _names_in(node: ast.AST) -> Iterator[str]:
    """Identifiers, and strings that are one word; prose and `examples` may name an engine.

    So may a sample check: it is the same in every release, and a new engine must not change it.
    """
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
            yield name
        case ast.ImportFrom(module=str(module)):
            yield module.rpartition(".")[2]
        case ast.Dict(keys=[ast.Constant(value="examples")]) | ast.keyword(arg="engines"):
            return
    for child in ast.iter_child_nodes(node):
        yield from _names_in(child)
