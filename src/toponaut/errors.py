"""The only error that users see: one line with the cause and the fix."""


class InputError(Exception):
    """Bad input: `cause` says what is wrong, `cure` how to fix it. The CLI exits with code 2."""

    def __init__(self, cause: str, cure: str = "") -> None:
        super().__init__(f"{cause}. {cure}" if cure else cause)
        self.cause = cause
        self.cure = cure
