"""The check of politeness finds what is to be found."""

import asyncio

from tests.support.access_log import impolite
from tests.support.web_answers import Slow
from tests.support.webserver import Access, TestWeb


def access(time: float, host: str, path: str = "/", beside: int = 0) -> Access:
    return Access(time, host, path, {}, 0, beside)


def test_each_host_is_looked_at_by_itself() -> None:
    assert (
        impolite(
            [
                access(0.0, "a.test"),
                access(0.1, "b.test"),
                access(1.0, "a.test"),
                access(1.1, "b.test"),
            ],
            1.0,
        )
        == []
    )


def test_requests_that_come_too_early_are_told() -> None:
    log = [
        access(0.0, "a.test"),
        access(0.1, "b.test"),
        access(0.5, "a.test", "/b"),
        access(2.1, "b.test"),
    ]
    assert impolite(log, 1.0) == [
        "http://a.test/b was asked for 0.500 s after http://a.test/, not 1.0 s"
    ]
    assert len(impolite(log, 0.5, {"b.test": 3.0})) == 1


def test_the_server_notes_parallel_requests() -> None:
    async def ask(web: TestWeb) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
        writer.write(b"GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
        await reader.read()
        writer.close()
        await writer.wait_closed()

    async def ask_twice(web: TestWeb) -> None:
        await asyncio.gather(ask(web), ask(web))
        await ask(web)

    with TestWeb({"a.test": {"/": Slow(delay=1.5)}}) as web:
        asyncio.run(ask_twice(web))
    assert [one.parallel for one in web.accesses] == [0, 1, 0]
    assert impolite(web.accesses, 0.0) == [
        "http://a.test/ was requested while a.test had 1 others to answer"
    ]
