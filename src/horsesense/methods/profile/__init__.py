"""The profile: all methods' own material asked of one model, and each score held against what could explain it away."""
