"""The reader of WARCs and ARCs: every packing, damage, and files that other tools ship."""

import gzip
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from toponaut.archive.documents import Document, Documents
from toponaut.archive.http_answers import answer_in
from toponaut.archive.record_heads import UnreadableRecordError
from toponaut.archive.warc_files import WarcFile
from toponaut.archive.warc_reader import DamagedSpan, WarcReader, WarcRecord

SAMPLES = "pywb==2.10.0"
KEEP = 1 << 20


def warc_record(
    number: int, block: bytes, line_end: bytes = b"\r\n", kind: str = "response"
) -> bytes:
    head = [
        b"WARC/1.0",
        b"WARC-Type: " + kind.encode(),
        b"WARC-Target-URI: <http://a.example/%d>" % number,
        b"WARC-Date: 2019-05-06T07:08:09Z",
        b"Content-Type: application/http; msgtype=response",
        b"Content-Length: %d" % len(block),
    ]
    return line_end.join([*head, b"", b""]) + block + line_end * 2


def arc_record(number: int, block: bytes, version: int = 1) -> bytes:
    more = b"200 - - 0 a.arc.gz " if version == 2 else b""
    line = b"http://a.example/%d 192.0.2.1 20190506070809 text/html %s%d\n"
    return line % (number, more, len(block)) + block + b"\n"


def answer(body: bytes, *lines: bytes) -> bytes:
    return b"\r\n".join([b"HTTP/1.1 200 OK", b"Content-Type: text/html", *lines, b"", body])


def walk(path: Path, limit: int = KEEP) -> list[WarcRecord | DamagedSpan]:
    with WarcReader(WarcFile.whole(path)) as reader:
        return list(reader.walk(limit))


def blocks(path: Path) -> list[bytes]:
    return [found.block for found in walk(path) if isinstance(found, WarcRecord)]


def in_dictionary(records: list[bytes]) -> bytes:
    """Frames with a dictionary, which comes first, plain, in a frame that others skip."""
    known = zstandard.ZstdCompressionDict(b"WARC-Type: response\r\n" * 20)
    packer = zstandard.ZstdCompressor(dict_data=known)
    head = b"\x5d\x2a\x4d\x18" + len(known.as_bytes()).to_bytes(4, "little") + known.as_bytes()
    return head + b"".join(map(packer.compress, records))


PACKINGS: dict[str, Callable[[list[bytes]], bytes]] = {
    "plain": b"".join,
    "gzip": lambda records: b"".join(map(gzip.compress, records)),
    "gzip in one member": lambda records: gzip.compress(b"".join(records)),
    "gzip in some members": lambda records: b"".join(
        gzip.compress(b"".join(records[k : k + 2])) for k in range(0, len(records), 2)
    ),
    "zstd": lambda records: b"".join(map(zstandard.compress, records)),
    "zstd in one frame": lambda records: zstandard.compress(b"".join(records)),
    "zstd with a dictionary": in_dictionary,
}
BODIES = st.lists(st.binary(max_size=300) | st.just(b"x" * 70_000), min_size=1, max_size=5)
same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("form", ["warc", "warc with bare line ends", "arc", "arc 2"])
@same_folder
@given(bodies=BODIES)
def test_every_packing_gives_the_same_records(
    tmp_path: Path, packing: str, form: str, bodies: list[bytes]
) -> None:
    written = [answer(body) for body in bodies]
    if form.startswith("arc"):
        version = 2 if form.endswith("2") else 1
        records = [arc_record(k, block, version) for k, block in enumerate(written)]
    else:
        line_end = b"\n" if "bare" in form else b"\r\n"
        records = [warc_record(k, block, line_end) for k, block in enumerate(written)]
    path = tmp_path / "a.warc"
    path.write_bytes(PACKINGS[packing](records))
    found = walk(path)
    assert [one.block for one in found if isinstance(one, WarcRecord)] == written
    assert [one.url for one in found if isinstance(one, WarcRecord)] == [
        f"http://a.example/{k}" for k in range(len(bodies))
    ]
    assert {answer_in(one).time for one in found if isinstance(one, WarcRecord)} == {1557126489.0}
    with WarcReader(WarcFile.whole(path)) as reader:
        for one in found:
            assert isinstance(one, WarcRecord)
            if not one.shared:
                assert reader.record_at(one.offset, KEEP) == one


