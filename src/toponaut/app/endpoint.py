"""An endpoint of the API: where, what it takes, what it gives. The routes and the description of the API are made from these."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toponaut.app import asked
from toponaut.app.sending import JSON, as_json
from toponaut.app.site import Site


class Endpoint(Struct, frozen=True):
    """`give` gets the site and the parameters, and gives a value that becomes JSON."""

    path: str
    about: str
    takes: type[Struct]
    gives: Any  # a type that msgspec knows
    give: Callable[[Site, Any], object]
    media: str = JSON

    def route(self, site: Site) -> Route:
        def answer(
            request: Request,
        ) -> Response:  # not async: it runs in a thread, and the loop goes on
            said = asked.read(request.query_params, self.takes)
            return as_json(request, self.give(site, said), self.media)

        return Route(self.path, answer, methods=["GET"])
