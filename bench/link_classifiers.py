"""Classifiers of links beside each other, for training sets of several sizes (Ahlers, Boll 2009).

    pip install scikit-learn
    python -m bench.link_classifiers [--pages 300] [--first 81] [--webs 4] [--out FILE.json]

The links of a blind crawl around Oldenburg are labelled by the synthetic web's truth: does the link
lead to a page with an address there? The last third of the pages is tested, with training on the
first links of the rest. Naive Bayes is ours (link_bayes.py); logistic regression and the linear SVM
are scikit-learn's, which is used nowhere else. All see the same terms. Average precision: 1 if all
links to relevant pages come first, the share of relevant links by chance.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from typer import Option

from bench.synthetic import DEPTH
from toponaut.page.parse import parse
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.places.names.tokens import Index
from toponaut.records import Response
from toponaut.store.disk import write_whole
from toponaut.strategy.ordering.link_bayes import LinkModels
from toponaut.strategy.ordering.link_terms import ROWS, read_links
from toponaut.synthetic import SyntheticSettings, SyntheticWeb
from toponaut.synthetic.truth import page_truth

OLDENBURG = 2857458
SIZES = (100, 300, 1000, 3000, 10_000)
Floats = NDArray[np.float64]


class LabelledLink(NamedTuple):
    """The terms of a link, and whether it leads to a relevant page."""

    rows: Index
    relevant: bool


Rank = Callable[[Sequence[LabelledLink], Sequence[LabelledLink]], Floats]  # train, test -> scores


def labelled_links(web: SyntheticWeb, pages: int) -> tuple[list[LabelledLink], list[LabelledLink]]:
    """Links to train with, and links to test, of a breadth-first crawl. Every URL counts once."""
    tokeniser = open_gazetteer().names.tokeniser
    queue = [(url, 0) for url in web.seeds("city", 50, OLDENBURG)]
    seen, found = {url for url, _ in queue}, list[list[LabelledLink]]()
    for url, depth in queue:
        answer = web.page(url)
        if answer.status != 200:
            continue
        page = parse(Response(url, 200, answer.body, dict(answer.headers)["content-type"]))
        new = [link for link in {link.url: link for link in page.links}.values()
               if link.url not in seen]  # fmt: skip
        if not new:
            continue
        seen.update(link.url for link in new)
        queue += [(link.url, depth + 1) for link in new if depth < DEPTH]
        terms = read_links(tokeniser, url, page.text, new)
        spans = pairwise(terms.starts.tolist())
        found.append([
            LabelledLink(terms.rows[start:end], _leads(web, link.url))
            for link, (start, end) in zip(new, spans, strict=True)
        ])  # fmt: skip
        if len(found) == pages:
            break
    cut = len(found) * 2 // 3
    train, test = ([link for some in part for link in some] for part in (found[:cut], found[cut:]))
    return train, test


def _leads(web: SyntheticWeb, url: str) -> bool:
    return any(one.place == OLDENBURG for one in page_truth(web, url).addresses)


def naive_bayes(train: Sequence[LabelledLink], test: Sequence[LabelledLink]) -> Floats:
    models = LinkModels(1)
    for link in train:
        models.learn(link.rows, 1, link.relevant)
    starts = np.cumsum([0, *(len(link.rows) for link in test)])
    judged = models.judge(np.concatenate([link.rows for link in test]), starts)
    return np.asarray(judged.chances[0], np.float64)


def scikit_learn(make: Callable[[], Any]) -> Rank:
    """A classifier of scikit-learn on the same terms."""

    def rank(train: Sequence[LabelledLink], test: Sequence[LabelledLink]) -> Floats:
        labels = [link.relevant for link in train]
        if len(set(labels)) < 2:
            return np.zeros(len(test))
        fitted = make().fit(_matrix(train), labels)
        return np.asarray(fitted.decision_function(_matrix(test)))

    return rank


def _matrix(links: Sequence[LabelledLink]) -> Any:
    csr_matrix = import_module("scipy.sparse").csr_matrix
    starts = np.cumsum([0, *(len(link.rows) for link in links)])
    rows = np.concatenate([link.rows for link in links])
    return csr_matrix((np.ones(len(rows)), rows, starts), shape=(len(links), ROWS))


def average_precision(scores: Floats, relevant: Sequence[bool]) -> float:
    """The mean over relevant links of the precision at their rank; of ties, the first found."""
    order = np.argsort(-scores, kind="stable")
    hits = np.asarray(relevant)[order]
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    return float(precision[hits].mean()) if hits.any() else 0.0


def main(
    pages: int = 300, first: int = 81, webs: int = 4, out: Annotated[Path | None, Option()] = None
) -> None:
    """Print a row for each size of the training set: means over webs. `out`: also as JSON."""
    try:
        regression = import_module("sklearn.linear_model").LogisticRegression
        svm = import_module("sklearn.svm").LinearSVC
    except ImportError:
        raise SystemExit("scikit-learn is not installed: pip install scikit-learn") from None
    ranks: dict[str, Rank] = {
        "naive Bayes": naive_bayes,
        "logistic regression": scikit_learn(lambda: regression(max_iter=300)),
        "linear SVM": scikit_learn(svm),
    }
    found: dict[int, list[list[float]]] = {size: [] for size in SIZES}
    links = 0
    for number in range(first, first + webs):
        web = SyntheticWeb(open_gazetteer(), SyntheticSettings(seed=number))
        train, test = labelled_links(web, pages)
        relevant = [link.relevant for link in test]
        links += len(relevant)
        for size in (size for size in SIZES if size <= len(train)):
            some = train[:size]
            learned = float(sum(link.relevant for link in some))
            scores = [average_precision(rank(some, test), relevant) for rank in ranks.values()]
            found[size].append([learned, *scores, sum(relevant) / len(relevant)])
    head = ("links learned", "of them relevant", *ranks, "by chance")
    rows = [_row(size, some) for size, some in found.items() if len(some) == webs]
    table = Table(*head, title=f"Average precision on {links:,} links of {webs} webs")
    for row in rows:
        table.add_row(*row)
    Console(width=110).print(table)
    if out:
        write_whole(out, msgspec.json.encode((head, rows)))


def _row(size: int, some: Sequence[Sequence[float]]) -> tuple[str, ...]:
    learned, *scores, chance = np.mean(some, axis=0).tolist()
    return (
        f"{size:,}", f"{learned:.0f}", *(f"{score:.3f}" for score in scores), f"{chance:.4f}"
    )  # fmt: skip


if __name__ == "__main__":
    typer.run(main)
