"""The C library's heap, told to give large buffers back.

glibc maps a large buffer from the system, and gives it back when it is freed; but each one that is freed teaches it to take the next of
that size from its heap, where a small object behind it holds it for good. A crawl gathers its log for a second at a time, megabytes
of it where pages have many links: of a million queued URLs (`python -m bench.crawl.memory`) 125-137 MB were left so, and
104 MB with a threshold that stays.
"""

import ctypes

_M_MMAP_THRESHOLD = -3  # malloc.h
_LARGE = 1 << 20  # bytes; what pages are made of is smaller


def give_back_large_buffers() -> bool:
    """For the whole process. False where the C library is another one, which has its own ways."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return bool(mallopt and mallopt(_M_MMAP_THRESHOLD, _LARGE))
