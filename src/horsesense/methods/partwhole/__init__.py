"""Part-whole adjectives: does what is said of the whole hold for the part?

Mullenbach, Gordon, Peng, May, "Do Nuclear Submarines Have Nuclear Captains?" (EMNLP 2019). `pairs` and
`adjectives` are mined (sections 3.1 and 3.2), `rules` sift them, `building` makes candidates; `checking` looks
for what is odd in a file of triples. `labels` are the task in fewer labels, `splits` its parts, `inference` the
task as premise and hypothesis (section 5.2). `table` is the paper's table with one's own models in it;
`released` reads the published files and votes.
"""

from horsesense.registry import Method, Reader

_HERE = "horsesense.methods.partwhole"

METHOD = Method(
    name="partwhole",
    citation="Mullenbach, Gordon, Peng, May, Do Nuclear Submarines Have Nuclear Captains?, EMNLP 2019",
    probes={"partwhole-own": f"{_HERE}.own:own_probe"},
    readers={
        "partwhole": Reader(f"{_HERE}.released:read_partwhole"),
        "partwhole-nli": Reader(f"{_HERE}.released:read_partwhole_nli"),
    },
    suites={"partwhole": f"{_HERE}.suite:PARTWHOLE"},
)
"""What this package adds to the program."""
