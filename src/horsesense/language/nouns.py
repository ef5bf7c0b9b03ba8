"""Forms of nouns and adjectives in phrases: singular, plural, comparative; only the last word of a noun changes."""

from __future__ import annotations

from functools import cache


@cache
def singular(noun: str) -> str:
    """The noun in the singular; a word that is one already stays as it is.

    >>> singular("window panes"), singular("leaves"), singular("glass"), singular("sheep")
    ('window pane', 'leaf', 'glass', 'sheep')
    """
    import lemminflect

    before, _, last = noun.rpartition(" ")
    lemmas: tuple[str, ...] = lemminflect.getAllLemmas(last, "NOUN").get("NOUN", ())
    if not lemmas:
        # Words that no dictionary has are left alone, but for the plainest plural.
        guessed: tuple[str, ...] = lemminflect.getAllLemmasOOV(last, "NOUN").get("NOUN", (last,))
        lemmas = guessed if last.endswith("s") and not last.endswith(("ss", "us")) else (last,)
    # "leaves" are leaves far more often than several leaves of absence.
    in_f = next((lemma for lemma in lemmas if last.endswith("ves") and lemma.endswith(("f", "fe"))), lemmas[0])
    chosen = last if last in lemmas else in_f
    return f"{before} {chosen}".strip()


@cache
def noun_forms(noun: str) -> tuple[str, ...]:
    """Singular and plural.

    >>> noun_forms("parking lot"), noun_forms("knife"), noun_forms("sheep")
    (('parking lot', 'parking lots'), ('knife', 'knives'), ('sheep',))
    """
    import lemminflect

    before, _, last = noun.rpartition(" ")
    found = dict.fromkeys((last, *lemminflect.getInflection(last, "NNS")))
    return tuple(f"{before} {form}".strip() for form in found)


@cache
def adjective_forms(adjective: str) -> tuple[str, ...]:
    """The adjective with its comparative and superlative, where they are one word and real.

    >>> adjective_forms("old"), adjective_forms("wooden")
    (('old', 'older', 'oldest'), ('wooden',))
    """
    import lemminflect

    from horsesense.language.inflection import comparative_of

    if not comparative_of(adjective):
        return (adjective,)
    compared = (form for tag in ("JJR", "JJS") for form in lemminflect.getInflection(adjective, tag)[:1])
    return tuple(dict.fromkeys((adjective, *compared)))


@cache
def plain_adjective(word: str) -> str:
    """The adjective itself for its comparative or superlative; empty where a word is no adjective, or mostly a verb.

    >>> plain_adjective("oldest"), plain_adjective("wooden"), plain_adjective("holding"), plain_adjective("over")
    ('old', 'wooden', '', '')
    """
    import lemminflect

    from horsesense.language.function_words import FUNCTION_WORDS
    from horsesense.language.inflection import is_adjective

    if word in FUNCTION_WORDS or word == "like" or not is_adjective(word):
        return ""
    lemmas: tuple[str, ...] = lemminflect.getAllLemmas(word, "ADJ").get("ADJ", ())
    if not lemmas:
        # "holding hands" is no kind of hands; "painted hands" are.
        return "" if word.endswith("ing") else word
    return word if word in lemmas else lemmas[0]


def is_known(word: str) -> bool:
    """Whether the dictionary has the word at all, as any part of speech.

    >>> is_known("leaf"), is_known("zorble")
    (True, False)
    """
    import lemminflect

    return bool(lemminflect.getAllLemmas(word))
