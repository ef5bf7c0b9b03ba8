"""Which concepts of a source are parts of which, by the first word of each."""

from __future__ import annotations

from horsesense.knowledge.sources import open_graph
from horsesense.knowledge.store import reading_store

_QUERY = """
select c.number, t.target from triples t join concepts c on c.source = t.source and c.number = t.concept
where t.source = ? and t.relation = 'part' order by c.number, t.number
"""


def part_links(source: str = "wordnet") -> list[tuple[str, str]]:
    """Whole and part, words with spaces, in the source's own case; a source that is not there is an error."""
    graph = open_graph(source)
    with reading_store() as connection:
        rows = connection.execute(_QUERY, [source]).fetchall()
    return [
        (graph.lemmas[whole][0], graph.lemmas[graph.number[part]][0])
        for whole, part in rows
        if graph.lemmas[whole] and graph.lemmas[graph.number[part]]
    ]
