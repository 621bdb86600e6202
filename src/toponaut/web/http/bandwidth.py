"""A cap on the bytes that are received each second."""


class BandwidthLimit:
    """A token bucket, kept as the moment at which all bytes taken so far are paid for.

    Bytes arrive first and are paid for by waiting: nobody knows the size of an answer before it has come.
    """

    def __init__(self, rate: int) -> None:
        self._rate = rate  # bytes a second; 0 for no cap
        self._paid = 0.0

    def delay(self, count: int, now: float) -> float:
        """Take `count` bytes. The seconds to wait before more may be read; all readers share one bucket."""
        if not self._rate:
            return 0.0
        self._paid = max(self._paid, now) + count / self._rate
        return self._paid - now

    def debt(self, now: float) -> float:
        """The seconds until what was taken so far is paid for."""
        return max(self._paid - now, 0.0)
