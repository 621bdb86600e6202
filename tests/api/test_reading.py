"""toponaut.extract, mentions and places."""

from pathlib import Path

import pytest

import toponaut

HTML = (
    "<html><body><p><b>Pizzeria Vesuvio</b><br>Lange Str. 12<br>26122 Oldenburg</p></body></html>"
)


@pytest.mark.parametrize("kind", ["html", "bytes", "path", "name", "url"])
def test_addresses_of_any_source(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "contact.html"
    file.write_text(HTML, encoding="utf-8")
    if kind == "url":
        with pytest.raises(toponaut.InputError, match="could not be fetched"):
            toponaut.extract("http://127.0.0.1:9/contact")
        return
    sources: dict[str, str | bytes | Path] = {
        "html": HTML,
        "bytes": HTML.encode(),
        "path": file,
        "name": str(file),
    }
    (address,) = toponaut.extract(sources[kind])
    assert (address.organisation, address.postcode) == ("Pizzeria Vesuvio", "26122")


def test_addresses_of_a_folder_name_their_source(tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text(HTML, encoding="utf-8")
    found = toponaut.extract(tmp_path)
    assert [Path(row["source"]).name for row in found.to_dicts()] == ["a.html", "b.html"]
    assert found[1:].to_pandas()["source"].tolist() == [str(tmp_path / "b.html")]


def test_a_text_is_read_as_text() -> None:
    (address,) = toponaut.extract("Find us: 221 Lamar Ave, Paris, TX 75460")
    assert address.city == "Paris"
    assert toponaut.extract("") == []
    assert toponaut.extract(HTML.replace("26122 Oldenburg", "")) == []


def test_a_missing_file_is_an_input_error() -> None:
    for source in ("nowhere.html", Path("nowhere")):
        with pytest.raises(toponaut.InputError, match="there is no such file or folder"):
            toponaut.extract(source)


def test_bytes_that_are_not_a_page_are_an_input_error() -> None:
    with pytest.raises(toponaut.InputError, match="neither HTML nor text"):
        toponaut.extract(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)


def test_part_of_a_folder_that_cannot_be_read_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "good.html").write_text(HTML, encoding="utf-8")
    (tmp_path / "bad.warc").write_bytes(b"no WARC")
    with pytest.warns(UserWarning, match=r"bad\.warc"):
        assert len(toponaut.extract(tmp_path)) == 1


def test_mentions_have_their_places() -> None:
    text = "Police in Paris, Texas, and <b> Reno"
    found = toponaut.mentions(text)
    assert [text[one.start : one.end] for one in found] == ["Paris", "Texas", "Reno"]
    frame = found.to_pandas()
    assert frame["country"].tolist() == ["US", "US", "US"]
    assert frame["name"][0] == "Paris"
    assert found._repr_html_().count("<circle") == 3


def test_mentions_of_a_page_are_in_its_visible_text(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("<p>The council of <b>Athens</b> met.", encoding="utf-8")
    (plain,) = toponaut.mentions(file)
    assert (plain.text, plain.start) == ("Athens", 15)
    (near,) = toponaut.mentions("The council of Athens met.", region=["Marietta, Ohio"])
    assert plain.place != near.place


def test_places_by_name_and_id() -> None:
    glendale = toponaut.places("Glendale, AZ")
    assert glendale[0].path == ("United States", "Arizona", "Maricopa County", "Glendale")
    assert toponaut.places(2857458)[0].name == toponaut.places("2857458")[0].name == "Oldenburg"
    assert len(toponaut.places("Springfield", limit=3)) == 3
    assert "Portugal" in toponaut.places("Lisbon", wordnet=True)[0].path


def test_an_unknown_place_is_an_input_error() -> None:
    with pytest.raises(toponaut.InputError, match=r"Oldenbrug.*Did you mean Oldenburg"):
        toponaut.places("Oldenbrug")
