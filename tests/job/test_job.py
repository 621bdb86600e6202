"""The job file: reading, error messages, line numbers, the example and the key reference."""

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert

from toponaut import job as package
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
    job_keys,
    load,
    render,
)
from toponaut.job.faults import Path, lines_of
from toponaut.job.writing import bare_key, to_toml

SEEDS = 'seeds = ["https://example.org/"]\n'
TARGETS = '\n[targets]\nplaces = ["Oldenburg, DE"]\n'
SMALL = SEEDS + TARGETS.lstrip()
REGIONS = """[[regions]]
name = 'a'
targets = ['Tehran, IR']
interests = {{ iran = 4 }}
clients = ['{}']
[[regions]]
name = 'b'
targets = ['Lisbon, PT']
interests = {{ lisboa = 4 }}
clients = ['{}']
"""


def message(text: str) -> str:
    with pytest.raises(InputError) as caught:
        load(text)
    return str(caught.value)


# --- what is read ---------------------------------------------------------------------------------


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


def test_the_package_exports_what_it_lists() -> None:
    names = {
        name
        for name, value in vars(package).items()
        if getattr(value, "__module__", "").startswith(package.__name__)
    }
    assert names == set(package.__all__)


# --- what is refused ------------------------------------------------------------------------------

REFUSALS = [
    # unknown keys and sections
    (
        SMALL + "[politeness]\ndealy = 3\n",
        'job.toml:5: unknown key "dealy" in [politeness]: did you mean "delay"?',
    ),
    (
        SMALL + "[politness]\ndelay = 3\n",
        'job.toml:4: unknown section "politness": did you mean "politeness"?',
    ),
    (
        "concurrent = 3\n" + SMALL,
        'job.toml:1: unknown key "concurrent": it belongs in [politeness].',
    ),
    (
        "model = 3\n" + SMALL,
        'job.toml:1: unknown key "model": it belongs in [collaboration] or [ordering].',
    ),
    (
        SMALL + "[nodes]\nterritories = [\n{ name = 'a' },\n{ colour = 'b' }]\n",
        'job.toml:7: unknown key "colour" in [nodes.territories[1]]: use one of name, targets.',
    ),
    (
        SMALL + '[storage]\n"two\\nlines" = 1\n',
        'job.toml:5: unknown key "two\\nlines" in [storage]: use one of warc, '
        "warc_bytes, requisites, requisites_per_page, seal_seconds, disk.",
    ),
    # wrong types
    (
        SMALL + '[politeness]\ndelay = "fast"\n',
        'job.toml:5: politeness.delay must be a number, but is the string "fast": '
        "write 1.0, for example.",
    ),
    (
        SMALL + "[politeness]\nrobots = 1\n",
        "job.toml:5: politeness.robots must be true or false, but is 1: write true or false.",
    ),
    (
        SMALL + "[limits]\npages = 1.5\n",
        "job.toml:5: limits.pages must be a whole number, but is 1.5: write 10000, for example.",
    ),
    (
        SMALL + "[limits]\npages = true\n",
        "job.toml:5: limits.pages must be a whole number, but is true: write 10000, for example.",
    ),
    (
        SMALL + "[limits]\npages = 2026-11-01\n",
        "job.toml:5: limits.pages must be a whole number, but is 2026-11-01: write "
        "10000, for example.",
    ),
    (
        'seeds = "https://example.org/"\n' + TARGETS,
        "job.toml:1: seeds must be a list of strings, but is the string "
        '"https://example.org/": put it in brackets, [ ].',
    ),
    (
        "seeds = [\n'https://example.org/',\n7]\n" + TARGETS,
        "job.toml:3: seeds[1] must be a string, but is 7: put it in quotes.",
    ),
    (
        "limits = 3\n" + SMALL,
        "job.toml:1: limits must be a table, but is 3: write it as a [section].",
    ),
    (
        SEEDS + "targets.places = [[1]]",
        "job.toml:2: targets.places[0] must be a string or a whole number, but is "
        'the list [1]: see its description, \'Places: "Oldenburg, DE", "Glendale, '
        "AZ\", or a GeoNames id'.",
    ),
    (
        SMALL + "[ordering]\ninterests.iran = 'x'\n",
        "job.toml:5: ordering.interests.iran must be a number, but is the string "
        '"x": see its description, \'interest: terms with priorities, { tehran = 2, '
        "iran = 4 }'.",
    ),
    # out of bounds
    (
        SMALL + "[politeness]\ndelay = -1\n",
        "job.toml:5: politeness.delay must be a number from 0 to 3,600, but is -1: "
        "write 0 or more.",
    ),
    (
        SMALL + "[politeness]\ndelay = nan\n",
        "job.toml:5: politeness.delay must be a number from 0 to 3,600, but is nan: "
        "write 1.0, for example.",
    ),
    (
        SMALL + "[politeness]\nread_timeout = 0\n",
        "job.toml:5: politeness.read_timeout must be a number above 0 and up to "
        "3,600, but is 0: write more than 0.",
    ),
    (
        SMALL + "[limits]\nurl_length = 9999\n",
        "job.toml:5: limits.url_length must be a whole number from 1 to 2,048, but "
        "is 9999: write at most 2048.",
    ),
    (
        SMALL + f"[limits]\npages = {10**30}\n",
        "job.toml:5: limits.pages must be a whole number of at least 0, but is "
        "1000000000000000000000000000000: write at most 1000000000000000.",
    ),
    (
        SMALL + '[collaboration]\npolicy = "C"\n',
        'job.toml:5: collaboration.policy must be "A" or "B", but is the string "C": '
        "write one of these.",
    ),
    (
        'partition = "state"\n' + SMALL,
        'job.toml:1: partition must be "timezone" or "even" or "population" or '
        '"nearest" or "written", but is the string "state": write one of these.',
    ),
    (
        SMALL + '[limits]\nlanguages = ["en",\n"German"]\n',
        "job.toml:6: limits.languages[1] must be a string of the form [a-z]{2,3}, "
        'but is the string "German": see its description, \'Only pages in these '
        'languages: "de", "en"\'.',
    ),
    (
        SMALL + '[politeness]\nuser_agent = "a\\n"\n',
        "job.toml:5: politeness.user_agent must be a string of the form "
        '[A-Za-z][A-Za-z_-]*, but is the string "a\\n": write "Toponaut", for example.',
    ),
    (
        SMALL + '[ordering]\nstrategy = "Look Ahead"\n',
        "job.toml:5: ordering.strategy must be a string of the form "
        '[a-z][a-z0-9_-]*, but is the string "Look Ahead": write "combined", for example.',
    ),
    # values that do not make sense
    (
        TARGETS,
        'job.toml: the job has no seeds: add seeds = ["https://example.org/"], or find some',
    ),
    (
        "\n\nseeds = []\n" + TARGETS,
        'job.toml:3: the job has no seeds: add seeds = ["https://example.org/"], or find some',
    ),
    (
        SEEDS,
        'job.toml: the job has no targets: add [targets] with places = ["Oldenburg, DE"].',
    ),
    (
        SEEDS + "[targets]\n",
        'job.toml:2: the job has no targets: add [targets] with places = ["Oldenburg, DE"].',
    ),
    (
        'seeds = [\n"https://example.org/",\n"htp:/x"]\n' + TARGETS,
        'job.toml:3: seeds[1] must be a web address, but is the string "htp:/x": '
        "write https://example.org/.",
    ),
    (
        "seeds = ['www.oldenburg.de']" + TARGETS,
        "job.toml:1: seeds[0] must be a web address, but is the string "
        '"www.oldenburg.de": write https://www.oldenburg.de/.',
    ),
    (
        SEEDS + '[targets]\nplaces = ["Lisbon",\n"  "]',
        'job.toml:4: targets.places[1] must be a place name, but is the string "  ": '
        'write "city, state or country" or a GeoNames id.',
    ),
    (
        SEEDS + "[targets]\nplaces = [0]",
        "job.toml:3: targets.places[0] must be a string or a whole number, but is 0: "
        'see its description, \'Places: "Oldenburg, DE", "Glendale, AZ", or a '
        "GeoNames id'.",
    ),
    (
        SMALL + "[nodes]\ngeographic = 0\ngeneral = 0\n",
        "job.toml:4: the job has no nodes: set geographic or general to 1 or more.",
    ),
    (
        SEEDS + "[[nodes.territories]]\ntargets = ['Lisbon']",
        'job.toml:2: nodes.territories is set, but partition is "nearest": set '
        'partition = "written", or remove the territories.',
    ),
    (
        "partition = 'written'\n" + SMALL,
        'job.toml:1: partition is "written", but nodes.territories is empty: add '
        '[[nodes.territories]] with targets = ["Oldenburg, DE"].',
    ),
    (
        "partition = 'written'\n" + SMALL + "[[nodes.territories]]\nname = 'north'\n",
        'job.toml:5: nodes.territories[0] has no targets: add targets = ["Oldenburg, '
        'DE"], or remove the territory.',
    ),
    (
        "partition = 'written'\n" + SMALL + "[nodes]\nterritories = [{ targets = ['Lisbon'] },"
        "\n{ name = 'south', targets = ['Porto',\n'lisbon '] }]\n",
        'job.toml:8: "lisbon " is in nodes.territories[0] and [1]: remove it from one.',
    ),
    (
        SMALL + "[politeness]\ncontact = 'me\\n'\n",
        "job.toml:5: politeness.contact must be a web or mail address, but is the "
        'string "me\\\\n": write crawler@example.org, for example.',
    ),
    (
        SMALL + "[limits]\nexclude = ['ok',\n'a(b']",
        'job.toml:6: limits.exclude[1] "a(b" is not a regular expression: missing ), '
        "unterminated subpattern at position 1; write \\ before special characters.",
    ),
    (
        SMALL + "[limits]\ninclude = ['/events/',\n'[']",
        'job.toml:6: limits.include[1] "[" is not a regular expression: unterminated character set',
    ),
    (
        SMALL + "[limits]\ninclude = ['/events/', 'news$']",
        'job.toml:5: limits.include matches no seed, such as "https://example.org/": add a '
        "pattern that matches one, or a seed.",
    ),
    (
        SMALL + "[limits]\nexclude = ['/old']\ninclude = ['^https:',\n'/old']",
        'job.toml:7: limits.include[1] "/old" is in limits.exclude, too: remove one of them.',
    ),
    (
        SMALL + "[limits]\nhosts = ['example.org',\n'https://example.net/x']",
        'job.toml:6: limits.hosts[1] must be a host, but is "https://example.net/x": write '
        '"example.net"; its subdomains are included.',
    ),
    (
        SMALL + "[limits]\nhosts = ['example.net']",
        'job.toml:5: limits.hosts has the host of no seed, such as "example.org": add a seed\'s '
        "host, or remove limits.hosts.",
    ),
    (
        SMALL + "[limits]\nscope = 'seeds'\nhosts = ['example.org',\n'blog.example.org']",
        'job.toml:7: limits.hosts[1] "blog.example.org" is on no seed\'s host: remove it, or set '
        'scope = "any" instead of "seeds".',
    ),
    (
        SMALL + "[limits]\nscope = 'domain'\nhosts = ['example.org',\n'example.net']",
        'job.toml:7: limits.hosts[1] "example.net" is on no seed\'s domain: remove it, or set '
        'scope = "any" instead of "domain".',
    ),
    (
        SMALL + "[limits]\ntlds = ['org']\nhosts = ['example.org', 'example.net']",
        'job.toml:6: limits.hosts[1] "example.net" is in none of limits.tlds: add its top-level '
        "domain there, or remove it.",
    ),
    (
        SMALL + "[limits]\nscope = 'seeds'\ntlds = ['de']",
        'job.toml:6: limits.scope is "seeds", but no seed is in one of limits.tlds: set scope = '
        '"any", or add their domains.',
    ),
    (
        SMALL + "[limits]\ntlds = ['de', 'org']\nwithout_tlds = ['ru', 'de']",
        'job.toml:6: limits.without_tlds[1] "de" is in limits.tlds, too: remove one of them.',
    ),
    (
        SMALL + "[ordering]\nstrategy = 'interest'\ninterests = { iran = 0 }",
        'job.toml:6: the ordering "interest" has no interests: add interests = '
        "{ tehran = 2, iran = 4 }, or run `toponaut interests learn`.",
    ),
    (
        SMALL + "[[regions]]\nname = 'iran'\ninterests = { iran = 4 }",
        'job.toml:4: regions[0] ("iran") has no targets: add targets = ["Oldenburg, DE"], or '
        "remove the region.",
    ),
    (
        SMALL + "[[regions]]\nname = 'iran'\ntargets = ['Tehran, IR']\ninterests = { iran = 0 }",
        'job.toml:7: regions[0] ("iran") has no interests with a priority: add interests = '
        "{ tehran = 2, iran = 4 }, or run `toponaut interests learn`.",
    ),
    (
        SMALL + "[[regions]]\ntargets = ['Tehran, IR']\ninterests = { iran = 4 }",
        'job.toml:4: regions[0] has no name: add name = "iran", for example.',
    ),
    (
        SMALL + REGIONS.format("192.0.2.0/24", "192.0.2.128/25"),
        'job.toml:13: regions[1] ("b"): 192.0.2.128/25 overlaps 192.0.2.0/24 of regions[0]: give '
        "each address to one region.",
    ),
    (
        SMALL + REGIONS.format("192.0.2.0/24", "192.0.2"),
        'job.toml:13: regions[1] ("b"): "192.0.2" is not an IP range: write "192.0.2.0/24" or '
        '"2001:db8::/32".',
    ),
    (
        SMALL + "[limits]\nscope = 'seed'",
        'job.toml:5: limits.scope must be "any" or "seeds" or "domain", but is the string "seed": '
        'did you mean "seeds"?',
    ),
    # no TOML
    (
        "seeds = [\n'a'\n'b']\n",
        "job.toml:3: not valid TOML: Unclosed array. Strings need quotes, lists need "
        "[ ]. `toponaut job --example` prints a valid file",
    ),
    (
        "\n\nseeds",
        "job.toml:3: not valid TOML: Expected '=' after a key in a key/value pair. "
        "Strings need quotes, lists need [ ]. `toponaut job --example` prints a valid file",
    ),
    (
        "[limits]\n[limits]\n",
        "job.toml:2: not valid TOML: Cannot declare ('limits',) twice. Strings need "
        "quotes, lists need [ ]. `toponaut job --example` prints a valid file",
    ),
    (
        "seeds = oops",
        "job.toml:1: not valid TOML: Invalid value. Strings need quotes, lists need "
        "[ ]. `toponaut job --example` prints a valid file",
    ),
    (
        f"random_seed = {'1' * 5000}",
        "job.toml: a number has thousands of digits: shorten it.",
    ),
    (
        "seeds = " + "[" * 5000,
        "job.toml: the lists are nested too deeply: remove the nested brackets.",
    ),
]


