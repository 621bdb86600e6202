"""The places of domain owners, from an RDAP service: one request per domain, one at a time.

WHOIS is asked about domains that RDAP does not know: many countries' registries have no RDAP.

A crawl never fails or waits long for this. A caller gets the place if it is known within a few
seconds, else 0; the request continues, and later pages find the answer. Answers are in a file, one
line per domain, so that a resumed crawl does not repeat them. Failures that are not the domain's
(no connection, 5xx) are retried in a later run only; after several in a row the service is not used
any more.
"""

import asyncio
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic, time

import msgspec

from toponaut.errors import InputError
from toponaut.job import LimitsSection, PolitenessSection
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.registrant import place_of_owner
from toponaut.places.whois import place_of_whois
from toponaut.records import Outcome
from toponaut.urls import join, normalise
from toponaut.web.fetch import outcome_of, retry_after
from toponaut.web.http.body_decoder import BodyDecoder, BodyTooLargeError, DamagedBodyError
from toponaut.web.http.client import user_agent
from toponaut.web.http.connections import Connections, HttpAnswer
from toponaut.web.http.guard import NetworkGuard
from toponaut.web.whois import WhoisServers

DELAY = 1.0  # seconds between requests to the service
PATIENCE = 10.0  # seconds a page waits for the answer
REMEMBERED = 100_000  # domains
_MAX_WAITING = 64  # requests; more would be answered too late
_MAX_REDIRECTS = 5  # rdap.org redirects to the registry, which may to the registrar
_MAX_BYTES = 512 * 1024  # an answer has 5 to 50 KB
_MAX_FAILURES = 20  # in a row; then the service is not used any more
_ACCEPT = "application/rdap+json, application/json"


class _ServiceError(Exception):
    """The service failed, for a reason that is not the domain."""

    def __init__(self, wait: float = 0.0) -> None:
        super().__init__()
        self.wait = wait  # seconds until it may be requested again


class _RegistrantLine(msgspec.Struct, frozen=True):
    domain: str
    place: int
    time: float


class Registrants:
    """Domains -> places of their owners."""

    def __init__(
        self,
        service: str,
        file: Path,
        gazetteer: Gazetteer,
        politeness: PolitenessSection,
        limits: LimitsSection,
        *,
        whois: str = "",
        delay: float = DELAY,
        patience: float = PATIENCE,
    ) -> None:
        self._service = _checked(service)
        self._file = file
        self._gazetteer = gazetteer
        self._guard = NetworkGuard(allow_private=limits.private_networks)
        fields = {
            "User-Agent": user_agent(politeness),
            "Accept": _ACCEPT,
            "Accept-Encoding": "gzip",
        }
        self._connections = Connections(politeness, fields, self._guard)
        self._whois = WhoisServers(whois, self._guard) if whois else None
        self._timeout = politeness.total_timeout
        self._delay, self._patience = delay, patience
        self._places, self._ends_torn = _read(file)
        self._asked: dict[str, asyncio.Task[int]] = {}
        self._free_at = 0.0  # when the service may be requested next
        self._failures = 0

    async def place_of(self, domain: str) -> int:
        """The id of the place of a domain's owner, 0 if unknown (yet). Never raises."""
        known = self._places.get(domain)
        if known is not None:
            return known
        if not _can_be_registered(domain) or self._failures >= _MAX_FAILURES:
            return 0
        task = self._asked.get(domain)
        if task is None:
            if len(self._asked) >= _MAX_WAITING:
                return 0
            task = self._asked[domain] = asyncio.create_task(self._find(domain))
        await asyncio.wait([task], timeout=self._patience)  # after a timeout the task continues
        return task.result() if task.done() and not task.cancelled() else 0

    async def close(self) -> None:
        tasks = list(self._asked.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._connections.close()
        if self._whois:
            await self._whois.close()

    async def _find(self, domain: str) -> int:
        place = 0
        try:
            await self._take_turn()
            async with asyncio.timeout(self._timeout):
                answer = await self._ask(f"{self._service}domain/{domain}")
            place = place_of_owner(self._gazetteer, answer)
            if answer is None and self._whois:
                await self._take_turn()
                async with asyncio.timeout(self._timeout):
                    place = place_of_whois(self._gazetteer, await self._whois.ask(domain))
            self._failures = 0
            self._write(_RegistrantLine(domain, place, time()))
        except _ServiceError as failed:
            self._failures += 1
            self._free_at = max(self._free_at, monotonic() + failed.wait)
        except Exception:  # aiohttp raises more than it documents; none may end a crawl
            self._failures += 1
        finally:
            del self._asked[domain]
        _remember(self._places, domain, place)
        return place

    async def _take_turn(self) -> None:
        at = max(self._free_at, monotonic())
        self._free_at = at + self._delay
        await asyncio.sleep(at - monotonic())

    async def _ask(self, url: str) -> object:
        """The answer of the service or of its redirect's target; None if the domain has none."""
        for hop in range(_MAX_REDIRECTS + 1):
            if self._guard.refusal(url):
                if hop:
                    return None
                raise _ServiceError
            with closing(await self._connections.ask(url)) as answer:
                outcome, _ = outcome_of(answer.status, location="Location" in answer.headers)
                if outcome is Outcome.SERVER_ERROR:
                    raise _ServiceError(retry_after(answer.headers.get("Retry-After", ""), time()))
                if outcome is not Outcome.REDIRECT:
                    return await _body(answer) if outcome is Outcome.FETCHED else None
                url = join(url, answer.headers["Location"]) or ""
        return None

    def _write(self, known: _RegistrantLine) -> None:
        line = msgspec.json.encode(known) + b"\n"
        with self._file.open("ab") as file:
            file.write(b"\n" + line if self._ends_torn else line)
        self._ends_torn = False


async def _body(answer: HttpAnswer) -> object:
    """The JSON of an answer; None if it is invalid or too large."""
    decoder = BodyDecoder(answer.headers.get("Content-Encoding", ""), _MAX_BYTES)
    try:
        while part := await answer.read_part():
            decoder.feed(part)
        return msgspec.json.decode(decoder.finish())
    except (
        DamagedBodyError,
        BodyTooLargeError,
        msgspec.DecodeError,
        RecursionError,
        UnicodeDecodeError,
    ):
        return None


def _checked(service: str) -> str:
    """The URL of the service, with a slash at its end."""
    address = normalise(service)
    if address is None or "?" in address:
        raise InputError(
            f'ordering.rdap is not a web address: "{service}"',
            'Write one like "https://rdap.org/", or leave it out',
        )
    return address if address.endswith("/") else f"{address}/"


def _can_be_registered(domain: str) -> bool:
    """Not an IP address, nor a bare name like "localhost"."""
    return "." in domain and not domain.startswith("[") and not domain.rpartition(".")[2].isdigit()


def _read(file: Path) -> tuple[dict[str, int], bool]:
    """The answers of earlier runs, and whether a crash cut the last line short."""
    places: dict[str, int] = {}
    line = b"\n"
    with suppress(FileNotFoundError), file.open("rb") as lines:
        for line in lines:
            with suppress(msgspec.DecodeError, UnicodeDecodeError):
                known = msgspec.json.decode(line, type=_RegistrantLine)
                _remember(places, known.domain, known.place)
    return places, not line.endswith(b"\n")


def _remember(places: dict[str, int], domain: str, place: int) -> None:
    """Adds a domain. Drops the oldest one beyond the limit."""
    places.pop(domain, None)
    if len(places) >= REMEMBERED:
        del places[next(iter(places))]
    places[domain] = place
