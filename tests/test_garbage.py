"""How the collector of cycles is told to leave a crawl alone."""

import gc

from toponaut.garbage import collecting_seldom


def test_the_collector_is_as_it_was_when_a_crawl_has_ended() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with collecting_seldom():
        assert gc.get_threshold()[0] > before[0]
        assert gc.get_freeze_count() > frozen
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
