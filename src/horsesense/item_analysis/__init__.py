"""Item analysis: what each item of a probe is worth, from the answers of many models."""
