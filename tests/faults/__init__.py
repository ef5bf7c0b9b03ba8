"""Faults by injection: the n-th write, sync, rename or open fails, or the process is killed there, for every n in turn."""