@pytest.mark.parametrize(("text", "start"), REFUSALS)
def test_errors_name_line_cause_and_fix(text: str, start: str) -> None:
    refusal = message(text)
    assert refusal.startswith(start)
    assert len(refusal.splitlines()) == 1


def test_errors_name_the_file() -> None:
    with pytest.raises(
        InputError, match=r'^jobs/lisbon\.toml:1: unknown key "seed": did you mean "seeds"\?$'
    ):
        load("seed = 1" + TARGETS, name="jobs/lisbon.toml")


def test_all_faults_are_reported_in_the_order_of_their_lines() -> None:
    text = """\
[limits]
pages = "3000"
exclude = ["a("]
[politeness]
dealy = 2
contact = "me"
robots = "true"
[targets]
places = ["Oldenburg, DE", 3.5]
[nodes]
geographic = -1
[colour]
"""
    first, *faults = message(text).split("\n  ")
    assert first == "job.toml has 9 errors:"
    assert faults[:2] == [
        'job.toml:2: limits.pages must be a whole number, but is the string "3000": '
        "remove the quotes.",
        'job.toml:3: limits.exclude[0] "a(" is not a regular expression: missing ), unterminated '
        "subpattern at position 1; write \\ before special characters.",
    ]
    assert [fault.split(":")[1] for fault in faults] == [
        *"235679",
        "11",
        "12",
        " the job has no seeds",
    ]
    assert [fault for fault in faults if not fault.endswith((".", "?"))] == []


