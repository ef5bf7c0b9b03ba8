"""Find items from the same sentence: clusters for intervals, splits and leak checks."""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from horsesense.lexicons.words import words

_LONGEST = 60


def sentence_key(text: str) -> str:
    """A name for a sentence that does not depend on case, spaces or punctuation.

    >>> sentence_key("The moth wore a hat.") == sentence_key(" the moth wore a hat")
    True
    """
    plain = " ".join(words(text)) or text.strip()
    if len(plain) <= _LONGEST:
        return plain
    return f"{plain[: _LONGEST - 12]}~{hashlib.sha256(plain.encode()).hexdigest()[:8]}"


def shared_start(texts: Sequence[str]) -> str:
    """What all texts begin with.

    >>> shared_start(["He sits. He eats.", "He sits. He reads."])
    'He sits. He '
    """
    # Of sorted texts the first and the last differ soonest.
    low, high = min(texts), max(texts)
    index = next((n for n, pair in enumerate(zip(low, high, strict=False)) if pair[0] != pair[1]), len(low))
    return low[:index]


def alike(bags: Sequence[Collection[str]], share: float = 0.5) -> Iterator[tuple[int, int]]:
    """Pairs of bags of words that have at least ``share`` of their words in common (Jaccard).

    Two such bags must meet in one of their rarest words, so only those are compared.

    >>> list(alike([{"fish", "ate", "worm", "hungry"}, {"fish", "ate", "worm", "tasty"}, {"a", "dog"}]))
    [(0, 1)]
    """
    frequency = Counter(word for bag in bags for word in bag)
    holders: dict[str, list[int]] = defaultdict(list)
    for index, bag in enumerate(bags):
        rare = sorted(bag, key=lambda word: (frequency[word], word))
        met = set()
        for word in rare[: len(rare) - math.ceil(share * len(rare)) + 1]:
            met.update(holders[word])
            holders[word].append(index)
        for other in sorted(met):
            common = len(set(bag) & set(bags[other]))
            if common >= share * (len(bag) + len(bags[other]) - common):
                yield other, index


def linked(keys: Sequence[Collection[str]], pairs: Iterable[tuple[int, int]] = ()) -> list[str]:
    """Return the cluster of each item: items that share a key, or are a pair, are in one cluster.

    The name is the smallest key of the cluster, so it does not depend on the order of the files.

    >>> linked([{"b"}, {"b", "a"}, {"c"}, {"d"}], [(2, 3)])
    ['a', 'a', 'c', 'c']
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    number = {key: len(keys) + i for i, key in enumerate(dict.fromkeys(key for each in keys for key in each))}
    edges = [(index, number[key]) for index, item_keys in enumerate(keys) for key in item_keys] + [*pairs]
    rows, columns = zip(*edges, strict=True) if edges else ((), ())
    size = len(keys) + len(number)
    links = coo_array(([1] * len(rows), (rows, columns)), shape=(size, size))
    clusters = connected_components(links, directed=False)[1][: len(keys)].tolist()
    least: dict[int, str] = {}
    for cluster, item_keys in zip(clusters, keys, strict=True):
        least[cluster] = min(least.get(cluster, min(item_keys)), *item_keys)
    return [least[cluster] for cluster in clusters]
