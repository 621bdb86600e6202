"""Commands that learn from pages: train, interests learn, interests rank."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from toponaut.api.crawls import local_directory
from toponaut.api.jobs import read_text
from toponaut.cli.options import CrawlDirectory, Json, Quiet
from toponaut.cli.terminal import ProgressBar, make_table, print_json, print_table
from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.job import OrderingSection
    from toponaut.strategy.learning.interests import InterestsResult, RankedPage
    from toponaut.strategy.learning.training import TrainingResult

INTERESTS = 'Learn the interests of the ordering "interest", and rank pages by them.'


def train(
    source: Annotated[
        Path,
        Argument(
            help="A labelled list (URL or file, tab, place), a web directory (RDF), a folder with "
            "a subfolder for each place, or a crawl's directory.",
            parser=local_directory,
            metavar="SOURCE",
        ),
    ],
    output: Annotated[Path, Option("--output", "-o", help="The model file to write.")],
    job: Annotated[
        Path | None,
        Option(help="A job whose targets are the classes, instead of the source's places."),
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Train the classifier of the collaboration "classifier".

    It assigns links to nodes by the words of their page. A labelled list has a line per page: a
    URL (which is fetched) or a file, folder or WARC (relative to the list), a tab, and the page's
    place: a name as in a job, a GeoNames id, or - for none. The pages of a web directory (Curlie,
    ODP) are labelled by their topics and fetched, those of a crawl by their addresses. A model
    knows places, so it serves any job: name it in collaboration.model.

        toponaut train cities.tsv -o cities.model
        toponaut train oldenburg/ -o oldenburg.model --json
    """
    from toponaut.job import load
    from toponaut.strategy.learning.training import train as run

    wanted = load(read_text(job), str(job)) if job else None
    with ProgressBar("Reading", quiet) as bar:

        def update(done: int, total: int) -> None:
            bar.update(done, total, "Reading" if done < total else "Learning")

        trained = run(source, output, wanted, bar.report, update)
    if json:
        print_json(trained)
    else:
        sys.stdout.write(_in_words(output, trained))


def learn(
    source: Annotated[
        Path,
        Argument(
            help="A crawl's directory, or a list of pages (URL or file, tab, yes or no).",
            parser=local_directory,
            metavar="SOURCE",
        ),
    ],
    terms: Annotated[int, Option(min=1, max=1000, help="Interests to learn.")] = 20,
    job: Annotated[
        Path | None,
        Option(help="Start with this job's interests, instead of those of the crawl's job."),
    ] = None,
    alpha: Annotated[float, Option(min=0, help="Weight of the initial interests.")] = 1.0,
    beta: Annotated[float, Option(min=0, help="Weight of the relevant pages.")] = 0.75,
    gamma: Annotated[
        float, Option(min=0, help="Weight of the other pages, which is subtracted.")
    ] = 0.15,
    least: Annotated[int, Option(min=1, help="Relevant pages that a new term must be in.")] = 2,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Learn interests from relevant and other pages (Rocchio), and print them for a job.

    A crawl's log says which pages are relevant. A list has a line per page: a URL (which is
    fetched), a file, folder or WARC (relative to the list), a tab, and yes or no.

        toponaut interests learn oldenburg/ --terms 10
        toponaut interests learn judged.tsv --json
    """
    from toponaut.strategy.learning.interests import InterestsRequest
    from toponaut.strategy.learning.interests import learn as run
    from toponaut.strategy.learning.rocchio import Factors

    initial = _ordering_section(job).interests if job else None
    request = InterestsRequest(terms, initial, Factors(alpha, beta, gamma), least)
    with ProgressBar("Reading", quiet) as bar:
        learned = run(source, request, bar.report, bar.update)
    if json:
        print_json(learned)
    else:
        sys.stdout.write(_as_toml(learned))


def rank(
    directory: CrawlDirectory,
    job: Annotated[
        Path | None, Option(help="Use this job's interests, instead of those of the crawl's job.")
    ] = None,
    limit: Annotated[int, Option("--limit", "-n", min=1, help="Pages to show.")] = 20,
    soonest: Annotated[
        float, Option(min=0.01, help="Days between visits of the heaviest page.")
    ] = 1.0,
    latest: Annotated[
        float, Option(min=0.01, help="Longest time between visits of a page, in days.")
    ] = 30.0,
    due: Annotated[
        float | None, Option(min=0, help="Only pages due for a visit within this many days.")
    ] = None,
    seeds: Annotated[bool, Option("--seeds", help="Print the pages as seeds for a job.")] = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Rank a crawl's pages by the interests, and say how often each is worth a visit.

    A page with half the weight is visited half as often. To visit the pages that are due, crawl
    them as seeds with --since: pages that have not changed cost servers nothing.

        toponaut interests rank april/ --limit 100
        toponaut interests rank april/ --due 7 --limit 1000 --seeds
    """
    from toponaut.strategy.learning.interests import rank as run

    if latest < soonest:
        raise InputError(
            f"--latest {latest:g} is sooner than --soonest {soonest:g}",
            "Give the longer time to --latest",
        )
    section = _ordering_section(job) if job else None
    with ProgressBar("Reading", quiet) as bar:
        ranked = run(directory, section, (soonest, latest), bar.update)
    shown = [page for page in ranked if due is None or page.days <= due][:limit]
    if seeds:
        sys.stdout.write(_as_seeds(shown))
    elif json:
        for page in shown:
            print_json(page)
    else:
        _print_ranked(shown)


