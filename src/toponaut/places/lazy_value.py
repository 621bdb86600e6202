"""A value of an object that is computed when it is first asked for.

As functools.cached_property, but without its lock, which takes as long as many of these values.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

Owner = TypeVar("Owner")
Value = TypeVar("Value")


class lazy_value(Generic[Owner, Value]):  # noqa: N801
    def __init__(self, compute: Callable[[Owner], Value]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, owner: Owner, _: type[Owner]) -> Value:
        value = self._compute(owner)
        owner.__dict__[self._name] = value  # is found before this method from now on
        return value
