"""The starter probe: minimal pairs of our own, shipped with the package (see docs/guides/own-probe.md)."""

from horsesense.registry import Method

_HERE = "horsesense.methods.starter"

METHOD = Method(
    name="starter",
    probes={"starter": f"{_HERE}.probe:starter_probe"},
)
"""What this package adds to the program."""
