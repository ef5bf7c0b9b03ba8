"""Where the key word stands: the words in which the options of an item differ (CATs, table 4)."""

from __future__ import annotations

from collections.abc import Sequence

from horsesense.language.words import word_spans


def key_place(options: Sequence[str]) -> tuple[float, str] | None:
    """The middle of the stretch of words that differs, from 0 (beginning) to 1 (end), and those words.

    It is told on the first option; None where the options are the same or share no word.

    >>> key_place(["Ida put a lid on the jar, but the lid slid.", "Ida put a lid on the jar, but the jar slid."])
    (0.8333333333333334, 'lid')
    """
    words = [[option[start:end] for start, end in word_spans(option)] for option in options]
    shortest = min(map(len, words))
    first = next((n for n in range(shortest) if len({each[n] for each in words}) > 1), shortest)
    rest = shortest - first
    last = next((n for n in range(rest) if len({each[-1 - n] for each in words}) > 1), rest)
    shown = words[0]
    if len({*map(tuple, words)}) == 1 or first + last == 0:
        return None
    stop = len(shown) - last
    middle = (first + max(first, stop - 1)) / 2
    return middle / (len(shown) - 1) if len(shown) > 1 else 0.0, " ".join(shown[first:stop])


def third_of(position: float) -> str:
    """The third of a sentence that a position is in.

    >>> third_of(0.1), third_of(0.5), third_of(1.0)
    ('beginning', 'middle', 'end')
    """
    return ("beginning", "middle", "end")[min(2, int(position * 3))]
