"""By hash: URL fingerprint modulo nodes. The baseline of Gao, Lee and Miao 2006 (section 3.3)."""

from collections.abc import Sequence

from toponaut.records import JudgedPage, Link
from toponaut.strategy.collaboration import Assignment, Collaboration
from toponaut.strategy.setting import Setting
from toponaut.urls import fingerprint


class ByHash(Collaboration):
    """The same URL always goes to the same node, wherever it is found."""

    by_url_alone = True

    def __init__(self, nodes: Sequence[str]) -> None:
        why = "the only node" if len(nodes) == 1 else "by the hash of the URL"
        self._answers = [Assignment((node,), why) for node in nodes]

    def assign(self, judged: JudgedPage, links: Sequence[Link]) -> list[Assignment]:  # noqa: ARG002
        answers = self._answers
        if len(answers) == 1:
            return answers * len(links)
        return [answers[fingerprint(link.url) % len(answers)] for link in links]


def build(setting: Setting) -> ByHash:
    return ByHash(setting.owners.nodes)
