"""Why a process cannot start, in a sentence."""


class CannotStart(Exception):
    """The message is for a person and says what to do."""
