"""By classifier: the territory that the page's words indicate (Gao, Lee and Miao 2006, 3.4.4).

The classes are the territories and "none". `toponaut train` makes the model (text_bayes.py). It
counts words by place, so it works with any territories; places outside all targets are "none".

With `blocks` the words of a link's own block of the DOM (list item, table row, paragraph) count
BLOCK_TIMES as well, so that the links of a page may go to several territories. The paper leaves
features of the DOM to future work (section 6).
"""

from collections.abc import Callable, Sequence

from toponaut.errors import InputError
from toponaut.job.owners import OwnerTable, Policy
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import JudgedPage, Link
from toponaut.strategy.collaboration import Assignment, Collaboration
from toponaut.strategy.learning.text_bayes import Opinion, TextBayes, WordCounts, load
from toponaut.strategy.setting import Setting

# Policy B takes every place of non-zero probability. Naive Bayes never gives 0, so we cut here.
LEAST = 0.001
_SHOWN_WORDS = 3  # in a reason
BLOCK_TIMES = 10  # set by hand: a block has about a tenth of a page's words
_FIX = "Train one with `toponaut train LIST -o MODEL` and set collaboration.model to it"


class ByClassifier(Collaboration):
    """The links of a page go to the territory that its words indicate."""

    def __init__(
        self, model: TextBayes, owners: OwnerTable, policy: Policy, *, blocks: bool = False
    ) -> None:
        """`model`: its classes are the nodes in their order, and then "none"."""
        self._model, self._owners, self._policy, self._blocks = model, owners, policy, blocks

    def assign(self, judged: JudgedPage, links: Sequence[Link]) -> list[Assignment]:
        if not links:
            return []
        whole, text = self._opinion(judged), judged.page.text
        blocks = [_block(text, link) if self._blocks else "" for link in links]
        verdicts = {block: self._verdict(self._with_block(whole, block)) for block in set(blocks)}
        return [
            Assignment(owners or (self._owners.unclaimed(link.url),), why)
            for link, (owners, why) in zip(links, map(verdicts.__getitem__, blocks), strict=True)
        ]

    def _with_block(self, whole: Opinion, block: str) -> Opinion:
        return self._model.join(whole, self._model.judge(block), BLOCK_TIMES) if block else whole

    def _verdict(self, opinion: Opinion) -> tuple[tuple[str, ...], str]:
        """The owners of links with this opinion, () for general nodes, and why."""
        if not len(opinion.words):
            return (), "the model knows none of the page's words"
        nodes = self._nodes(opinion)
        if nodes:
            owners = tuple(self._owners.geographic[node] for node in nodes)
            return owners, self._why(opinion, nodes)
        return (), f"the page's words indicate no territory ({opinion.chances[-1]:.2f})"

    def chances(self, judged: JudgedPage) -> list[float]:
        """The probability of each node's territory; [] if the model knows none of the words."""
        opinion = self._opinion(judged)
        return opinion.chances[:-1].tolist() if len(opinion.words) else []

    def _opinion(self, judged: JudgedPage) -> Opinion:
        page = judged.page
        return self._model.judge(f"{page.title}\n\n{page.text}" if page.title else page.text)

    def _nodes(self, opinion: Opinion) -> list[int]:
        """The nodes that a page is for, most probable first."""
        chances = opinion.chances.tolist()
        ranked = sorted(range(len(chances)), key=lambda node: -chances[node])
        none = len(chances) - 1
        if self._policy == "A":
            return [ranked[0]] if ranked[0] != none else []
        return [node for node in ranked if node != none and chances[node] >= LEAST]

    def _why(self, opinion: Opinion, nodes: Sequence[int]) -> str:
        """ "the page's words indicate Cn2 (0.93): 'alki', 'puget', 'seahawks'"."""
        chances = opinion.chances
        found = ", ".join(
            f"{self._owners.geographic[node]} ({chances[node]:.2f})" for node in nodes
        )
        strongest = self._model.strongest(opinion, nodes[0], _SHOWN_WORDS)
        words = ", ".join(f"'{word}'" for word in strongest)
        return f"the page's words indicate {found}" + (f": {words}" if words else "")


def _block(text: str, link: Link) -> str:
    """The line of a link: a list item, a table row, a paragraph; "" if it has no text."""
    if link.start < 0:
        return ""
    start, end = text.rfind("\n", 0, link.start) + 1, text.find("\n", link.end)
    return text[start:end] if end >= 0 else text[start:]


def build(setting: Setting) -> ByClassifier:
    section = setting.job.collaboration
    if not section.model:
        raise InputError(
            "the classifier needs a trained model, but collaboration.model is empty", _FIX
        )
    try:
        model = load(setting.read(section.model))
        opened = _open(model, setting.names.gazetteer, setting.owners)
    except InputError as error:
        raise InputError(error.cause, _FIX) from error
    except ValueError as error:
        raise InputError(f"{section.model} is not a usable model: {error}", _FIX) from error
    return ByClassifier(opened, setting.owners, section.policy, blocks=section.blocks)


def classify_places(setting: Setting) -> Callable[[str], int]:
    """A function that gives a text the id of its most probable place, 0 for none (Table 11)."""
    model = load(setting.read(setting.job.collaboration.model))
    every = range(len(model.places))
    opened = TextBayes(setting.names.gazetteer.names.tokeniser, model, every, len(every))

    def classify(text: str) -> int:
        opinion = opened.judge(text)
        return model.places[int(opinion.chances.argmax())] if len(opinion.words) else 0

    return classify


def _open(model: WordCounts, gazetteer: Gazetteer, owners: OwnerTable) -> TextBayes:
    """The model for the territories of a crawl. A ValueError means that it knows none of them."""
    none = len(owners.geographic)
    class_of = [_class_of(place, gazetteer, owners, none) for place in model.places]
    if all(number == none for number in class_of):
        raise ValueError("it knows no place in the job's targets")
    return TextBayes(gazetteer.names.tokeniser, model, class_of, none + 1)


def _class_of(place: int, gazetteer: Gazetteer, owners: OwnerTable, none: int) -> int:
    try:
        node = int(owners.node_of[gazetteer.row(place)])
    except KeyError:  # 0, or a place of an older gazetteer
        return none
    return node if node >= 0 else none
