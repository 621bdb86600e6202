"""Several logs read as one, in an order that depends on their visits alone."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.log_visits import NODE, visit

from toponaut.log import Epoch, Logs, LogWriter, StaleError, begin, merge, seal, tails
from toponaut.log.epochs import name_of
from toponaut.log.merge import Floats, Rows, Slice, StampedLog
from toponaut.records import Visit
from toponaut.store import FolderStore

FIELDS = ("url", "time")


def stamped(first: int, stamps: Sequence[float]) -> list[Visit]:
    return [
        msgspec.structs.replace(
            visit(first + k), stamp=stamp, url=f"https://town{first}.example/{k}"
        )
        for k, stamp in enumerate(stamps)
    ]


def fill(log: LogWriter, visits: Sequence[Visit], seal_after: int = 0) -> None:
    for one in visits:
        log.append(one)
        if seal_after and not (one.sequence + 1) % seal_after:
            log.seal()
    log.sync()


def epoch_log(logs: Path, actor: str) -> tuple[Epoch, LogWriter]:
    epoch = begin(FolderStore(logs), actor, now=0.0)
    return epoch, LogWriter(logs, epoch.log, epoch.first)


def test_main_alone_keeps_its_own_positions(tmp_path: Path) -> None:
    with LogWriter(tmp_path, "main") as log:
        written = stamped(0, [1.0, 2.0, 3.0])
        fill(log, written[:2], seal_after=2)
        position = log.position
        fill(log, written[2:])
    logs = Logs(tmp_path)
    assert list(logs.read()) == written
    assert [one for batch in logs.batches(position) for one in batch.visits] == written[2:]
    assert [batch.position for batch in logs.batches(position)] == [log.position]
    assert sum(table.num_rows for table in logs.tables(FIELDS)) == 3
    assert logs.summary().visits == 3


def test_a_crawl_without_a_log_has_no_visits(tmp_path: Path) -> None:
    logs = Logs(tmp_path / "none")
    assert (
        list(logs.read()),
        list(logs.tables(FIELDS)),
        logs.summary().visits,
        logs.listing(),
    ) == ([], [], 0, [])
    assert list(logs.find("https://town.example/")) == []


def test_main_and_epochs_are_read_together(tmp_path: Path) -> None:
    with LogWriter(tmp_path, "main") as log:
        fill(log, first := stamped(0, [1.0, 2.0]))
    alone = log.position
    north, there = epoch_log(tmp_path, "north")
    south, too = epoch_log(tmp_path, "south")
    with there, too:
        fill(there, up := stamped(north.first, [3.0, 5.0]))
        fill(too, down := stamped(south.first, [4.0]))
    logs = Logs(tmp_path)
    expected = [*first, up[0], down[0], up[1]]
    assert list(logs.read()) == expected
    # A reader that had read `main` alone continues with the others.
    assert [one for batch in logs.batches(alone) for one in batch.visits] == expected[2:]
    assert list(logs.find(up[1].url)) == [up[1]]
    assert logs.trace(down[0].links[0].url)[1][0].sequence == south.first
    assert (logs.summary().visits, logs.summary().relevant) == (
        5,
        sum(one.relevant for one in expected),
    )


ORDERS = st.lists(
    st.tuples(
        st.sampled_from(["main", "north", "south"]),
        st.floats(0, 9),
        st.sampled_from(["", "seal", "heard"]),
    ),
    max_size=24,
)


@settings(max_examples=settings().max_examples // 3)  # fewer than usual: each writes files
@given(ORDERS, st.integers(1, 4))
def test_the_order_follows_stamps_however_the_logs_are_stored(
    orders: list[tuple[str, float, str]], chunk: int
) -> None:
    """Three nodes write and sometimes hear of each other; some segments are sealed."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(tails, "CHUNK_VISITS", chunk)
        logs = Path(folder)
        writers = {"main": LogWriter(logs, "main")}
        writers |= {name: epoch_log(logs, name)[1] for name in ("north", "south")}
        written: dict[str, list[Visit]] = {name: [] for name in writers}
        before: dict[int, int] = {}  # visit -> the visit that its node had just heard of
        for name, now, act in orders:
            log = writers[name]
            latest = [some[-1] for other, some in written.items() if other != name and some]
            if act == "heard" and latest:
                log.heard(latest[0].stamp)
                before[log.written] = latest[0].sequence
            one = msgspec.structs.replace(visit(log.written), stamp=log.stamp(now), node=name)
            written[name].append(one)
            log.append(one)
            if act == "seal":
                log.seal()
        for log in writers.values():
            log.close()
        seen = list(Logs(logs).read())
        assert seen == sorted(
            (one for some in written.values() for one in some), key=lambda one: one.stamp
        )
        for name, some in written.items():
            assert [one for one in seen if one.node == name] == some
        row = {one.sequence: k for k, one in enumerate(seen)}
        assert all(row[earlier] < row[later] for later, earlier in before.items())
        columns = [table.column("sequence") for table in Logs(logs).tables(FIELDS)]
        assert pa.chunked_array(columns, pa.int64()).to_pylist() == [one.sequence for one in seen]
        for log in writers.values():
            seal(log.directory)
        assert list(Logs(logs).read()) == seen
        _goes_on_from_every_position(Logs(logs), seen)


