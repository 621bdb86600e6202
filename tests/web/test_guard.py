"""The guard: which addresses are public, and that no name leads around it."""

import asyncio
import socket
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.job import LimitsSection, PolitenessSection
from toponaut.records import Outcome, Request
from toponaut.web.http.client import HttpFetcher
from toponaut.web.http.dns import Dns
from toponaut.web.http.guard import GuardedResolver, NetworkGuard, PrivateAddressError, is_public

PUBLIC = (
    "93.184.215.14 8.8.8.8 1.1.1.1 172.32.0.1 100.128.0.1 2606:2800:21f:cb07::1 "
    "2001:4860:4860::8888"
)
PRIVATE = """
    10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 127.0.0.1 127.255.255.255 0.0.0.0 0.1.2.3
    100.64.0.1 169.254.1.1
    192.0.0.1 192.0.2.1 198.51.100.7 203.0.113.9 198.18.0.1 192.88.99.1 224.0.0.1
    239.255.255.255 240.0.0.1
    255.255.255.255
    169.254.169.254 fd00:ec2::254 100.100.100.200 192.0.0.192 168.63.129.16
    :: ::1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd12::1 ff02::1 2001:db8::1 3fff::1 2001::1
    5f00::1 100::1 ::7f00:1
    64:ff9b:1::1 4000::1
"""
# One address in every disguise: mapped, NAT64, 6to4.
DISGUISES = ("::ffff:{0}", "64:ff9b::{0}", "2002:{1}::1")


@pytest.mark.parametrize("address", PUBLIC.split())
def test_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", [*PRIVATE.split(), "", "example.org", "127.1", "0x7f000001"])
def test_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("disguise", DISGUISES)
@given(
    number=st.integers(0, 2**32 - 1)
    | st.sampled_from([0x7F000001, 0x0A000001, 0xA9FEA9FE, 0x08080808])
)
def test_an_address_in_disguise_is_what_it_stands_for(disguise: str, number: int) -> None:
    plain = socket.inet_ntoa(number.to_bytes(4, "big"))
    assert is_public(disguise.format(plain, f"{number >> 16:x}:{number & 0xFFFF:x}")) == is_public(
        plain
    )


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://10.0.0.1:8080/x", "https://[::1]/",
        "http://[::ffff:127.0.0.1]:80/",
        "http://169.254.169.254/latest/meta-data/", "http://localhost/", "http://a.localhost:3000/",
        "http://nas.local/",
        "http://metadata.google.internal/", "http://router.home.arpa/", "http://localhost./",
        "ftp://example.org/", "file:///etc/passwd", "javascript:alert(1)",
    ],
)  # fmt: skip
def test_refused_as_they_stand(url: str) -> None:
    assert NetworkGuard(allow_private=False).refusal(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "https://8.8.8.8/",
        "http://localhost.example.org/",
        "http://thelocal/",
    ],
)
def test_allowed_as_they_stand(url: str) -> None:
    assert not NetworkGuard(allow_private=False).refusal(url)


def test_a_job_may_allow_private_networks_but_no_other_scheme() -> None:
    guard = NetworkGuard(allow_private=True)
    assert not guard.refusal("http://127.0.0.1/")
    assert guard.allows("127.0.0.1")
    assert guard.refusal("file:///etc/passwd")


