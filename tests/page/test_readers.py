"""The reader pool: the same results as in this process, also when workers die."""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from toponaut.errors import InputError
from toponaut.job import Job, TargetsSection
from toponaut.page.reading.pool import (
    _AHEAD,
    _LARGE,
    LocalReaders,
    ReaderPool,
    Readers,
    _AnswerBatcher,
    open_readers,
)
from toponaut.page.reading.reader import PageReader, UnreadablePageError
from toponaut.page.reading.worker import WorkerLostError
from toponaut.records import JudgedPage, Response

JOB = Job(seeds=("https://a.example/",), targets=TargetsSection(places=("Springfield, IL",)))


def page(number: int) -> Response:
    if number == 30:  # an unchanged page
        return Response("https://a.example/30", 304, b"")
    body = f"""<html lang=en><title>Shop {number}</title>
    <p>Joe's Diner {number}, {number} Main Street, Springfield, IL 62701
    <p>See <a href="/menu/{number}" title="what we cook">our menu</a>
    or <a href="https://b.example/">friends</a>."""
    return Response(f"https://a.example/{number}", 200, body.encode(), "text/html; charset=utf-8")


async def all_read(readers: Readers, count: int) -> list[JudgedPage]:
    return await asyncio.gather(*(readers.read(page(number)) for number in range(1, count + 1)))


@pytest.fixture(scope="module")
def here() -> list[JudgedPage]:
    return asyncio.run(all_read(LocalReaders(PageReader(JOB)), 30))


def processes(pool: ReaderPool) -> list[int]:
    return [worker._process.pid for worker in pool._workers if worker.ready and not worker.gone]


def test_a_page_is_read_the_same_here_and_in_the_pool(here: list[JudgedPage]) -> None:
    async def run() -> list[JudgedPage]:
        pool = await open_readers(JOB, 2)
        try:
            return await all_read(pool, 30)
        finally:
            await pool.close()

    there = asyncio.run(run())
    for one, other in zip(here, there, strict=True):
        assert one.relevant == bool(one.addresses) == (one is not here[-1])
        assert (one.addresses, one.scope, one.relevant, one.simhash) == (
            other.addresses,
            other.scope,
            other.relevant,
            other.simhash,
        )
        assert (one.page.text, one.link_fingerprints, one.page.title) == (
            other.page.text,
            other.link_fingerprints,
            other.page.title,
        )
        assert one.page.links == tuple(other.page.links) == other.page.links[:]
        assert len(other.page.links) == (2 if one.relevant else 0)


def test_reader_processes_are_nicer_than_the_crawl() -> None:
    async def run() -> None:
        pool = await ReaderPool(JOB, 1).start()
        try:
            await all_read(pool, 1)
            assert all(
                os.getpriority(os.PRIO_PROCESS, pid) > os.getpriority(os.PRIO_PROCESS, 0)
                for pid in processes(pool)
            )
            assert processes(pool)
        finally:
            await pool.close()

    asyncio.run(run())


def test_the_crawling_process_reads_what_workers_have_no_room_for(here: list[JudgedPage]) -> None:
    """The worker is stopped, so everything read meanwhile was read by this process."""

    async def run() -> None:
        pool = await ReaderPool(JOB, 1).start()
        try:
            await pool.read(page(1))
            [worker] = processes(pool)
            os.kill(worker, signal.SIGSTOP)
            large = replace(page(1), body=page(1).body.ljust(_LARGE + 1))
            reading = [
                asyncio.create_task(pool.read(one)) for one in (*map(page, range(1, 31)), large)
            ]
            read = await asyncio.gather(*reading[_AHEAD:-1])
            assert [one.addresses for one in read] == [one.addresses for one in here[_AHEAD:]]
            assert not any(task.done() for task in (*reading[:_AHEAD], reading[-1]))
            os.kill(worker, signal.SIGCONT)
            assert len(await asyncio.gather(*reading)) == 31
        finally:
            await pool.close()

    asyncio.run(run())


def test_waiting_pages_go_to_the_worker_that_answers() -> None:
    """The loop is always busy, so this process never reads a page."""

    async def run() -> None:
        pool = await ReaderPool(JOB, 2).start()
        try:
            reading = asyncio.create_task(all_read(pool, 30 + 2 * _AHEAD))
            while not reading.done():
                pool._active = True
                await asyncio.sleep(0)
            assert len(await reading) == 30 + 2 * _AHEAD
            assert "_reader" not in vars(pool)
        finally:
            await pool.close()

    asyncio.run(run())


