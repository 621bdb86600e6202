"""The command that offers a crawl to language models: mcp."""

from typing import Annotated

from typer import Option

from toponaut.api.crawls import Crawl
from toponaut.cli.options import CrawlDirectory
from toponaut.errors import InputError


def mcp(
    directory: CrawlDirectory,
    port: Annotated[
        int,
        Option(
            min=0,
            max=65535,
            help="Serve over HTTP at http://127.0.0.1:PORT/mcp. 0: standard input and output.",
        ),
    ] = 0,
) -> None:
    """Offer a crawl to language models, by the Model Context Protocol (read-only).

    The tools are search, places, page (as Markdown), evidence and explain. They read the crawl and
    never ask the web. Needs the extra: pip install 'toponaut[mcp]'. In the configuration of a
    client, the command is "toponaut" with the arguments "mcp" and the directory.

        toponaut mcp oldenburg/
        toponaut mcp oldenburg/ --port 8765
    """
    try:
        from toponaut.mcp.server import make_server
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        fix = "Install it: pip install 'toponaut[mcp]'"
        raise InputError("the package mcp is not installed", fix) from None
    crawl = Crawl(directory)
    _ = crawl.job  # an InputError if there is no crawl
    server = make_server(crawl)
    if port:
        server.run("streamable-http", host="127.0.0.1", port=port)
    else:
        server.run("stdio")


COMMANDS = (mcp,)
