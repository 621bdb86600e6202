"""Commands to the running crawl over HTTP, for the dashboard's buttons.

They are accepted only by a server that has an access token, which RequestGuard has checked by then;
its cookie is not sent along with requests of other sites.
"""

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toponaut.app.responses import as_json, error_response
from toponaut.app.served_crawl import ServedCrawl
from toponaut.crawl.control import ControlCommand, send_command

CONTROL_PATH = "/api/control"
_LONGEST = 20_000  # bytes of a command


def control_route(crawl: ServedCrawl, *, allowed: bool) -> Route:
    """GET says whether commands are accepted; POST gives one."""

    async def control(request: Request) -> Response:
        if request.method != "POST":
            return as_json(request, {"allowed": allowed})
        if not allowed:
            fix = "Start the server with --token, or use `toponaut control`"
            return error_response(request, 403, "this server takes no commands", fix)
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            return error_response(request, 415, "a command is JSON", 'Send {"action": "pause"}')
        try:
            body = await request.body()
            command = msgspec.json.decode(body[:_LONGEST], type=ControlCommand)
        except msgspec.MsgspecError:
            return error_response(
                request, 400, "the command cannot be read", 'Send {"action": "pause"}'
            )
        done = await run_in_threadpool(send_command, crawl.root, command.action, command.values)
        return as_json(request, {"done": done})

    return Route(CONTROL_PATH, control, methods=["GET", "POST"])
