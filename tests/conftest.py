"""What many tests share: the compiled world, opened once."""

import pytest
from hypothesis import settings

from toponaut.data.cache import open_gazetteer, open_names, open_wordnet
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names import NameFinder

settings.register_profile("untimed", deadline=None)  # machines are busy: no test may fail by the clock
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def gazetteer() -> Gazetteer:
    return open_gazetteer()


@pytest.fixture(scope="session")
def finder() -> NameFinder:
    return open_names()


@pytest.fixture(scope="session")
def wordnet() -> Gazetteer:
    return open_wordnet()
