"""Suites: several sets asked together and summed up in the row of a paper's table."""
