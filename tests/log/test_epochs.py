"""Epochs: only the last life of an actor counts, whatever others still write."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.log_visits import visit

from toponaut.errors import InputError
from toponaut.log import Fence, FencedError, Logs, LogWriter, StaleError, begin, epoch_of, ship
from toponaut.log.epochs import epochs
from toponaut.store import FolderStore


class Life:
    """A node with its own disk that ships sealed segments to shared storage."""

    def __init__(self, disk: Path, logs: Path, actor: str) -> None:
        self.logs = logs
        self.epoch = begin(FolderStore(logs), actor, now=1.0)
        self.log = LogWriter(disk, self.epoch.log, self.epoch.first)

    def write(self, count: int) -> None:
        """Writes another segment."""
        for _ in range(count):
            self.log.append(visit(self.log.written))
        self.log.seal()

    def ship(self) -> int:
        return ship(self.log.directory, Fence(FolderStore(self.logs), self.epoch))


Begun = Callable[..., Life]


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[Begun]:
    """Starts a life with its own disk."""
    lives: list[Life] = []

    def start(disk: str, actor: str = "north") -> Life:
        lives.append(Life(tmp_path / disk, tmp_path / "shared", actor))
        return lives[-1]

    yield start
    for life in lives:
        life.log.close()


def sequences(logs: Path) -> list[int]:
    return [one.sequence for one in Logs(logs).read()]


def test_epoch_numbers_are_unique_and_name_the_log(tmp_path: Path) -> None:
    first, other, second = (
        begin(FolderStore(tmp_path), actor, now=9.0) for actor in ("north", "south", "north")
    )
    assert [one.number for one in (first, other, second)] == [1, 2, 3]
    assert (first.before, other.before, second.before) == (0, 0, 1)
    assert (first.log, second.log) == ("north@1", "north@3")
    assert epoch_of(first.first) == epoch_of(second.first - 2**40 - 1) == 1
    assert (epoch_of(second.first), epoch_of(0)) == (3, 0)
    assert epochs(FolderStore(tmp_path)) == [first, other, second]


def test_unshipped_visits_are_lost_and_their_sequences_not_reused(
    tmp_path: Path, begun: Begun
) -> None:
    logs = tmp_path / "shared"
    lost = begun("disk1")
    lost.write(2)
    assert (lost.ship(), lost.ship()) == (1, 0)
    lost.write(3)
    assert sequences(logs) == [lost.epoch.first, lost.epoch.first + 1]
    new = begun("disk2")
    new.write(1)
    new.ship()
    assert new.epoch.segments == 1
    assert sequences(logs) == [lost.epoch.first, lost.epoch.first + 1, new.epoch.first]
    assert new.epoch.first > lost.epoch.first + 4


def test_a_replaced_actor_notices_before_it_ships(tmp_path: Path, begun: Begun) -> None:
    logs = tmp_path / "shared"
    old = begun("disk1")
    old.write(1)
    old.ship()
    Fence(FolderStore(logs), old.epoch).check()
    begun("disk3", "south")
    Fence(FolderStore(logs), old.epoch).check()
    new = begun("disk2")
    old.write(1)
    with pytest.raises(FencedError, match="north@1 was followed by north@3"):
        old.ship()
    Fence(FolderStore(logs), new.epoch).check()


def test_segments_shipped_by_a_replaced_actor_do_not_count(tmp_path: Path, begun: Begun) -> None:
    """It checked just before, and the disk was slow."""
    logs = tmp_path / "shared"
    old = begun("disk1")
    for count in (1, 2):
        old.write(count)
        old.ship()
    read_before = Logs(logs)
    kept = list(read_before.batches())[-1].position
    new = begun("disk2")
    old.write(4)
    (logs / "north@1" / "000002.parquet").write_bytes(
        (old.log.directory / "000002.parquet").read_bytes()
    )
    new.write(1)
    new.ship()
    expected = [old.epoch.first, old.epoch.first + 1, old.epoch.first + 2, new.epoch.first]
    assert sequences(logs) == [one.sequence for one in read_before.read()] == expected
    assert [
        one.sequence for batch in read_before.batches(kept) for one in batch.visits
    ] == expected[3:]
    assert read_before.summary().visits == 4
    assert sum(table.num_rows for table in Logs(logs).tables(("url",))) == 4
    gone = visit(old.epoch.first + 5)
    assert list(Logs(logs).find(gone.url)) == []
    assert [one.sequence for one in Logs(logs).find(visit(old.epoch.first).url)] == [
        old.epoch.first
    ]


def test_a_position_in_segments_that_no_longer_count_is_stale(tmp_path: Path, begun: Begun) -> None:
    """A segment shipped after the new life counted segments, but before its epoch file."""
    logs = tmp_path / "shared"
    old = begun("disk1")
    old.write(1)
    old.ship()
    new = begun("disk2")
    claim = logs / "epochs" / f"{new.epoch.number:06}.json"
    content = claim.read_bytes()
    claim.unlink()  # not yet there
    old.write(1)
    old.ship()
    position = list(Logs(logs).batches())[-1].position
    claim.write_bytes(content)
    with pytest.raises(StaleError):
        list(Logs(logs).batches(position))


def test_a_damaged_epoch_is_reported(tmp_path: Path) -> None:
    begin(FolderStore(tmp_path), "north", now=0.0)
    (tmp_path / "epochs" / "000001.json").write_text("{")
    with pytest.raises(InputError, match=r"000001\.json"):
        epochs(FolderStore(tmp_path))