def test_contradictory_limits_are_reported_together() -> None:
    text = SMALL + "[limits]\ninclude = ['/events/']\nhosts = ['example.net', 'a b']\nscope = 'x'\n"
    first, *faults = message(text).split("\n  ")
    assert first == "job.toml has 3 errors:"
    assert [fault.split(":")[1] for fault in faults] == ["5", "6", "7"]


def test_sound_limits_load() -> None:
    limits = "scope = 'domain'\nhosts = ['blog.example.org', 'example.org']\ninclude = ['org/']"
    assert load(SMALL + "[limits]\n" + limits).limits.scope == "domain"
    text = f"{TARGETS}[limits]\nhosts = ['example.net']\ninclude = ['x']\n"
    assert load(text, seedless=True).limits.hosts == ("example.net",)  # its web has the seeds


def test_consequences_of_a_fault_are_not_reported() -> None:
    """A misspelled or wrong key is one error; the checks that depend on the key are skipped."""
    for text, key in [
        ("seed = []" + TARGETS, '"seed"'),
        ("seeds = 7" + TARGETS, "seeds must"),
        (SEEDS + "[target]\nplaces = ['Lisbon']\n", '"target"'),
        (SEEDS + "[targets]\nplace = ['Lisbon']\n", '"place"'),
        ("places = ['Lisbon']\n" + SEEDS, '"places"'),
        (
            "partition = 'writen'\n" + SEEDS + "[[nodes.territories]]\ntargets = ['Lisbon']",
            'partition must be .*did you mean "written"',
        ),
        ("partition = 'written'\n" + SMALL + "[nodes]\nterritories = 3", "nodes.territories must"),
    ]:
        assert re.match(rf"job\.toml:\d: .*{key}", message(text)), message(text)
        assert "\n" not in message(text)


