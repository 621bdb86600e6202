"""Collaborations: *who* fetches a link. One file each, one small object with one method that matters, no I/O."""

from toponaut.strategy.collaboration.protocol import Assignment, Collaboration

__all__ = ["Assignment", "Collaboration"]
