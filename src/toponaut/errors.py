"""The only error that users see: one line with the cause and the fix."""


class InputError(Exception):
    """Bad input: `cause` says what is wrong, `fix` what to do about it. The CLI exits with 2."""

    def __init__(self, cause: str, fix: str = "") -> None:
        super().__init__(f"{cause}. {fix}" if fix else cause)
        self.cause = cause
        self.fix = fix
