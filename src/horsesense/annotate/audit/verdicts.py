"""What judgements of options say of an item: sound, or bad for a reason; and what can be got right of it at best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

NONSENSE = "nonsense"
SOUND = "sound"
WRONG_KEY, UNCLEAR_KEY, SECOND_TRUE, SENSELESS = "wrong key", "unclear key", "another true option", "makes no sense"
REASONS = (WRONG_KEY, UNCLEAR_KEY, SECOND_TRUE, SENSELESS)


def verdict(codes: str, key: int) -> str:
    """Sound, or why it is bad. ``codes`` has T, F or U for each option, or is ``nonsense``.

    >>> verdict("FTFFF", 1), verdict("TTFFF", 1), verdict("TFFFF", 1), verdict("FUFFF", 1), verdict("nonsense", 1)
    ('sound', 'another true option', 'wrong key', 'unclear key', 'makes no sense')
    """
    if codes == NONSENSE:
        return SENSELESS
    if codes[key] == "F":
        return WRONG_KEY
    if codes[key] == "U":
        return UNCLEAR_KEY
    return SECOND_TRUE if codes.count("T") > 1 else SOUND


def reachable(codes: str, key: int, options: int) -> float:
    """What somebody who knows everything is expected to earn: of two right options half, of a wrong key none; where
    it makes no sense or nothing is known to be true, what chance gives.

    >>> reachable("FTF", 1, 3), reachable("TTF", 1, 3), reachable("TFF", 1, 3), reachable("FUF", 1, 3)
    (1.0, 0.5, 0.0, 0.3333333333333333)
    """
    if codes == NONSENSE:
        return 1 / options
    if codes[key] == "T":
        return 1 / codes.count("T")
    if codes[key] == "U":
        return 0.0 if "T" in codes else 1 / options
    return 0.0


def majority(codes: Sequence[str]) -> str:
    """What several readers say together, option by option; a tie is unclear.

    >>> majority(["TFF", "TTF", "TFU"]), majority(["TF", "FF"]), majority(["nonsense", "nonsense", "TF"])
    ('TFF', 'UF', 'nonsense')
    """
    judged = [each for each in codes if each != NONSENSE]
    if 2 * len(judged) < len(codes) or not judged:
        return NONSENSE
    return "".join(_most(column) for column in zip(*judged, strict=True))


def _most(votes: Sequence[str]) -> str:
    (first, count), *rest = Counter(votes).most_common()
    return "U" if rest and rest[0][1] == count else first
