"""Commands for the synthetic web: web serve, web page, web seeds."""

from typing import Annotated

from typer import Argument, Option

from toponaut.cli.options import Json
from toponaut.cli.terminal import print_json

ABOUT = "Serve and inspect the synthetic web: unlimited, reproducible, with real places."
Seed = Annotated[int, Option(min=0, help="Random seed of the synthetic web.")]


def serve(
    port: Annotated[
        int, Option(min=0, max=65_535, help="Port on 127.0.0.1. 0: any free port.")
    ] = 8080,
    seed: Seed = 0,
    patience: Annotated[
        float, Option(min=0, max=10, help="Scales response times. 0 answers at once.")
    ] = 1.0,
) -> None:
    """Serve the synthetic web over HTTP until Ctrl-C: as a proxy, and by Host header.

    toponaut web serve --port 8080 &
    http_proxy=http://127.0.0.1:8080 toponaut crawl job.toml DIR
    http_proxy=http://127.0.0.1:8080 curl "$(toponaut web seeds --count 1)"
    """
    import asyncio

    from toponaut.places.gazetteer.cache import open_gazetteer
    from toponaut.synthetic import SyntheticSettings, SyntheticWeb
    from toponaut.synthetic.serving import serve as run

    made = SyntheticWeb(open_gazetteer(), SyntheticSettings(seed=seed))

    def announce(taken: int) -> None:
        start = made.seeds()[0]
        print(f"http://127.0.0.1:{taken} serves the synthetic web; start at {start}", flush=True)

    asyncio.run(run(made, port, patience=patience, ready=announce))


def page(
    url: Annotated[str, Argument(help="URL of a page of the synthetic web.")],
    seed: Seed = 0,
    body: Annotated[bool, Option("--body", help="Print the page itself.")] = False,
    json: Json = False,
) -> None:
    """Show a page of the synthetic web, and the truth about it.

    toponaut web page "$(toponaut web seeds --count 1)"
    """
    from toponaut.places.gazetteer.cache import open_gazetteer
    from toponaut.synthetic import SyntheticSettings, SyntheticWeb
    from toponaut.synthetic.truth import page_truth

    made = SyntheticWeb(open_gazetteer(), SyntheticSettings(seed=seed))
    answer, known = made.page(url), page_truth(made, url)
    if json:
        print_json({
            "url": url, "status": answer.status, "fault": answer.fault or "",
            "headers": dict(answer.headers), "seconds": answer.seconds, "ip": answer.ip,
            "bytes": len(answer.body), "truth": known,
        })  # fmt: skip
        return
    if answer.fault is not None:
        print(f"{answer.fault.value}: {answer.detail}")
        return
    print(f"{answer.status}, {len(answer.body):,} bytes, {answer.seconds:.2f} s, from {answer.ip}")
    for name, value in answer.headers:
        print(f"{name}: {value}")
    if known.kind:
        print(f"{known.role} of a {known.kind} site ({known.language}): {known.title}")
    for one in known.addresses:
        print(f"address: {one.organisation}: {one.normal}")
    if body:
        print()
        print(answer.body.decode("utf-8", "replace"))


def seeds(
    count: Annotated[int, Option(min=1, max=10_000, help="Number of URLs.")] = 10,
    kind: Annotated[
        str, Option(help="Kind of page: directory, regional, or city (with --place).")
    ] = "directory",
    place: Annotated[str, Option(help='The city, for --kind city: "Oldenburg, DE".')] = "",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Print seed URLs for a crawl of the synthetic web, one per line."""
    from toponaut.job.targets import find_place
    from toponaut.places.gazetteer.cache import open_gazetteer
    from toponaut.synthetic import SyntheticSettings, SyntheticWeb

    gazetteer = open_gazetteer()
    made = SyntheticWeb(gazetteer, SyntheticSettings(seed=seed))
    for url in made.seeds(kind, count, find_place(gazetteer, place).id if place else 0):
        if json:
            print_json({"url": url})
        else:
            print(url)


COMMANDS = (serve, page, seeds)
