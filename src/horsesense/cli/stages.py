"""Work that goes in stages: see `horsesense.cli.progress`."""

from horsesense.cli.progress import stages

__all__ = ["stages"]
