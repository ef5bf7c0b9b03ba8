"""Files: atomic writes, the artifact store, text, tables, checked fields, pinned downloads."""

from horsesense.data.disk import (
    cache_folder,
    disk_errors,
    refuse_devices,
    sha256_of_bytes,
    sha256_of_file,
    write_file,
    writing,
    writing_folder,
)
from horsesense.data.fields import FieldProblem, NonBlank, Positive, check_fields, check_json
from horsesense.data.table_formats import json_elements
from horsesense.data.tables import read_table
from horsesense.data.text import numbered_lines, read_bytes, read_text, shipped_toml

__all__ = [
    "FieldProblem",
    "NonBlank",
    "Positive",
    "cache_folder",
    "check_fields",
    "check_json",
    "disk_errors",
    "json_elements",
    "numbered_lines",
    "read_bytes",
    "read_table",
    "read_text",
    "refuse_devices",
    "sha256_of_bytes",
    "sha256_of_file",
    "shipped_toml",
    "write_file",
    "writing",
    "writing_folder",
]
