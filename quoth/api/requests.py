"""What programs may send. Strict: a wrong type or an unknown name is an error, never a guess."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from quoth.capture.new_check import MOST_SAMPLES, NewBrand, NewCheck, NewPrompt
from quoth.queue.desk.views import LONGEST_REASON

LARGEST_BODY = 4 * 1024 * 1024
MOST_PROMPTS = 10_000
MOST_COMPETITORS = 50
MOST_NAMES = 100
MOST_ENGINES = 20
# PostgreSQL keeps any character but this one.
STORABLE = r"^[^\x00]*$"

Name = Annotated[str, Field(min_length=1, max_length=200)]
Domain = Annotated[str, Field(min_length=1, max_length=300)]


class Request(BaseModel):
    """Every request is read strictly."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class BrandIn(Request):
    """A brand by name. Names and domains are added to what is known of it."""

    name: Annotated[Name, Field(description="What the brand is called.")]
    aliases: Annotated[
        list[Name], Field(max_length=MOST_NAMES, description="Other names it goes by.")
    ] = []
    domains: Annotated[
        list[Domain], Field(max_length=MOST_NAMES, description="Where its own pages are.")
    ] = []

    def brand(self) -> NewBrand:
        """Say it in the capture room's words."""
        return NewBrand(self.name, tuple(self.aliases), tuple(self.domains))


class PromptIn(Request):
    """A question that a customer might ask."""

    text: Annotated[str, Field(min_length=1, max_length=4_000)]
    language: Annotated[str, Field(pattern="^[a-z]{2}$", description="ISO 639-1.")] = "ru"
    country: Annotated[str, Field(pattern="^[A-Z]{2}$", description="ISO 3166-1.")] = "RU"


class CheckIn(Request):
    """Prompts x engines x samples about one brand and its competitors."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "brand": {"name": "Точка", "aliases": ["Tochka"], "domains": ["tochka.com"]},
                    "competitors": [{"name": "Сбербанк", "domains": ["sberbank.ru"]}],
                    "prompts": [{"text": "Лучший банк для ИП?", "language": "ru", "country": "RU"}],
                    "engines": ["chatgpt", "perplexity"],
                    "samples": 2,
                }
            ]
        }
    )

    brand: Annotated[BrandIn, Field(description="The brand that is watched.")]
    competitors: Annotated[list[BrandIn], Field(max_length=MOST_COMPETITORS)] = []
    prompts: Annotated[list[PromptIn], Field(min_length=1, max_length=MOST_PROMPTS)]
    engines: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=50)]],
        Field(min_length=1, max_length=MOST_ENGINES, description="Engines by name."),
    ]
    samples: Annotated[
        int,
        Field(ge=1, le=MOST_SAMPLES, description="How often each engine is asked each prompt."),
    ] = 1

    def new_check(self, idempotency_key: str | None) -> NewCheck:
        """Say it in the capture room's words."""
        return NewCheck(
            brand=self.brand.brand(),
            competitors=tuple(each.brand() for each in self.competitors),
            prompts=tuple(
                NewPrompt(each.text, each.language, each.country) for each in self.prompts
            ),
            engines=tuple(self.engines),
            samples=self.samples,
            started_by="api",
            idempotency_key=idempotency_key,
        )


class RetryIn(Request):
    """Which captures to ask again."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"captures": [41, 42]}]})

    captures: Annotated[
        list[Annotated[int, Field(ge=1, le=2**63 - 1)]] | None,
        Field(max_length=10_000, description="Captures by id; all that failed where it is absent."),
    ] = None


class PauseIn(Request):
    """Why a lane is paused."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"reason": "the bill is not paid"}]})

    reason: Annotated[
        str,
        StringConstraints(
            strip_whitespace=True, min_length=1, max_length=LONGEST_REASON, pattern=STORABLE
        ),
        Field(description="Shown wherever the lane's jobs wait."),
    ]
