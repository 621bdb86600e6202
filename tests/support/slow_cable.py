"""A network cable that is slow and loses frames, also where the kernel has no netem.

    python -m tests.support.slow_cable TAP TAP MILLISECONDS LOSS

It makes two network devices and carries frames between them until it is killed: each arrives so
many milliseconds later, or never (LOSS, 0 to 1).
"""

import asyncio
import fcntl
import os
import random
import struct
import sys
from contextlib import suppress

_SET_INTERFACE, _TAP, _WITHOUT_HEAD = 0x400454CA, 0x0002, 0x1000
_LONGEST_FRAME = 65_536


def _end(name: str) -> int:
    """A device, open for frames."""
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    wanted = struct.pack("16sH22x", name.encode(), _TAP | _WITHOUT_HEAD)
    fcntl.ioctl(file, _SET_INTERFACE, wanted)
    return file


async def carry(names: tuple[str, str], seconds: float, loss: float) -> None:
    """Carry frames in both directions, for ever."""
    loop, chance = asyncio.get_running_loop(), random.Random(loss)
    one, other = map(_end, names)

    def receive(here: int, there: int) -> None:
        with suppress(BlockingIOError):
            frame = os.read(here, _LONGEST_FRAME)
            if chance.random() >= loss:
                loop.call_later(seconds, send, there, frame)

    def send(there: int, frame: bytes) -> None:
        with suppress(OSError):  # the cable is cut
            os.write(there, frame)

    loop.add_reader(one, receive, one, other)
    loop.add_reader(other, receive, other, one)
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(carry((sys.argv[1], sys.argv[2]), int(sys.argv[3]) / 1000, float(sys.argv[4])))
