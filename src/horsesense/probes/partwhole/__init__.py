"""Part-whole adjectives: does what is said of the whole hold for the part? (Mullenbach et al., EMNLP 2019)."""

from horsesense.probes.partwhole.recipe import Plan, build_partwhole

__all__ = ["Plan", "build_partwhole"]
