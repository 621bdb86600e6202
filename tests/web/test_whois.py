"""WHOIS: answers of both kinds, and servers on loopback that refer, lie and hang."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.web_answers import Status
from tests.support.webserver import TestWeb

from toponaut.errors import InputError
from toponaut.job import LimitsSection, PolitenessSection
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.whois import place_of_whois, referral, whois_contacts
from toponaut.web.http.guard import NetworkGuard
from toponaut.web.registrant import Registrants
from toponaut.web.whois import WhoisServers

LISBON, OLDENBURG, LYON = 2267057, 2857458, 2996944

LABELLED = """
Domain Name: LOJA.TEST
Registrar WHOIS Server: {registrar}
Registrar: Registos Lda
Registrar City: Porto
Registrant Organization: Loja do Bairro
Registrant City: Lisbon
Registrant State/Province:
Registrant Postal Code: 1100-148
Registrant Country: PT
Admin City: Porto
Admin Country: PT
>>> Last update of WHOIS database: 2026-01-01T00:00:00Z <<<
"""
BLOCKS = """
%% This is a registry of RIPE's kind
domain:      boutique.test
holder-c:    BD7-FRNIC
admin-c:     JU1-FRNIC
registrar:   Bureau

nic-hdl:     BD7-FRNIC
type:        ORGANIZATION
contact:     Boutique Dupont
address:     12 rue de la Gare
address:     69003 Lyon
country:     FR

nic-hdl:     JU1-FRNIC
contact:     Redacted for privacy
address:     Redacted
"""
ADMIN = """
domain: laden.test
admin-c: XY1

person: Erika Beispiel
address: Am Markt 1
address: 26122 Oldenburg
address: Germany
nic-hdl: XY1
"""


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        (LABELLED, LISBON),
        (BLOCKS, LYON),
        (ADMIN, OLDENBURG),
        (LABELLED.replace("Loja do Bairro", "Domains By Proxy, LLC").replace("Admin", "Tech"), 0),
        (ADMIN.replace("Erika Beispiel", "Withheld for Privacy"), 0),
        ("Registrant Country: PT", 0),
        ("No match for domain", 0),
        ("", 0),
    ],
)
def test_the_owners_city_is_read_from_a_whois_answer(
    gazetteer: Gazetteer, answer: str, place: int
) -> None:
    assert place_of_whois(gazetteer, answer) == place


@pytest.mark.parametrize(
    ("answer", "server"),
    [
        ("refer:        whois.denic.test\n\ndomain:       DE", "whois.denic.test"),
        ("Registrar WHOIS Server: WHOIS.Registrar.test", "whois.registrar.test"),
        ("whois: whois.nic.test:4343", "whois.nic.test:4343"),
        ("Registrar WHOIS Server:\nrefer: not a host", ""),
    ],
)
def test_a_referral_names_a_server(answer: str, server: str) -> None:
    assert referral(answer) == server


@given(st.text(alphabet=st.sampled_from("registantcy:-/ \n\r%#x"), max_size=200) | st.text())
def test_any_text_is_survived(answer: str) -> None:
    assert all(isinstance(contact.city, str) for contact in whois_contacts(answer))
    assert " " not in referral(answer)


@contextmanager
def whois_server(answers: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """A server's address, and what it has been asked. To other questions it says nothing."""
    asked: list[str] = []

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            question = self.rfile.readline().decode().strip()
            asked.append(question)
            self.wfile.write(answers.get(question, "").encode())

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()


def ask(root: str, *domains: str, allow_private: bool = True) -> list[str]:
    async def ask_all() -> list[str]:
        servers = WhoisServers(root, NetworkGuard(allow_private=allow_private))
        try:
            return [await servers.ask(domain) for domain in domains]
        finally:
            await servers.close()

    return asyncio.run(ask_all())


def test_servers_are_found_from_the_root(gazetteer: Gazetteer) -> None:
    with whois_server({"loja.test": LABELLED}) as (registrar, _):
        thin = f"Registrar WHOIS Server: {registrar}\n"
        with (
            whois_server({"loja.test": thin, "b.test": "thin"}) as (registry, asked),
            whois_server({"test": f"refer: {registry}"}) as (root, top),
        ):
            loja, other, unknown = ask(root, "loja.test", "b.test", "x.example")
    assert place_of_whois(gazetteer, loja) == LISBON
    assert (other, unknown) == ("thin", "")
    assert asked == ["loja.test", "b.test"]
    assert top == ["test", "example"]  # each top-level domain once


def test_a_registrar_that_is_down_leaves_the_registrys_answer() -> None:
    with whois_server({}) as (gone, _):
        pass
    answer = f"Registrar WHOIS Server: {gone}\nRegistrant City: Lisbon\n"
    with (
        whois_server({"a.test": answer}) as (registry, _),
        whois_server({"test": f"whois: {registry}"}) as (root, _),
    ):
        assert ask(root, "a.test") == [answer]


def test_an_endless_answer_is_cut() -> None:
    with (
        whois_server({"a.test": "x: y\n" * 500_000}) as (registry, _),
        whois_server({"test": f"whois: {registry}"}) as (root, _),
    ):
        assert len(ask(root, "a.test")[0]) == 128 * 1024


def test_private_servers_are_refused() -> None:
    with whois_server({}) as (root, asked), pytest.raises(OSError, match="not a public address"):
        ask(root, "a.test", allow_private=False)
    assert asked == []


def test_whois_is_asked_where_rdap_knows_nothing(gazetteer: Gazetteer, tmp_path: Path) -> None:
    with (
        TestWeb({"127.0.0.22": {"/domain/*": Status(404)}}) as web,
        whois_server({"loja.test": LABELLED.format(registrar="")}) as (registry, asked),
        whois_server({"test": f"refer: {registry}"}) as (root, _),
    ):

        async def places() -> list[int]:
            asking = Registrants(
                web.url("127.0.0.22", "/"), tmp_path / "registrants.jsonl", gazetteer,
                PolitenessSection(), LimitsSection(private_networks=True), whois=root, delay=0.0,
            )  # fmt: skip
            try:
                return [await asking.place_of("loja.test") for _ in range(2)]
            finally:
                await asking.close()

        assert asyncio.run(places()) == [LISBON, LISBON]
    assert asked == ["loja.test"]


@pytest.mark.parametrize("server", ["https://whois.iana.org/", "whois.iana.org:x", ":43"])
def test_what_is_no_server_is_an_error(server: str) -> None:
    with pytest.raises(InputError, match=r"ordering\.whois is not the name of a server"):
        WhoisServers(server, NetworkGuard(allow_private=True))
