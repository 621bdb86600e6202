"""By classifier: the territory that the words of the page with the link speak for (Gao, Lee and Miao 2006, section 3.4.4).

The classes are the territories, and "none". The model (text_bayes.py) was trained by `toponaut train`; it counts words
by place, so it is opened for whatever territories the job has. What it knows of places in no target counts as "none".
"""

from collections.abc import Sequence

from toponaut.errors import InputError
from toponaut.job.owners import OwnerTable, Policy
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import JudgedPage, Link
from toponaut.strategy.collaboration.protocol import Assignment, Collaboration
from toponaut.strategy.learning.text_bayes import Opinion, TextBayes, WordCounts, load
from toponaut.strategy.setting import Setting

# Policy B asks for every place of non-zero probability, and naive Bayes gives none of 0: it counts from here on.
LEAST = 0.001
_TOLD = 3  # words that a reason shows
_CURE = "Make one with `toponaut train LIST -o MODEL` and set collaboration.model to it"


class ByClassifier(Collaboration):
    """All links of a page go to the territory that its words speak for."""

    def __init__(self, model: TextBayes, owners: OwnerTable, policy: Policy) -> None:
        """`model`: opened for the territories in the order of their nodes, and "none" as the last class."""
        self._model, self._owners, self._policy = model, owners, policy

    def assign(self, judged: JudgedPage, links: Sequence[Link]) -> list[Assignment]:
        if not links:
            return []
        opinion = self._opinion(judged)
        nodes = self._nodes(opinion)
        if nodes:
            owners = tuple(self._owners.geographic[node] for node in nodes)
            return [Assignment(owners, self._why(opinion, nodes))] * len(links)
        why = "the page has no word that the model knows"
        if len(opinion.words):
            why = f"the page's words speak for no territory ({opinion.chances[-1]:.2f})"
        return [Assignment((self._owners.unclaimed(link.url),), why) for link in links]

    def chances(self, judged: JudgedPage) -> list[float]:
        """How probable each territory is, in the order of the nodes; nothing if the page has no word that is known."""
        opinion = self._opinion(judged)
        return opinion.chances[:-1].tolist() if len(opinion.words) else []

    def _opinion(self, judged: JudgedPage) -> Opinion:
        page = judged.page
        return self._model.judge(f"{page.title}\n\n{page.text}" if page.title else page.text)

    def _nodes(self, opinion: Opinion) -> list[int]:
        """The nodes that a page is for, likeliest first."""
        if not len(opinion.words):
            return []  # how many pages a territory had in training says nothing about this one
        chances = opinion.chances.tolist()
        ranked = sorted(range(len(chances)), key=lambda node: -chances[node])
        none = len(chances) - 1
        if self._policy == "A":
            return [ranked[0]] if ranked[0] != none else []
        return [node for node in ranked if node != none and chances[node] >= LEAST]

    def _why(self, opinion: Opinion, nodes: Sequence[int]) -> str:
        """ "the page's words speak for Cn2 (0.93): 'alki', 'puget', 'seahawks'"."""
        told = ", ".join(
            f"{self._owners.geographic[node]} ({opinion.chances[node]:.2f})" for node in nodes
        )
        words = ", ".join(f"'{word}'" for word in self._model.strongest(opinion, nodes[0], _TOLD))
        return f"the page's words speak for {told}" + (f": {words}" if words else "")


def build(setting: Setting) -> ByClassifier:
    chosen = setting.job.collaboration
    if not chosen.model:
        raise InputError(
            "the classifier needs a trained model, and collaboration.model names none", _CURE
        )
    try:
        model = load(setting.read(chosen.model))
        opened = _open(model, setting.names.gazetteer, setting.owners)
    except InputError as error:
        raise InputError(error.cause, _CURE) from error
    except ValueError as error:
        raise InputError(
            f"{chosen.model} cannot be used as a classifier's model: {error}", _CURE
        ) from error
    return ByClassifier(opened, setting.owners, chosen.policy)


def _open(model: WordCounts, gazetteer: Gazetteer, owners: OwnerTable) -> TextBayes:
    """The model for the territories of a crawl. A ValueError says that it knows none of them."""
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
