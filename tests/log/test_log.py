"""The log returns all visits in order, also while it grows and is sealed."""

import multiprocessing
import shutil
import tempfile
import threading
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.log_visits import NODE, any_visits, visit, visits, write

import toponaut.log
from toponaut.errors import InputError
from toponaut.log import LogWriter, StaleError, batches, directory_of, read, seal, tails
from toponaut.records import Outcome, ScoredLink, Visit


def test_all_lists_the_public_names() -> None:
    modules = {path.stem for path in Path(toponaut.log.__file__).parent.glob("*.py")}
    visible = {name for name in vars(toponaut.log) if not name.startswith("_")} - (modules)
    assert visible == set(toponaut.log.__all__)


@settings(max_examples=25)
@given(any_visits(), st.integers(0, 6))
def test_any_visit_is_read_back_from_tail_and_segment(written: list[Visit], sealed: int) -> None:
    with tempfile.TemporaryDirectory() as directory, LogWriter(Path(directory), NODE) as log:
        for one in written:
            if one.sequence == sealed:
                log.seal()
            log.append(one)
        log.sync()
        assert list(read(log.directory)) == written
        log.seal()
        assert list(read(log.directory)) == written


def test_lone_surrogates_are_replaced_and_pairs_joined(tmp_path: Path) -> None:
    odd = msgspec.structs.replace(
        visit(0), text="a\ud83db", title="\ud83d\ude00", links=(ScoredLink("u", 1.0, ("\udc00",)),)
    )
    (back,) = read(write(tmp_path, [odd], seal_after=(0,)))
    assert (back.text, back.title, back.links[0].owners) == ("a\ufffdb", "\U0001f600", ("\ufffd",))
    assert msgspec.structs.replace(back, text="", title="", links=()) == msgspec.structs.replace(
        odd, text="", title="", links=()
    )


def test_sync_later_writes_the_visits_at_the_time_of_the_call(tmp_path: Path) -> None:
    with LogWriter(tmp_path, NODE) as log:
        log.append(visit(0))
        thread = threading.Thread(target=log.sync_later())
        log.append(visit(1))
        assert log.synced == 0
        thread.start()
        thread.join()
        assert (log.synced, log.written) == (1, 2)
        assert list(read(log.directory)) == visits(1)
    assert list(read(log.directory)) == visits(2)


def test_an_unused_sync_later_is_covered_by_the_next_sync(tmp_path: Path) -> None:
    with LogWriter(tmp_path, NODE) as log:
        log.append(visit(0))
        log.sync_later()  # never called
        log.append(visit(1))
        log.sync()
        assert log.synced == 2
        assert list(read(log.directory)) == visits(2)


def test_a_visit_that_cannot_be_encoded_leaves_the_buffer_unchanged(tmp_path: Path) -> None:
    with LogWriter(tmp_path, NODE) as log:
        log.append(visit(0))
        with pytest.raises(OverflowError):
            log.append(msgspec.structs.replace(visit(1), size=2**70))
        with pytest.raises(ValueError, match="expected visit 1, got 5"):
            log.append(visit(5))
        log.append(visit(1))
    assert list(read(log.directory)) == visits(2)


def test_counts_and_sequences_continue_after_reopening(tmp_path: Path) -> None:
    with LogWriter(tmp_path, NODE) as log:
        for one in visits(3):
            log.append(one)
        assert (log.written, log.synced) == (3, 0)
        assert list(read(log.directory)) == []
        log.sync()
        assert (log.written, log.synced) == (3, 3)
        log.seal()
        position = log.position
    with LogWriter(tmp_path, NODE) as again:  # the tail is empty: its header has the sequence
        assert (again.written, again.synced, again.cut, again.position) == (3, 3, 0, position)
        again.append(visit(3))
    with LogWriter(tmp_path, NODE) as third:
        assert (third.written, third.position) == (4, again.position)
    assert list(read(log.directory)) == visits(4)


def test_sealing_nothing_makes_no_segment(tmp_path: Path) -> None:
    with LogWriter(tmp_path, NODE) as log:
        assert log.seal() == 0
        log.append(visit(0))
        assert (log.seal(), log.seal()) == (1, 0)
        assert sorted(path.name for path in log.directory.iterdir()) == [
            "000000.parquet",
            "000001.tail",
        ]


def test_visits_are_appended_while_the_old_tail_is_sealed(tmp_path: Path) -> None:
    with LogWriter(tmp_path, NODE) as log:
        for one in visits(5):
            log.append(one)
        log.roll()
        sealing = threading.Thread(target=seal, args=(log.directory,))
        sealing.start()
        for one in visits(60, start=5):
            log.append(one)
            log.sync()
        sealing.join()
        assert list(read(log.directory)) == visits(65)
        assert [path.name for path in log.directory.glob("*.parquet")] == ["000000.parquet"]


def test_one_thread_appends_while_another_syncs_and_seals(tmp_path: Path) -> None:
    done = threading.Event()
    with LogWriter(tmp_path, NODE) as log:

        def commit() -> None:
            while not done.is_set():
                log.sync()
                log.seal()

        committing = threading.Thread(target=commit)
        committing.start()
        for one in visits(2000):
            log.append(one)
        done.set()
        committing.join()
    assert list(read(log.directory)) == visits(2000)


