"""The one error a person may see: what is wrong and what to do about it, in one line."""


class InputError(Exception):
    """Bad input. `cause` says what is wrong, `cure` what to do; the command line exits with code 2."""

    def __init__(self, cause: str, cure: str = "") -> None:
        super().__init__(f"{cause}. {cure}" if cure else cause)
        self.cause = cause
        self.cure = cure
