"""A local HTTP service for tests: a function answers every request."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit


class ServiceRequest(NamedTuple):
    path: str
    fields: dict[str, str]  # of the query and of the form in the body
    agent: str


class ServiceReply(NamedTuple):
    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


Answer = Callable[[ServiceRequest], ServiceReply]


@contextmanager
def service(answer: Answer) -> Iterator[tuple[str, list[ServiceRequest]]]:
    """The address of a service that answers so, and the requests that it got."""
    requests: list[ServiceRequest] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply("")

        def do_POST(self) -> None:
            self._reply(self.rfile.read(int(self.headers["Content-Length"])).decode())

        def _reply(self, form: str) -> None:
            split = urlsplit(self.path)
            fields = parse_qs(split.query) | parse_qs(form)
            agent = self.headers["User-Agent"]
            asked = ServiceRequest(split.path, {k: v[0] for k, v in fields.items()}, agent)
            requests.append(asked)
            reply = answer(asked)
            self.send_response(reply.status)
            for key, value in reply.headers:
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