def test_long_values_are_cut_in_messages() -> None:
    assert len(message(f"seeds = ['{'x' * 5000}']" + TARGETS)) < 200
    assert len(message(f"{'x' * 5000} = 1\n" + SMALL)) < 300


@pytest.mark.parametrize("depth", range(50, 1000, 50))
def test_nesting_of_any_depth_is_refused(depth: int) -> None:
    assert message("seeds = " + "[" * depth + "]" * depth + TARGETS).startswith("job.toml:")


# --- lines ----------------------------------------------------------------------------------------


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
    """Every path of parsed TOML, derived from the values."""
    items: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    return {(*path, key) for key, _ in items}.union(
        *(paths_in(item, (*path, key)) for key, item in items)
    )


# --- the example, and laws ------------------------------------------------------------------------


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


def test_every_key_has_a_description_and_is_in_the_example() -> None:
    shown = example()
    keys = list(job_keys())
    for section, key, kind, default, description in keys:
        assert len(description) > 8, (section, key)
        assert kind
        assert tomllib.loads(f"x = {default}")
        assert section in ("nodes.territories", "regions") or f"# {description}\n{key} = " in shown
    assert len({(key.section, key.key) for key in keys}) == len(keys)


def test_the_reference_of_keys() -> None:
    keys = {(key.section, key.key): (key.type, key.default) for key in job_keys()}
    assert keys["limits", "pages"] == ("whole number of at least 0", "10000")
    assert keys["ordering", "depth"] == ("whole number from 1 to 10", "3")
    assert keys["", "seeds"] == ("list of strings", "[]")
    assert keys["targets", "places"] == ("list of strings or whole numbers", "[]")
    assert keys["collaboration", "policy"] == ('"A" or "B"', '"A"')


def test_every_number_has_bounds() -> None:
    """TOML allows "nan", "inf" and numbers of any length; no key accepts them."""
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
        first, *others = str(refusal).split("\n  ")
        assert first.startswith("job.toml has " if others else "job.toml:")
        assert all(fault.startswith("job.toml:") for fault in others)
        assert len(str(refusal).splitlines()) == 1 + len(others)


VALUES = st.recursive(
    st.booleans() | st.integers(-9, 9) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(WORDS, VALUES, max_size=4))
def test_line_numbers_agree_with_the_parser(data: dict[str, object]) -> None:
    text = "".join(f"{bare_key(key)} = {to_toml(value)}\n" for key, value in data.items())
    assert tomllib.loads(text) == data
    assert set(lines_of(text)) == paths_in(data)
    assert [lines_of(text)[key,] for key in data] == list(range(1, len(data) + 1))
