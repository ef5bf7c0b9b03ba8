"""What tests share: tiny models, small files in the formats of releases, references in plain loops."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The repository."""
