"""What is kept: manifest, append-only answers, cache, resume."""