def test_closing_the_pool_ends_all_pending_reads() -> None:
    async def run() -> None:
        pool = await ReaderPool(JOB, 1).start()
        await pool.read(page(1))
        os.kill(processes(pool)[0], signal.SIGSTOP)
        reading = [asyncio.create_task(pool.read(page(number))) for number in range(_AHEAD + 5)]
        await asyncio.sleep(0)
        reading[-1].cancel()
        await pool.close()
        ended = await asyncio.gather(*reading, return_exceptions=True)
        assert [type(error) for error in ended[-2:]] == [WorkerLostError, asyncio.CancelledError]
        assert all(isinstance(error, ConnectionError) for error in ended[:-1])

    asyncio.run(run())


def test_killed_workers_are_replaced_and_their_pages_read_by_others(here: list[JudgedPage]) -> None:
    async def run() -> list[JudgedPage]:
        pool = await ReaderPool(JOB, 2).start()
        try:
            await all_read(pool, 2)
            reading = asyncio.create_task(all_read(pool, 30))
            await asyncio.sleep(0)  # all 30 are sent
            os.kill(processes(pool)[0], signal.SIGKILL)
            read = await reading
            for pid in processes(pool):
                os.kill(pid, signal.SIGKILL)
            await asyncio.sleep(0.1)
            assert len(await all_read(pool, 5)) == 5
            return read
        finally:
            await pool.close()

    assert [one.addresses for one in asyncio.run(run())] == [one.addresses for one in here]


def test_a_page_that_kills_two_workers_is_unreadable_and_others_are_read() -> None:
    async def run() -> None:
        pool = await ReaderPool(JOB, 1).start()
        try:
            deadly = replace(
                page(1), body=page(1).body * 20_000
            )  # too long to be read before the kill
            reading = asyncio.create_task(pool.read(deadly))
            await asyncio.sleep(0)
            behind = asyncio.create_task(all_read(pool, 5))
            while not reading.done():
                await asyncio.sleep(0)
                for pid in processes(pool):
                    os.kill(pid, signal.SIGKILL)
            with pytest.raises(UnreadablePageError, match="two reader processes"):
                await reading
            assert all(one.relevant for one in await behind)
        finally:
            await pool.close()

    asyncio.run(run())


def test_answers_are_delivered_in_batches_or_at_once_for_idle_workers(
    here: list[JudgedPage],
) -> None:
    async def run() -> None:
        together = _AnswerBatcher()
        futures: list[asyncio.Future[JudgedPage]] = [
            asyncio.get_running_loop().create_future() for _ in range(7)
        ]
        for future in futures[:3]:
            together.add(future, here[0], ahead=9)
        assert not any(future.done() for future in futures)
        await futures[0]
        assert [future.done() for future in futures] == [True] * 3 + [False] * 4
        together.add(futures[3], here[1], ahead=9)
        futures[4].cancel()
        together.add(futures[4], here[2], ahead=9)
        together.add(futures[5], "ValueError: odd", ahead=9)
        assert not futures[3].done()
        together.add(futures[6], here[3], ahead=0)
        assert [futures[3].result(), futures[6].result()] == [here[1], here[3]]
        assert isinstance(futures[5].exception(), UnreadablePageError)

    asyncio.run(run())


def test_held_answers_survive_their_worker() -> None:
    async def run() -> list[JudgedPage]:
        pool = await ReaderPool(JOB, 1).start()
        try:
            await pool.read(page(1))
            reading = asyncio.create_task(all_read(pool, 30))
            while not (pool._batcher._held or reading.done()):
                await asyncio.sleep(0)
            os.kill(processes(pool)[0], signal.SIGKILL)
            return await reading
        finally:
            await pool.close()

    assert len(asyncio.run(run())) == 30


def test_workers_that_cannot_start_are_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONHOME", str(tmp_path))  # Python cannot start with it

    async def run() -> None:
        pool = await ReaderPool(JOB, 1).start()
        try:
            for number in range(9):
                with suppress(UnreadablePageError):
                    await pool.read(page(number))
        finally:
            await pool.close()

    with pytest.raises(InputError, match="--workers 0"):
        asyncio.run(run())


def test_an_unreadable_page_is_reported_and_kills_no_reader() -> None:
    """Any bug of ours: here a response whose body is not bytes."""
    odd = Response("https://a.example/", 200, "text", "text/html")  # type: ignore[arg-type]

    async def run(readers: Readers) -> None:
        with pytest.raises(UnreadablePageError, match="Error"):
            await readers.read(odd)
        assert (await readers.read(page(1))).relevant
        await readers.close()

    asyncio.run(run(LocalReaders(PageReader(JOB))))
