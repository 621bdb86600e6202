"""The shared process pool: results, order, laziness, and processes that die."""

import os
from operator import neg

import pytest

from toponaut.errors import InputError
from toponaut.page.processes import process_pool


def test_results_come_with_their_index_or_in_order() -> None:
    with process_pool(2) as pool:
        assert dict(pool.run(neg, range(5))) == {index: -index for index in range(5)}
        assert list(pool.run_in_order(neg, range(50))) == [-number for number in range(50)]


def test_items_are_read_only_as_they_are_needed() -> None:
    items = iter(range(1, 1001))
    with process_pool(2) as pool:
        results = pool.run_in_order(neg, items)
        assert next(results) == -1
        assert next(items) < 20


def test_a_call_that_raises_raises_here() -> None:
    with process_pool(1) as pool, pytest.raises(ZeroDivisionError):
        list(pool.run((1).__truediv__, [0]))


@pytest.mark.parametrize("method", ["run", "run_in_order"])
def test_a_killed_process_is_reported_with_the_option_to_lower(method: str) -> None:
    with (
        pytest.raises(InputError, match=r"a worker process was killed.*lower --jobs"),
        process_pool(2, "--jobs") as pool,
    ):
        list(getattr(pool, method)(os._exit, [1, 1]))
