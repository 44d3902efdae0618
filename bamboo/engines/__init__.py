"""Engines: where calls are made, in this process, in several processes or on several machines."""

from bamboo.engines.base import Engine
from bamboo.engines.processes import Processes

SERIAL = Processes()

AnyEngine = Processes

__all__ = ["SERIAL", "AnyEngine", "Engine", "Processes"]