def queries(
    directory: CrawlDirectory,
    region: Annotated[
        str, Option(help="The region of the readers. Without it: clients of no region.")
    ] = "",
    terms: Annotated[int, Option(min=1, help="Terms to print.")] = 20,
    json: Json = False,
) -> None:
    """Print the interests that queries show, and how they have shifted in the last week.

    Needs the counts of `toponaut serve DIR --count-queries`.

        toponaut interests queries oldenburg/ --region north
    """
    from toponaut.app.query_counts import FILE, query_interests, read_counts, shifts

    counts = read_counts(directory / FILE)
    interests = query_interests(counts, region, terms)
    if not interests:
        whose = f'the region "{region}"' if region else "clients of no region"
        raise InputError(
            f"{directory / FILE} has no words of {whose}",
            "Run `toponaut serve DIR --count-queries`, or name another --region",
        )
    shifted = shifts(counts, region)[:terms]
    if json:
        print_json({"interests": interests, "shifts": [one._asdict() for one in shifted]})
        return
    from toponaut.job.writing import to_toml

    print(f"interests = {to_toml(interests)}")
    for one in shifted:
        print(f"# {one.word}: {one.before:.1%} of the words before, {one.now:.1%} in the last week")


def _in_words(output: Path, trained: "TrainingResult") -> str:
    lines = [f"{output}: {sum(trained.pages.values()):,} pages, {trained.words:,} words"]
    wide = max(map(len, trained.pages))
    lines += [f"  {name:<{wide}}  {pages:>7,}" for name, pages in trained.pages.items()]
    if trained.accuracy is None:
        lines.append("Too few pages to hold some out and test the model.")
    else:
        lines.append(
            f"Held-out pages classified correctly: {trained.accuracy:.1%} "
            f"(largest class: {trained.largest:.1%})"
        )
    return "\n".join(lines) + "\n"


def _ordering_section(job: Path) -> "OrderingSection":
    """The section of a job that has its interests."""
    from toponaut.job import load

    section = load(read_text(job), str(job)).ordering
    if not section.interests:
        raise InputError(
            f"{job} has no interests", "Add interests = { tehran = 2, iran = 4 } to its [ordering]"
        )
    return section


def _as_toml(learned: "InterestsResult") -> str:
    from toponaut.job.writing import to_toml

    pages = f"# Learned from {learned.relevant:,} relevant pages and {learned.others:,} others."
    interests = f"interests = {to_toml(learned.interests)}"
    return f'{pages}\n[ordering]\nstrategy = "interest"\n{interests}\n'


def _as_seeds(pages: list["RankedPage"]) -> str:
    from toponaut.job.writing import to_toml

    return "\n".join(["seeds = [", *(f"  {to_toml(page.url)}," for page in pages), "]"]) + "\n"


def _print_ranked(pages: list["RankedPage"]) -> None:
    table = make_table("weight", "every", "page", "interests")
    for page in pages:
        terms = ", ".join(f"{term} {tf}x" for term, tf in list(page.terms.items())[:5])
        table.add_row(f"{page.weight:.3g}", f"{page.days:.1f} days", page.url, terms)
    print_table(table)


COMMANDS = (train,)
INTERESTS_COMMANDS = (learn, rank, queries)
