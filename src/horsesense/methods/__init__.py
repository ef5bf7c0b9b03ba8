"""The methods: one package per paper, and one for our starter probe.

A package has the method's material, its builder, its pipeline, the readers of its released files and its table,
in files named after the steps of the paper; each package docstring is the map. `releases` is what readers of
published files share, and the list of them by name.
"""
