"""Fake servers for trying this program and its peers on the same questions: ``python -m tools.peers``.

A server is one of `STYLES` in ``tests/support/api_styles.py``, as strict as the provider's documentation. It knows a
given share of the questions, so a tool is right if it reports that share.
"""
