"""The body of an archived answer, as the page was sent: without chunks, decompressed."""

from collections.abc import Callable
from pathlib import Path

from toponaut.archive.answers import read_answer
from toponaut.archive.http_answers import NoHttpError, parse_head, value_of, without_chunks
from toponaut.errors import InputError
from toponaut.records import Visit
from toponaut.web.http.body_decoder import BodyDecoder, BodyTooLargeError, DamagedBodyError

_MAX_BYTES = 64 * 1024 * 1024  # decompressed; a crawl fetches 8 MB by default


def archived_body(
    archive: Path, visit: Visit, present: Callable[[Path], Path] = lambda path: path
) -> bytes:
    """The body that a visit archived; InputError says why there is none.

    `present` maps each file to a local copy before it is read.
    """
    path = archive / Path(visit.archive).name
    stored = read_answer(path, visit.offset, visit.length, present)
    try:
        _, headers = parse_head(stored.response_head)
        if stored.kind == "revisit" and not stored.payload:
            cause = f"{visit.url} was unchanged since an earlier crawl, whose archive has the copy"
            raise InputError(cause, "Use that crawl")
        decoder = BodyDecoder(value_of(headers, "content-encoding"), _MAX_BYTES)
        decoder.feed(without_chunks(stored.payload, headers))
        return decoder.finish()
    except (NoHttpError, DamagedBodyError, BodyTooLargeError) as error:
        cause = f"the copy of {visit.url} cannot be decoded ({error})"
        raise InputError(cause, "Its text is in the log") from error