class Names:
    """A name server: answers from a table, in turn where a name has several answers."""

    def __init__(self, **table: Sequence[Sequence[str]]) -> None:
        self.table = {name: list(answers) for name, answers in table.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        await asyncio.sleep(0)
        answers = self.table.get(host)
        if not answers:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return answers.pop(0) if len(answers) > 1 else answers[0]


def resolved(names: Names, host: str) -> list[str]:
    resolver = GuardedResolver(NetworkGuard(allow_private=False), Dns(names))
    return [result["host"] for result in asyncio.run(resolver.resolve(host, 80))]


def test_only_public_addresses_pass_resolution() -> None:
    names = Names(
        mixed=[["10.0.0.1", "8.8.8.8", "::1", "2606:4700::1"]],
        inside=[["10.0.0.1", "fd00::1"]],
        none=[[]],
    )
    assert resolved(names, "mixed") == ["8.8.8.8"]
    with pytest.raises(PrivateAddressError, match=r"inside is 10\.0\.0\.1"):
        resolved(names, "inside")
    with pytest.raises(socket.gaierror):
        resolved(names, "none")


def test_the_last_door_is_the_socket() -> None:
    """Whatever hands an address to the connector: a private one gets no socket."""
    info = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", 80))
    with pytest.raises(PrivateAddressError):
        NetworkGuard(allow_private=False).open_socket(info)
    NetworkGuard(allow_private=True).open_socket(info).close()


def test_a_name_is_looked_up_once_for_all() -> None:
    names = Names(a=[["8.8.8.8"], ["127.0.0.1"]])

    async def ask() -> list[Sequence[str]]:
        dns = Dns(names)
        first = await asyncio.gather(*(dns.addresses("a") for _ in range(5)))
        return [*first, await dns.addresses("a")]

    assert asyncio.run(ask()) == [["8.8.8.8"]] * 6
    assert names.asked == ["a"]


def test_a_dead_name_is_remembered_too() -> None:
    names = Names()

    async def ask() -> None:
        dns = Dns(names)
        for _ in range(3):
            with pytest.raises(OSError, match="not known"):
                await dns.addresses("gone")

    asyncio.run(ask())
    assert names.asked == ["gone"]


@pytest.mark.parametrize(
    ("addresses", "used", "network"),
    [
        (["9.9.9.9", "10.0.0.1", "8.8.8.8"], "8.8.8.8", "8.8.8.8"),
        (["2606:4700::1", "9.9.9.9"], "9.9.9.9", "9.9.9.9"),
        (["2606:4700:1:2:3::9", "fd00::1"], "2606:4700:1:2:3::9", "2606:4700:1:2::/64"),
    ],
)
def test_a_host_counts_for_the_address_that_it_is_connected_to(
    addresses: list[str], used: str, network: str
) -> None:
    """Not for one that is refused, nor for another that a name server adds to make others wait."""

    async def ask() -> tuple[list[str], str | None]:
        guard = NetworkGuard(allow_private=False)
        dns = Dns(Names(host=[addresses]), guard.allows)
        found = await GuardedResolver(guard, dns).resolve("host", 80)
        return [one["host"] for one in found], dns.address("host")

    assert asyncio.run(ask()) == ([used], network)


def test_an_address_that_cannot_be_reached_is_left_for_the_next() -> None:
    async def ask() -> list[str | None]:
        dns = Dns(Names(host=[["1.1.1.1", "10.0.0.1", "2.2.2.2"]]), lambda one: one[1] == ".")
        await dns.addresses("host")
        found = [dns.address("host")]
        for _ in range(dns.others("host") + 1):
            dns.leave("host")
            found.append(dns.address("host"))
        return found

    assert asyncio.run(ask()) == ["1.1.1.1", "2.2.2.2", "1.1.1.1"]


def test_who_gives_up_waiting_does_not_spoil_it_for_others() -> None:
    async def ask() -> Sequence[str]:
        release = asyncio.Event()

        async def slow(_host: str) -> Sequence[str]:
            await release.wait()
            return ["8.8.8.8"]

        dns = Dns(slow)
        impatient, patient = (asyncio.create_task(dns.addresses("a")) for _ in range(2))
        await asyncio.sleep(0)
        impatient.cancel()
        await asyncio.sleep(0)
        release.set()
        return await patient

    assert asyncio.run(ask()) == ["8.8.8.8"]


def test_the_system_knows_this_machine() -> None:
    async def ask() -> Sequence[str]:
        return await Dns().addresses("localhost")

    assert {"127.0.0.1", "::1"} & set(asyncio.run(ask()))


def test_dead_names_hold_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty lookups hang in the system; the next one is answered all the same."""
    release = threading.Event()
    real = socket.getaddrinfo

    def slow(host: str, *args: Any, **options: Any) -> Any:
        if host.endswith(".dead"):
            release.wait()
        return real("127.0.0.1", *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", slow)

    async def ask() -> Sequence[str]:
        dns = Dns()
        dead = [asyncio.create_task(dns.addresses(f"{number}.dead")) for number in range(50)]
        await asyncio.sleep(0)
        try:
            answer = await asyncio.wait_for(dns.addresses("alive"), 10)
            assert not any(task.done() for task in dead)
        finally:
            release.set()
        await asyncio.gather(*dead)
        return answer

    assert asyncio.run(ask()) == ["127.0.0.1"]


@pytest.mark.parametrize("host", ["a" * 64 + ".example", "a..example", "no-such-host.invalid"])
def test_names_that_cannot_be(host: str) -> None:
    async def ask() -> Sequence[str]:
        return await Dns().addresses(host)

    with pytest.raises(OSError):  # noqa: PT011 - the words are the system's
        asyncio.run(ask())


def test_every_lookup_is_judged() -> None:
    """Rebinding: a name that is public at first, and private after its time in the cache."""

    async def ask() -> list[str]:
        dns = Dns(Names(rebind=[["8.8.8.8"], ["127.0.0.1"]]))
        resolver = GuardedResolver(NetworkGuard(allow_private=False), dns)
        first = await resolver.resolve("rebind", 80)
        dns.close()  # forgets
        with pytest.raises(PrivateAddressError):
            await resolver.resolve("rebind", 80)
        return [result["host"] for result in first]

    assert asyncio.run(ask()) == ["8.8.8.8"]


def test_no_name_leads_to_the_server_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server listens in this machine; five URLs lead to it."""
    monkeypatch.delenv("http_proxy", raising=False)
    reached: list[bytes] = []

    async def crawl() -> list[Outcome]:
        async def inside(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            reached.append(await reader.read(100))
            writer.close()

        server = await asyncio.start_server(inside, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        names = Names(evil=[["127.0.0.1"]], mapped=[["::ffff:127.0.0.1"]])
        fetcher = HttpFetcher(PolitenessSection(connect_timeout=1), LimitsSection(), resolver=names)
        urls = [
            f"http://{host}:{port}/"
            for host in ("evil", "mapped", "127.0.0.1", "localhost", "[::ffff:7f00:1]")
        ]
        outcomes = [(await fetcher.fetch(Request(url))).outcome for url in urls]
        await fetcher.close()
        server.close()
        await server.wait_closed()
        return outcomes

    assert asyncio.run(crawl()) == [Outcome.PRIVATE] * 5
    assert reached == []
