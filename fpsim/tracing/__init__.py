"""Seeing a head at work: what each query attends to, and every place where rounding mattered."""

from fpsim.tracing.compute import trace
from fpsim.tracing.event import Event
from fpsim.tracing.result import Row, Trace

__all__ = ["Event", "Row", "Trace", "trace"]
