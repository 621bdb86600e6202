"""The bench that compares classifiers of links, with naive Bayes, which needs no other package."""

import numpy as np
import pytest
from bench.link_classifiers import average_precision, labelled_links, naive_bayes

from toponaut.places.gazetteer import Gazetteer
from toponaut.synthetic import SyntheticSettings, SyntheticWeb


def test_average_precision_by_hand() -> None:
    """Relevant links at ranks 1 and 3: the mean of 1/1 and 2/3."""
    scores = np.array([0.9, 0.1, 0.8, 0.5])
    assert average_precision(scores, [True, False, False, True]) == pytest.approx(5 / 6)
    assert average_precision(scores, [False] * 4) == 0.0


def test_classifiers_learn_which_links_lead_to_the_city(gazetteer: Gazetteer) -> None:
    web = SyntheticWeb(gazetteer, SyntheticSettings(seed=81))
    train, test = labelled_links(web, 60)
    relevant = [link.relevant for link in train]
    assert any(relevant)
    assert len(test) > 500
    scores = naive_bayes(train, train)
    chance = sum(relevant) / len(relevant)
    assert average_precision(scores, relevant) > 3 * chance
