"""An ordering of our own: home pages before pages deep inside a site."""

from toponaut.strategy.ordering import Ordering, Rating


class ShortestFirst(Ordering):
    def rate(self, came, judged, links):  # noqa: ARG002
        return [
            Rating(-len(link.url), 0.0, f"a URL of {len(link.url)} characters") for link in links
        ]


def build(_setting):
    return ShortestFirst()
