"""Network faults as an Outcome with the cause in words.

A name server that says "no such name" is believed. One that fails is a fault of the connection, and
so is a lookup that this machine has no memory or files for.
"""

import socket
import ssl

from aiohttp import (
    ClientConnectorDNSError,
    ClientConnectorError,
    ClientError,
    ClientHttpProxyError,
    ClientPayloadError,
    ClientSSLError,
    ConnectionTimeoutError,
    InvalidURL,
    ServerDisconnectedError,
    SocketTimeoutError,
)
from aiohttp.http import HttpProcessingError

from toponaut.job import PolitenessSection
from toponaut.records import Outcome
from toponaut.web.http.connections import DroppedError
from toponaut.web.http.guard import PrivateAddressError

_NO_SUCH_NAME = (socket.EAI_NONAME, socket.EAI_NODATA)


def outcome_of_fault(
    fault: Exception, politeness: PolitenessSection, *, answered: bool, seconds: float
) -> tuple[Outcome, str]:
    """The outcome of a fault after some seconds. `answered`: the head had arrived."""
    if isinstance(fault, TimeoutError):
        return Outcome.TIMEOUT, _timeout(fault, politeness, seconds)
    if isinstance(fault, ClientConnectorError):
        return _no_connection(fault)
    if isinstance(fault, ClientHttpProxyError):
        return Outcome.NO_CONNECTION, f"the proxy answered {fault.status} {fault.message}".rstrip()
    if isinstance(fault, HttpProcessingError):
        return Outcome.BROKEN, f"invalid HTTP: {_first_line(fault.message)}"
    if isinstance(fault, InvalidURL):
        return Outcome.NO_HOST, "invalid host name"
    if isinstance(fault, ClientPayloadError) or (
        answered and isinstance(fault, ClientError | OSError)
    ):
        return Outcome.BROKEN, "the answer was cut short"
    if isinstance(fault, DroppedError | ServerDisconnectedError | OSError):
        if fault.args and not isinstance(fault.args[0], str | int):  # a part of the head
            return Outcome.BROKEN, "the answer was cut short in its head"
        return Outcome.NO_CONNECTION, "the connection was closed before an answer"
    return Outcome.BROKEN, f"{type(fault).__name__}: {_first_line(str(fault))}"


def _timeout(fault: TimeoutError, politeness: PolitenessSection, seconds: float) -> str:
    if isinstance(fault, ConnectionTimeoutError):
        return f"no connection within {politeness.connect_timeout:g} s"
    if isinstance(fault, SocketTimeoutError):
        return f"silent for {politeness.read_timeout:g} s"
    if seconds < politeness.total_timeout - 1.0:  # crowd.py
        return f"ended for other requests after {seconds:.0f} s"
    return f"not done within {politeness.total_timeout:g} s"


def _no_connection(fault: ClientConnectorError) -> tuple[Outcome, str]:
    cause = fault.os_error
    if isinstance(cause, PrivateAddressError):
        return Outcome.PRIVATE, str(cause)
    if isinstance(fault, ClientSSLError):
        return Outcome.NO_TLS, _tls(fault)
    unknown = isinstance(fault, ClientConnectorDNSError) and cause.errno in _NO_SUCH_NAME
    reason = cause.strerror or str(cause)
    return Outcome.NO_HOST if unknown else Outcome.NO_CONNECTION, reason.lower()


def _tls(fault: ClientSSLError) -> str:
    """The reason without OpenSSL's brackets: "certificate has expired", "wrong version number"."""
    cause = fault.__cause__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return cause.verify_message
    reason = getattr(cause, "reason", None)
    return reason.replace("_", " ").lower() if isinstance(reason, str) else _first_line(str(cause))


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0].rstrip(":")
