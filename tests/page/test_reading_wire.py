"""Messages between a crawl and its readers survive any splitting of the bytes."""

import socket
import threading
from collections.abc import Iterator
from itertools import chain, cycle, repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from toponaut.job import Job
from toponaut.page.reading.wire import (
    AnswerStream,
    CrawlStream,
    PackedLinks,
    encode_job,
    encode_response,
    write_answer,
)
from toponaut.records import Address, JudgedPage, Link, Page, Response
from toponaut.urls import fingerprints

BUFFER = 1 << 18


def judged(links: int, text: str) -> JudgedPage:
    found = tuple(
        Link(
            f"https://b.example/{n % 7}",
            "https://a.example/",
            f"Nach Köln {n}",
            rel=("nofollow",) * (n % 2),
        )
        for n in range(links)
    )
    page = Page("https://a.example/", "Ein Titel", "de", text, found, robots=frozenset({"noindex"}))
    scope = ((2857458, 0.75),)
    return JudgedPage(
        page,
        (Address("Weg 2", 0, 5),),
        scope,
        True,
        7,
        link_fingerprints=tuple(fingerprints(link.url for link in found)),
    )


ANSWERS = st.one_of(
    st.none(),
    st.text(max_size=20),
    st.builds(
        judged, st.integers(0, 5), st.sampled_from(["", "naïve – 東京", "x" * 1000, "ß" * BUFFER])
    ),
)


def packed(answers: list[JudgedPage | str | None]) -> bytes:
    """Encodes all through one buffer: a long answer must not leave its end in a short one."""
    sent, buffer = b"", bytearray()
    for one in answers:
        write_answer(one, buffer)
        sent += buffer
    return sent


def heard(stream: bytes, cuts: Iterator[int]) -> list[JudgedPage | str | None]:
    got: list[JudgedPage | str | None] = []
    answers = AnswerStream(got.append)
    while stream:
        room = answers.buffer()
        size = min(len(room), len(stream), next(cuts))
        assert size
        room[:size] = stream[:size]
        answers.received(size)
        stream = stream[size:]
    return got


@given(
    st.lists(ANSWERS, max_size=5),
    st.lists(st.integers(1000, 300_000), min_size=1, max_size=9),
    st.integers(1, 9),
)
def test_answers_survive_any_splitting(
    said: list[JudgedPage | str | None], sizes: list[int], first: int
) -> None:
    got = heard(packed(said), chain([first], cycle(sizes)))
    assert [plain(one) for one in got] == said


def plain(answer: JudgedPage | str | None) -> JudgedPage | str | None:
    """A judged page with its links unpacked."""
    if not isinstance(answer, JudgedPage):
        return answer
    return replace(answer, page=replace(answer.page, links=tuple(answer.page.links)))


def test_links_are_unpacked_one_by_one() -> None:
    said = judged(5, "text")
    (got,) = heard(packed([said]), repeat(100))
    assert isinstance(got, JudgedPage)
    links = got.page.links
    assert isinstance(links, PackedLinks)
    assert len(links) == 5
    assert links[3] == said.page.links[3]
    assert links[-1] == said.page.links[-1]
    assert links[1:3] == said.page.links[1:3]
    with pytest.raises(IndexError):
        links[5]


@pytest.mark.parametrize("piece", [1, 7, 4096, 1 << 20])
def test_responses_survive_any_splitting(piece: int) -> None:
    job = Job(seeds=("https://a.example/",))
    sizes = [0, 1, 1000] if piece < 10 else [0, 1, BUFFER - 100, BUFFER, 3 * BUFFER, 5]
    asked = [
        Response(
            f"https://a.example/{n}",
            200,
            bytes([n]) * size,
            "text/html",
            (("x", "y"),),
            ip="192.0.2.1",
        )
        for n, size in enumerate(sizes)
    ]
    stream = encode_job(job) + b"".join(part for one in asked for part in encode_response(one))
    ours, theirs = socket.socketpair()

    def send() -> None:
        with ours:
            for start in range(0, len(stream), piece):
                ours.sendall(stream[start : start + piece])

    sender = threading.Thread(target=send)
    sender.start()
    with theirs:
        questions = CrawlStream(theirs)
        assert questions.job() == job
        assert [questions.next() for _ in asked] == asked
        with pytest.raises(EOFError):
            questions.next()
    sender.join()


def test_fields_for_the_archive_are_not_sent() -> None:
    fetched = Response(
        "https://a.example/",
        200,
        b"body",
        request_head=b"GET",
        response_head=b"HTTP",
        payload=b"packed",
    )
    head, body = encode_response(fetched)
    assert body is fetched.body
    assert b"GET" not in head
    assert b"packed" not in head
