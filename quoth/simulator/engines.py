"""All simulated engines. A new one is a module of its own and a line here."""

from quoth.simulator.openai import OPENAI
from quoth.simulator.perplexity import PERPLEXITY

ENGINES = (OPENAI, PERPLEXITY)
