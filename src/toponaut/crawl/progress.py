"""A crawl at one moment, for people and programs who watch it."""

from msgspec import Struct


class NodeProgress(Struct, frozen=True):
    """One node at one moment."""

    node: str
    pages: int
    relevant: int
    queued: int
    hosts: int  # known
    resting: int  # hosts with links whose time has not come
    busy: int  # hosts being asked
    faults: int  # requests that brought no page
    sent: int  # links to other nodes


class Progress(Struct, frozen=True):
    """The whole crawl at one moment."""

    time: float  # Unix; simulated on a replayed web
    seconds: float  # since this run began
    pages: int
    relevant: int
    harvest: float
    addresses: int
    queued: int
    seen: int
    hosts: int
    resting: int
    busy: int
    faults: int
    received: int
    sent: int  # links from one node to another
    messages: int  # that carried them
    message_bytes: int
    outcomes: dict[str, int]
    refused: dict[str, int]
    nodes: tuple[NodeProgress, ...]