@pytest.mark.parametrize("packing", PACKINGS)
@same_folder
@given(data=st.data())
def test_damage_costs_no_record_but_the_damaged(
    tmp_path: Path, packing: str, data: st.DataObject
) -> None:
    """A flipped byte or a cut anywhere: no exception, and records before it are read."""
    records = [warc_record(k, answer(b"page %d " % k * 20)) for k in range(6)]
    whole = PACKINGS[packing](records)
    place = data.draw(st.integers(0, len(whole) - 1))
    is_cut = data.draw(st.booleans())
    damaged = (
        whole[:place]
        if is_cut
        else whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :]
    )
    path = (
        tmp_path / f"a.warc{'.gz' * packing.startswith('gzip')}{'.zst' * packing.startswith('z')}"
    )
    path.write_bytes(damaged)
    try:
        found = walk(path)
    except UnreadableRecordError:
        assert packing == "zstd with a dictionary"  # without it nothing can be unpacked
        return
    wanted = [answer(b"page %d " % k * 20) for k in range(6)]
    got = [one.block for one in found if isinstance(one, WarcRecord) and not one.torn]
    ends = [len(PACKINGS[packing](records[: k + 1])) for k in range(6)]
    if packing in ("plain", "gzip", "zstd"):
        before = sum(end <= place for end in ends)
        assert got[:before] == wanted[:before]
        assert is_cut or len(set(wanted) - set(got)) <= 2
    offsets = [(one.offset, one.end) for one in found]
    assert all(0 <= start <= end <= len(damaged) for start, end in offsets)


@same_folder
@given(some=st.binary(max_size=2000))
def test_any_bytes_can_be_walked(tmp_path: Path, some: bytes) -> None:
    path = tmp_path / "a.warc"
    for start in (b"", b"WARC/1.0\r\n", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"):
        path.write_bytes(start + some)
        walk(path)


def test_a_wrong_length_costs_one_record(tmp_path: Path) -> None:
    first, second, third = (warc_record(k, answer(b"page")) for k in range(3))
    path = tmp_path / "a.warc"
    path.write_bytes(first + second.replace(b"Length: 46", b"Length: 43") + third)
    assert len(blocks(path)) == 3


def test_a_bomb_is_read_in_pieces(tmp_path: Path) -> None:
    """A record of 300 MB in 300 KB, of which 64 KB are kept."""
    head, end = warc_record(1, b"").replace(b"Length: 0", b"Length: 300000000"), b"\r\n\r\n"
    packer = zstandard.ZstdCompressor().compressobj()
    packed = packer.compress(head[: -len(end)])
    zeros = bytes(1_000_000)
    packed += b"".join(packer.compress(zeros) for _ in range(300)) + packer.compress(end)
    path = tmp_path / "a.warc.zst"
    path.write_bytes(packed + packer.flush())
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (1 << 30,) * 2)\n"
        "from pathlib import Path\n"
        "from toponaut.archive.warc_files import WarcFile\n"
        "from toponaut.archive.warc_reader import WarcReader\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "with WarcReader(WarcFile.whole(Path(sys.argv[1]))) as reader:\n"
        "    [record] = reader.walk()\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, len(record.block))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    kilobytes, kept = map(int, done.stdout.split())
    assert kept == 1 << 16
    assert kilobytes < 100_000


# --- files of other tools ---


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The test files of pywb, among them those of warcio: ARC, wget, wpull, damaged ones."""
    folder = tmp_path_factory.mktemp("samples")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:all:"]
    command += ["--no-build-isolation", "--dest", str(folder), SAMPLES]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    packages = list(folder.glob("pywb-*.tar.gz"))
    if done.returncode or not packages:
        pytest.skip("pip does not reach its index")
    with tarfile.open(packages[0]) as package:
        package.extractall(folder, filter="data")
    return next(folder.glob("pywb-*/sample_archive/warcs"))


def test_records_are_those_that_warcio_finds(samples: Path) -> None:
    compared = 0
    for path in sorted(samples.iterdir()):
        data = path.read_bytes()
        if path.suffix == ".bad":  # all records in one member, which warcio refuses
            data = gzip.decompress(data)
        expected = Counter(
            record.rec_type.replace("arc_header", "warcinfo")
            for record in ArchiveIterator(BytesIO(data))
        )
        found = Counter(one.kind for one in walk(path) if isinstance(one, WarcRecord))
        assert found == expected, path.name
        compared += sum(found.values())
    assert compared > 400


def test_pages_in_samples_are_read(samples: Path) -> None:
    faults: list[str] = []
    found: list[Document] = list(
        Documents([str(samples)], lambda source, error: faults.append(f"{source}: {error}"))
    )
    by_url = {document.url: document for document in found}
    assert b"Example Domain" in by_url["http://example.com/"].body
    assert b"Internet Assigned Numbers Authority" in by_url["http://www.iana.org/"].body
    assert len(by_url) > 20
