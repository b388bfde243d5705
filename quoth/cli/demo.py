"""`quoth demo`: everything at work, with engines that cost nothing."""

import click

from quoth.app.run import Quoth, serve
from quoth.capture.new_check import NewBrand, NewCheck, NewPrompt
from quoth.capture.start_check import start_check
from quoth.cli.options import with_settings
from quoth.cli.running import run
from quoth.settings.values import Settings

# A Russian bank for small firms, asked about in two languages.
RUSSIAN = (
    "Какой банк лучше для ИП?",
    "Где открыть расчётный счёт без визита в отделение?",
    "В каком банке дешевле обслуживание для малого бизнеса?",
    "Какой банк выбрать для онлайн-бухгалтерии?",
    "Точка или Т-Банк: что выбрать предпринимателю?",
)
ENGLISH = (
    "What is the best Russian bank for a small business?",
    "Which bank in Russia opens a business account online?",
    "Tochka or Sberbank for an entrepreneur?",
)


def sample_check() -> NewCheck:
    """8 prompts x 2 engines x 2 samples = 32 captures; always the same check of a database."""
    return NewCheck(
        brand=NewBrand("Точка", ("Tochka", "банк Точка"), ("tochka.com",)),
        competitors=(
            NewBrand("Сбербанк", ("Sberbank", "Сбер"), ("sberbank.ru",)),
            NewBrand("Т-Банк", ("T-Bank", "Тинькофф"), ("tbank.ru",)),
            NewBrand("Альфа-Банк", ("Alfa-Bank",), ("alfabank.ru",)),
        ),
        prompts=(
            *(NewPrompt(text, "ru", "RU") for text in RUSSIAN),
            *(NewPrompt(text, "en", "US") for text in ENGLISH),
        ),
        engines=("chatgpt", "perplexity"),
        samples=2,
        started_by="command",
        idempotency_key="quoth-demo",
    )


@click.command()
@with_settings("listen", "pool", "drain", "log_format", "log_level")
def demo(settings: Settings) -> None:
    """Serve with simulated engines and a sample check of 32 captures.

    The first start begins the check; after Ctrl-C and another start all of it is still there.
    Simulated answers are marked as such and never count beside real ones.
    """
    run(_demo(settings))


async def _demo(settings: Settings) -> None:
    shown: list[int] = []

    async def begin(quoth: Quoth) -> None:
        started = await start_check(quoth.database, quoth.workspace, quoth.engines, sample_check())
        shown.append(started.check.id)

    def announce(line: str) -> None:
        click.echo(f"{line}\nThe sample check is at /checks/{shown[0]} there.")

    await serve(settings, demo=True, announce=announce, begin=begin)
