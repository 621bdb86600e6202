"""The proxies of the environment: http_proxy, https_proxy, no_proxy."""

from contextlib import suppress
from urllib.request import getproxies_environment, proxy_bypass

from yarl import URL

from toponaut.errors import InputError
from toponaut.urls import host_of


class Proxies:
    """Read once, when it is made."""

    def __init__(self) -> None:
        settings = getproxies_environment()
        self._by_scheme: dict[str, URL] = {
            scheme: _proxy_url(scheme, settings[scheme])
            for scheme in ("http", "https")
            if scheme in settings
        }

    def of(self, url: str) -> URL | None:
        """The proxy that a URL is to be asked through, if any."""
        proxy = self._by_scheme.get(url.partition(":")[0]) if self._by_scheme else None
        return None if proxy is None or proxy_bypass(host_of(url)) else proxy


def _proxy_url(scheme: str, address: str) -> URL:
    with suppress(ValueError):
        url = URL(address if "://" in address else f"http://{address}")
        if url.host and url.scheme in ("http", "https"):
            return url
    raise InputError(
        f"{scheme}_proxy is no proxy's address: {address!r}",
        'Write it like "http://proxy.example:3128"',
    )