@pytest.mark.parametrize("sealed", [(), (1,), (3,), (1, 3)])
def test_reading_resumes_from_every_position(tmp_path: Path, sealed: tuple[int, ...]) -> None:
    positions = []
    with LogWriter(tmp_path, NODE) as log:
        for one in visits(5):
            log.append(one)
            log.sync()
            positions.append(log.position)
        log.roll()
    # The same visits in other segments have other positions; each log's positions hold in that log.
    for count, position in enumerate(positions, start=1):
        assert list(read(log.directory, position)) == visits(5)[count:]
    seal(log.directory)
    for count, position in enumerate(positions, start=1):
        assert list(read(log.directory, position)) == visits(5)[count:]
    other = write(tmp_path / "other", visits(5), seal_after=sealed)
    seen: list[Visit] = []
    for batch in batches(other):
        seen += batch.visits
        assert list(read(other, batch.position)) == visits(5)[len(seen) :]


def test_reading_resumes_as_the_log_grows(tmp_path: Path) -> None:
    seen: list[Visit] = []
    position = None
    with LogWriter(tmp_path, NODE) as log:
        for one in visits(20):
            log.append(one)
            if one.sequence % 3 == 0:
                log.sync()
            if one.sequence % 7 == 0:
                log.seal()
            for batch in batches(log.directory, position):
                seen += batch.visits
                position = batch.position
        log.sync()
        assert seen + list(read(log.directory, position)) == visits(20)


def test_a_position_of_a_lost_visit_is_stale(tmp_path: Path) -> None:
    with LogWriter(tmp_path / "a", NODE) as ahead:
        for one in visits(5):
            ahead.append(one)
        ahead.sync()
        position = ahead.position
    shorter = write(tmp_path / "b", visits(3))
    others = write(tmp_path / "c", [msgspec.structs.replace(one, time=1.0) for one in visits(6)])
    sealed = write(
        tmp_path / "d",
        [msgspec.structs.replace(one, time=1.0) for one in visits(6)],
        seal_after=(5,),
    )
    for log in (shorter, others, sealed, tmp_path / "nowhere"):
        with pytest.raises(StaleError):
            list(read(log, position))
    with pytest.raises(InputError, match="cannot be read"):
        list(read(shorter, b"nonsense"))


def test_only_the_wanted_fields_are_read(tmp_path: Path) -> None:
    log = write(tmp_path, visits(3), seal_after=(2,))
    one = next(read(log, fields=("retry", "links.depth", "scope")))
    whole = visit(0)
    assert (one.sequence, one.node, one.url, one.status, one.outcome) == (
        0,
        NODE,
        whole.url,
        200,
        Outcome.FETCHED,
    )
    assert one.scope == whole.scope
    assert one.links == tuple(
        ScoredLink(link.url, link.promise, link.owners, link.depth) for link in whole.links
    )
    assert (one.text, one.known, one.refused) == ("", (), ())
    with pytest.raises(KeyError):
        list(read(log, fields=("no such field",)))


def test_a_node_without_a_log_has_no_visits(tmp_path: Path) -> None:
    assert list(read(tmp_path / "none")) == []


@pytest.mark.parametrize("name", ["north", "Bad Zwischenahn/1", "..", ".", "", "a:b", "Köln"])
def test_any_node_name_gets_its_own_directory(tmp_path: Path, name: str) -> None:
    directory = directory_of(tmp_path, name)
    assert directory.parent == tmp_path
    with LogWriter(tmp_path, name) as log:
        log.append(visit(0))
    assert directory.resolve().parent == tmp_path.resolve()
    assert list(read(directory)) == visits(1)


def _write_and_seal(logs: Path, count: int) -> None:
    with LogWriter(logs, NODE) as log:
        for one in visits(count):
            log.append(one)
            if one.sequence % 5 == 0:
                log.sync()
            if one.sequence % 40 == 0:
                log.seal()


def test_another_process_reads_while_this_one_writes_and_seals(tmp_path: Path) -> None:
    """Reading everything or from a position never loses or repeats a visit."""
    count = 600
    writer = multiprocessing.get_context("spawn").Process(
        target=_write_and_seal, args=(tmp_path, count)
    )
    writer.start()
    directory = directory_of(tmp_path, NODE)
    followed: list[int] = []
    position = None
    reads = 0
    while writer.is_alive() or len(followed) < count:
        alive = writer.is_alive()
        for batch in batches(directory, position):
            followed += [one.sequence for one in batch.visits]
            position = batch.position
        whole = [one.sequence for one in read(directory, fields=("url",))]
        assert whole == list(range(len(whole)))
        assert len(whole) >= len(followed)
        reads += 1
        assert alive or followed == list(range(count))
    writer.join()
    assert writer.exitcode == 0
    assert followed == list(range(count))
    assert reads > 1


@pytest.mark.parametrize("read_before", [1, 2])
def test_a_tail_that_grows_and_is_sealed_between_two_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_before: int
) -> None:
    """A reader of a tail may miss its new end, but then must not return later segments."""
    monkeypatch.setattr(tails, "CHUNK_VISITS", 2)
    with LogWriter(tmp_path, NODE) as log:
        for one in visits(4):
            log.append(one)
        log.sync()
        reader = batches(log.directory)
        begun = [next(reader) for _ in range(read_before)]
        for one in visits(3, start=4):
            log.append(one)
            log.sync()
        log.seal()
        log.append(visit(7))
        log.sync()
        begun += reader
        seen = [one.sequence for batch in begun for one in batch.visits]
        assert seen == list(range(len(seen)))
        assert len(seen) >= 4
        rest = [one.sequence for one in read(log.directory, begun[-1].position)]
        assert seen + rest == list(range(8))


def test_a_copied_log_can_be_read(tmp_path: Path) -> None:
    log = write(tmp_path, visits(4), seal_after=(1,))
    shutil.copytree(log, tmp_path / "copy")
    assert list(read(tmp_path / "copy")) == visits(4)
