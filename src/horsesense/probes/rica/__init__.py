"""RICA: axioms in first-order logic, said in many ways about things nobody has heard of.

Zhou et al., "RICA: Evaluating Robust Inference Capabilities Based on Commonsense Axioms" (EMNLP 2021), section 2.
"""
