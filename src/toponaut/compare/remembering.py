"""Pages read once for all crawls of a comparison: a page is judged alike in every order."""

from hashlib import blake2b

from toponaut.page.reading.reader import PageReader
from toponaut.page.reading.wire import pack_page, unpack_page
from toponaut.records import JudgedPage, Response


class RememberingReaders:
    """Reads in this process, and keeps pages packed, by URL and content (20 KB each).

    Crawls that share it must have the same targets. `documents`: the content of each URL that was
    read, by its digest; twins of a page under several URLs have one.
    """

    def __init__(self, reader: PageReader) -> None:
        self._reader = reader
        self._packed: dict[tuple[str, str, bytes], bytes] = {}
        self.documents: dict[str, bytes] = {}

    async def read(self, fetched: Response) -> JudgedPage:
        digest = blake2b(fetched.body, digest_size=16).digest()
        self.documents[fetched.url] = digest
        key = (fetched.url, fetched.content_type, digest)
        packed = self._packed.get(key)
        if packed is None:
            packed = self._packed[key] = pack_page(self._reader.read(fetched))
        return unpack_page(packed)

    async def close(self) -> None:
        """Nothing is open."""
