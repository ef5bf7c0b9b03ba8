"""The server: one study, a queue of leases, an append-only log of judgements, and the pages that people see."""
