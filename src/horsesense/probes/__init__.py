"""Questions: one short recipe a method; ``released`` reads the papers' published files."""
