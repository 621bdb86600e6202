"""The job file: what is read, what is refused and with which words, and the line of everything."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert

from toponaut import job as door
from toponaut.errors import InputError
from toponaut.job import (
    Job,
    NodesSection,
    OrderingSection,
    PolitenessSection,
    Section,
    TargetsSection,
    TerritorySection,
    example,
    load,
    render,
)
from toponaut.job.lines import Path, lines_of
from toponaut.job.writing import bare_key, to_toml

SEEDS = 'seeds = ["https://example.org/"]\n'
SMALL = SEEDS + '[targets]\nplaces = ["Oldenburg, DE"]\n'


def message(text: str) -> str:
    with pytest.raises(InputError) as caught:
        load(text)
    return str(caught.value)


# --- what is read -----------------------------------------------------------------------------------------


def test_a_small_job_is_the_default_job_with_seeds_and_targets() -> None:
    assert load(SMALL) == Job(
        seeds=("https://example.org/",), targets=TargetsSection(places=("Oldenburg, DE",))
    )


def test_a_job_as_people_write_it() -> None:
    job = load(
        """
        seeds = [
            "HTTP://Example.org:80/a/../b?utm_source=x#y",  # a comment
            'https://münchen.de',
        ]
        partition = "written"

        [[nodes.territories]]
        name = "north"
        targets = ["Oldenburg, DE", 2857458]
        [[nodes.territories]]
        targets = ["Lisbon"]

        [politeness]
        delay = 2          # a whole number will do for a number
        contact = "crawl@example.org"
        [ordering]
        strategy = "interest"
        interests = { iran = 4, "middle east" = 0.5 }
        """
    )
    assert job.seeds == ("http://example.org/b", "https://xn--mnchen-3ya.de/")
    north, south = job.nodes.territories
    assert north == TerritorySection(name="north", targets=("Oldenburg, DE", 2857458))
    assert south == TerritorySection(targets=("Lisbon",))
    assert job.politeness == PolitenessSection(delay=2.0, contact="crawl@example.org")
    assert job.ordering == OrderingSection(
        strategy="interest", interests={"iran": 4.0, "middle east": 0.5}
    )


def test_windows_files_load() -> None:
    assert load("\ufeff" + SMALL.replace("\n", "\r\n")) == load(SMALL)


def test_jobs_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        load(SMALL).politeness.delay = 0  # type: ignore[misc]


def test_the_door_shows_what_it_lists() -> None:
    names = {
        name
        for name, value in vars(door).items()
        if getattr(value, "__module__", "").startswith(door.__name__)
    }
    assert names == set(door.__all__)


# --- what is refused --------------------------------------------------------------------------------------

REFUSALS = [
    # unknown keys and sections
    (
        SMALL + "[politeness]\ndealy = 3\n",
        "job.toml:5: unknown key 'dealy' in [politeness]. Did you mean 'delay'?",
    ),
    (
        SMALL + "[politness]\ndelay = 3\n",
        "job.toml:4: unknown section 'politness'. Did you mean 'politeness'?",
    ),
    (
        "concurrent = 3\n" + SMALL,
        "job.toml:1: unknown key 'concurrent'. It belongs in [politeness]",
    ),
    (
        "model = 3\n" + SMALL,
        "job.toml:1: unknown key 'model'. It belongs in [collaboration] or [ordering]",
    ),
    (
        SMALL + "[nodes]\nterritories = [\n{ name = 'a' },\n{ colour = 'b' }]\n",
        "job.toml:7: unknown key 'colour' in [nodes.territories[1]]. Known here: name, targets",
    ),
    (
        SMALL + '[storage]\n"two\\nlines" = 1\n',
        "job.toml:5: unknown key 'two\\nlines' in [storage]. Known here: warc",
    ),
    # wrong types
    (
        SMALL + '[politeness]\ndelay = "fast"\n',
        'job.toml:5: politeness.delay is "fast". Write a number from 0',
    ),
    (
        SMALL + "[politeness]\nrobots = 1\n",
        "job.toml:5: politeness.robots is 1. Write true or false. Obey robots.txt",
    ),
    (
        SMALL + "[limits]\npages = 1.5\n",
        "job.toml:5: limits.pages is 1.5. Write a whole number from 0 to 1,000",
    ),
    (SMALL + "[limits]\npages = true\n", "job.toml:5: limits.pages is true. Write a whole number"),
    (
        SMALL + "[limits]\npages = 2026-11-01\n",
        "job.toml:5: limits.pages is 2026-11-01. Write a whole number",
    ),
    (
        'seeds = "https://example.org/"\n',
        'job.toml:1: seeds is "https://example.org/". Write a list. Where the crawl',
    ),
    ("seeds = [\n'https://example.org/',\n7]\n", "job.toml:3: seeds[1] is 7. Write text in quotes"),
    ("limits = 3\n" + SMALL, "job.toml:1: limits is 3. Write a table"),
    (
        "targets.places = [[1]]",
        "job.toml:1: targets.places[0] is [1]. Write text in quotes or a whole number from 1",
    ),
    (
        SMALL + "[ordering]\ninterests.iran = 'x'\n",
        'job.toml:5: ordering.interests.iran is "x". Write a number',
    ),
    # out of bounds
    (
        SMALL + "[politeness]\ndelay = -1\n",
        "job.toml:5: politeness.delay is -1. Write a number from 0 to 3,600",
    ),
    (SMALL + "[politeness]\ndelay = nan\n", "job.toml:5: politeness.delay is nan. Write a number"),
    (
        SMALL + "[politeness]\nread_timeout = 0\n",
        "job.toml:5: politeness.read_timeout is 0. Write a number above 0 and up to 3,600",
    ),
    (
        SMALL + "[limits]\nurl_length = 9999\n",
        "job.toml:5: limits.url_length is 9999. Write a whole number from 1 to 2,048",
    ),
    (
        SMALL + f"[limits]\npages = {10**30}\n",
        f"job.toml:5: limits.pages is {10**30}. Write a whole number",
    ),
    (
        SMALL + '[collaboration]\npolicy = "C"\n',
        'job.toml:5: collaboration.policy is "C". Write one of "A", "B". A: the',
    ),
    (
        'partition = "state"\n' + SMALL,
        'job.toml:1: partition is "state". Write one of "timezone", "even", "population"',
    ),
    (
        SMALL + '[limits]\nlanguages = ["en",\n"German"]\n',
        'job.toml:6: limits.languages[1] is "German". Write text in',
    ),
    (
        SMALL + '[politeness]\nuser_agent = "a\\n"\n',
        'job.toml:5: politeness.user_agent is "a\\n". Write text in quotes of',
    ),
    (
        SMALL + '[ordering]\nstrategy = "Look Ahead"\n',
        'job.toml:5: ordering.strategy is "Look Ahead". Write text in',
    ),
    # values that do not make sense
    ("", "job.toml: the job names no seeds. Add seeds ="),
    ("\n\nseeds = []\n", "job.toml:3: the job names no seeds. Add seeds ="),
    (SEEDS, "job.toml: the job names no targets. Add [targets] with places ="),
    (SEEDS + "[targets]\n", "job.toml:2: the job names no targets. Add"),
    (
        'seeds = [\n"https://example.org/",\n"htp:/x"]\n',
        'job.toml:3: seeds[1] "htp:/x" is no web address. Write it as https://example.org/',
    ),
    (
        "seeds = ['www.oldenburg.de']",
        'job.toml:1: seeds[0] "www.oldenburg.de" is no web address. Write it as https://www.oldenburg.de/',
    ),
    (
        SEEDS + '[targets]\nplaces = ["Lisbon",\n"  "]',
        'job.toml:4: targets.places[1] "  " names no place. Write "city,',
    ),
    (
        SEEDS + "[targets]\nplaces = [0]",
        "job.toml:3: targets.places[0] is 0. Write text in quotes or a whole number",
    ),
    (
        SMALL + "[nodes]\ngeographic = 0\ngeneral = 0\n",
        "job.toml:4: the job has no nodes. Set geographic or general",
    ),
    (
        SEEDS + "[[nodes.territories]]\ntargets = ['Lisbon']",
        'job.toml:2: territories, but partition is nearest. Set partition = "written", or take them out',
    ),
    (
        "partition = 'written'\n" + SMALL,
        "job.toml:1: partition is written, but no territories are. Add [[nodes",
    ),
    (
        "partition = 'written'\n" + SMALL + "[[nodes.territories]]\nname = 'north'\n",
        "job.toml:5: territory 0 has no targets. Add targets =",
    ),
    (
        "partition = 'written'\n" + SMALL + "[nodes]\n"
        "territories = [{ targets = ['Lisbon'] },\n{ name = 'south', targets = ['Porto',\n'lisbon '] }]\n",
        'job.toml:8: "lisbon " stands in territories 0 and 1. Take it out of one of them',
    ),
    (
        SMALL + "[politeness]\ncontact = 'me\\n'\n",
        'job.toml:5: politeness.contact is "me\\\\n". Write a web or mail',
    ),
    (
        SMALL + "[limits]\nexclude = ['ok',\n'a(b']",
        'job.toml:6: limits.exclude[1] "a(b" is no regular expression: miss',
    ),
    # no TOML
    ("seeds = [\n'a'\n'b']\n", "job.toml:3: no valid TOML: Unclosed array. Text stands in quotes"),
    (
        "\n\nseeds",
        "job.toml:3: no valid TOML: Expected '=' after a key in a key/value pair. Text stands",
    ),
    ("[limits]\n[limits]\n", "job.toml:2: no valid TOML: Cannot declare ('limits',) twice. Text"),
    ("seeds = oops", "job.toml:1: no valid TOML: Invalid value. Text stands in quotes"),
    (
        f"random_seed = {'1' * 5000}",
        "job.toml: a number of thousands of digits. Write a shorter one",
    ),
    ("seeds = " + "[" * 5000, "job.toml: lists in lists without end. Take"),
]


@pytest.mark.parametrize(("text", "start"), REFUSALS)
def test_refusals_name_line_cause_and_cure(text: str, start: str) -> None:
    refusal = message(text)
    assert refusal.startswith(start)
    assert len(refusal.splitlines()) == 1


def test_refusals_name_the_file() -> None:
    with pytest.raises(
        InputError, match=r"^jobs/lisbon\.toml:1: unknown key 'seed'\. Did you mean 'seeds'\?$"
    ):
        load("seed = 1", name="jobs/lisbon.toml")


def test_long_values_are_cut_in_messages() -> None:
    assert len(message(f"seeds = ['{'x' * 5000}']")) < 200
    assert len(message(f"{'x' * 5000} = 1")) < 300


@pytest.mark.parametrize("depth", range(50, 1000, 50))
def test_nesting_of_any_depth_is_refused(depth: int) -> None:
    assert message("seeds = " + "[" * depth + "]" * depth).startswith("job.toml:")


# --- lines ------------------------------------------------------------------------------------------------


def test_lines_of_every_kind_of_key_and_value() -> None:
    text = '''# 1
"quoted key" = 1          # 2: = [ { in a comment
'single.dot' = "a = [1]"  # 3
a.b . "c" = 1.5           # 4
text = """
c = 1
"escaped \\""""           # 7
raw = \'\'\'
[no.table]\'\'\'
list = [                  # 10
    1, # one
    "2, ]",

    [3, [
        4]],
    { x = 1, y.z = [5] }, # 16
]
date = 1979-05-27 07:32:00
[t]                       # 19
k = { in = "line", deep = { er = 1 } }
[t.u]                     # 21
v = 1
[[rows]]                  # 23
a = 1
[rows.sub]                # 25
b = 1
[[rows.inner]]            # 27
[[rows.inner]]
[[rows]]                  # 29
a = 2
[[rows.inner]]            # 31
c = [
  1]
'''
    lines = lines_of(text)
    expected: dict[Path, int] = {
        ("quoted key",): 2,
        ("single.dot",): 3,
        ("a", "b", "c"): 4,
        ("text",): 5,
        ("raw",): 8,
        ("list",): 10,
        ("list", 0): 11,
        ("list", 1): 12,
        ("list", 2): 14,
        ("list", 2, 1, 0): 15,
        ("list", 3): 16,
        ("list", 3, "y", "z", 0): 16,
        ("date",): 18,
        ("t",): 19,
        ("t", "k", "deep", "er"): 20,
        ("t", "u"): 21,
        ("t", "u", "v"): 22,
        ("rows",): 23,
        ("rows", 0): 23,
        ("rows", 0, "a"): 24,
        ("rows", 0, "sub", "b"): 26,
        ("rows", 0, "inner", 0): 27,
        ("rows", 0, "inner", 1): 28,
        ("rows", 1): 29,
        ("rows", 1, "a"): 30,
        ("rows", 1, "inner", 0, "c", 0): 33,
    }
    assert {path: lines.get(path) for path in expected} == expected
    assert set(lines) == paths_in(tomllib.loads(text))


def paths_in(value: object, path: Path = ()) -> set[Path]:
    """Every path of parsed TOML, found without looking at the text."""
    items: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    return {(*path, key) for key, _ in items}.union(
        *(paths_in(item, (*path, key)) for key, item in items)
    )


# --- the example, and laws --------------------------------------------------------------------------------


def test_the_example_loads_to_the_defaults() -> None:
    job = load(example())
    assert job == Job(seeds=job.seeds, targets=TargetsSection(places=job.targets.places))
    assert job.seeds
    assert job.targets.places


def sections() -> list[type[Section]]:
    return [
        Job,
        TerritorySection,
        *(hint for hint in Job.hints().values() if isinstance(hint, type)),
    ]


def test_every_key_has_help_and_stands_in_the_example() -> None:
    shown = example()
    for section in sections():
        for key, help_line in section.help().items():
            if isinstance(getattr(section(), key), Section):
                continue
            assert len(help_line) > 8, (section, key)
            assert section is TerritorySection or f"# {help_line}\n{key} = " in shown


def test_every_number_has_bounds() -> None:
    """TOML allows "nan", "inf" and numbers of any length: they get through nowhere."""
    for section in sections():
        for key, hint in section.hints().items():
            for bad in (float("nan"), float("inf"), 2**70, -(2**70)):
                with pytest.raises(ValueError, match="Expected"):
                    convert({key: {"x": bad} if "dict" in str(hint) else bad}, section)


WORDS = st.text(max_size=8)
NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)
PLACES = st.lists(
    st.text("abÄß,. \"\\\n\x7f'", min_size=1).map("Z".__add__) | st.integers(1, 10**7), max_size=3
)
JOBS = st.builds(
    Job,
    seeds=st.lists(NAMES.map("https://{}.example.org/".format), min_size=1, max_size=3).map(tuple),
    random_seed=st.integers(0, 2**40),
    targets=st.builds(TargetsSection, places=PLACES.map(lambda found: ("Lisbon", *found))),
    nodes=st.builds(
        NodesSection,
        geographic=st.integers(1, 9),
        general=st.integers(0, 9),
        shards=st.integers(1, 9),
    ),
    ordering=st.builds(
        OrderingSection,
        strategy=NAMES,
        decay=st.floats(0, 1),
        pivot=st.floats(0, 1e6),
        model=WORDS,
        interests=st.dictionaries(WORDS, st.floats(0, 1e6), max_size=3),
    ),
    politeness=st.builds(PolitenessSection, delay=st.floats(0, 3600), robots=st.booleans()),
)


@given(JOBS, st.booleans())
def test_a_rendered_job_loads_to_an_equal_one(job: Job, explained: bool) -> None:
    assert load(render(job, explained)) == job


def test_written_territories_survive_rendering() -> None:
    north = TerritorySection(name='the "north"', targets=("Oldenburg, DE", 7))
    job = Job(
        seeds=("https://example.org/",),
        partition="written",
        nodes=NodesSection(territories=(north, TerritorySection(targets=(8,)))),
    )
    assert load(render(job)) == job


KEYS = ("seeds", "targets", "places", "nodes", "delay", "limits", "'x'", '"y"')
SIGNS = ("=", "[", "]", "[[", "]]", "{", "}", ",", ".", "\n", "#", " ", "\\", "\r\n", '"""', "'''")
SNIPPETS = st.sampled_from((*KEYS, *SIGNS, "1", "-0.5", "nan", "true", "1979-05-27", "\ud800"))
SNIPPED = st.lists(SNIPPETS, max_size=15).map("".join)


@given(st.text() | SNIPPED | SNIPPED.map(SMALL.__add__))
def test_any_text_is_a_job_or_an_input_error(text: str) -> None:
    refusal = None
    try:
        assert isinstance(load(text), Job)
    except InputError as error:
        refusal = error
    if refusal is not None:
        assert refusal.cause.startswith("job.toml:")
        assert refusal.cure
        assert len(str(refusal).splitlines()) == 1


VALUES = st.recursive(
    st.booleans() | st.integers(-9, 9) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(WORDS, VALUES, max_size=4))
def test_the_walk_over_lines_sees_what_the_parser_sees(data: dict[str, object]) -> None:
    text = "".join(f"{bare_key(key)} = {to_toml(value)}\n" for key, value in data.items())
    assert tomllib.loads(text) == data
    assert set(lines_of(text)) == paths_in(data)
    assert [lines_of(text)[key,] for key in data] == list(range(1, len(data) + 1))
