"""Engines: where calls are made, in this process, in several processes or on several machines."""

from bamboo.engines.base import Engine
from bamboo.engines.dask import Dask
from bamboo.engines.processes import Processes
from bamboo.engines.slurm import Slurm

SERIAL = Processes()

AnyEngine = Processes | Dask | Slurm

__all__ = ["SERIAL", "AnyEngine", "Dask", "Engine", "Processes", "Slurm"]