def _goes_on_from_every_position(logs: Logs, seen: list[Visit]) -> None:
    """No visit is repeated or lost."""
    done: list[Visit] = []
    for batch in logs.batches():
        done += batch.visits
        assert done == seen[: len(done)]
        rest = [one for later in logs.batches(batch.position) for one in later.visits]
        assert sorted(one.sequence for one in [*done, *rest]) == sorted(
            one.sequence for one in seen
        )
    assert len(done) == len(seen)


def test_a_reader_follows_growing_and_new_logs(tmp_path: Path) -> None:
    logs, heard, position = Logs(tmp_path), list[Visit](), None
    writers: list[LogWriter] = []
    for turn in range(6):
        if turn % 2 == 0:
            writers.append(epoch_log(tmp_path, f"node{turn}")[1])
        for number, log in enumerate(writers):
            fill(
                log,
                [
                    msgspec.structs.replace(
                        visit(log.written), stamp=log.stamp(10.0 * turn + number)
                    )
                ],
                seal_after=2,
            )
        for batch in logs.batches(position):
            heard += batch.visits
            position = batch.position
        assert list(logs.batches(position)) == []
    for log in writers:
        log.close()
    assert sorted(one.sequence for one in heard) == sorted(one.sequence for one in logs.read())
    assert [one.stamp for one in heard] == sorted(one.stamp for one in heard)


def test_a_position_in_a_removed_log_is_stale(tmp_path: Path) -> None:
    _, log = epoch_log(tmp_path, "north")
    with log:
        fill(log, stamped(log.written, [1.0]))
    position = next(iter(Logs(tmp_path).batches())).position
    with pytest.raises(StaleError):
        list(Logs(tmp_path / "elsewhere").batches(position))


def test_stamps_keep_rising_after_a_restart(tmp_path: Path) -> None:
    """Also with a clock set back; the last visit in a tail, a segment or before an empty tail."""
    for after in ("tail", "rolled", "sealed"):
        with LogWriter(tmp_path / after, NODE) as log:
            fill(log, stamped(0, [100.0]))
            if after == "rolled":
                log.roll()
            elif after == "sealed":
                log.seal()
        with LogWriter(tmp_path / after, NODE) as again:
            assert again.stamp(5.0) > 100.0
            again.heard(200.0)
            assert again.stamp(5.0) > 200.0
            assert again.stamp(300.0) == 300.0


def test_consecutive_logs_are_not_all_open_at_once(tmp_path: Path) -> None:
    """100 lives, at most two at a time; one has no stamps, as in older versions."""
    opened: list[set[int]] = []
    for life in range(100):
        epoch = Epoch(
            life + 1, "north" if life % 2 else "south", before=max(life - 1, 0), segments=2
        )
        FolderStore(tmp_path).create(name_of(epoch.number), msgspec.json.encode(epoch))
        with LogWriter(tmp_path, epoch.log, epoch.first) as log:
            fill(
                log, stamped(epoch.first, [0.0] if life == 0 else [10.0 * life, 10.0 * life + 12.0])
            )
            if life % 3:
                log.seal()
    logs = Logs(tmp_path)
    under_way: set[int] = set()

    def noticing(number: int, rest: Iterator[tuple[Rows, Floats]]) -> Iterator[tuple[Rows, Floats]]:
        under_way.add(number)
        opened.append(set(under_way))
        yield from rest
        under_way.discard(number)

    with pytest.MonkeyPatch.context() as patch:
        rounds = merge.rounds

        def noticed(given: Mapping[int, StampedLog[Rows]]) -> Iterator[list[Slice[Rows]]]:
            return rounds(
                {n: StampedLog(one.begins, noticing(n, one.batches)) for n, one in given.items()}
            )

        patch.setattr(merge, "rounds", noticed)
        seen = list(logs.read())
        assert max(map(len, opened)) <= 4
        columns = [table.column("sequence") for table in logs.tables(FIELDS)]
    assert len(seen) == 199
    assert [one.stamp for one in seen] == sorted(one.stamp for one in seen)
    assert pa.chunked_array(columns, pa.int64()).to_pylist() == [one.sequence for one in seen]
