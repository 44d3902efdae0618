"""BibTeX entries of the publications that define metrics."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ENTRIES = Path(__file__).with_name("references.bib")
BENCHMARK = "opitz-daza-frank-2021"
# A reference as metrics state it: authors, year, title, and where in the publication.
REFERENCE = re.compile(r"(?P<authors>[^()]{1,300}) \((?P<year>\d{4})\), (?P<title>.+)", re.DOTALL)
SPECIAL = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def bibtex(reference: str) -> str:
    r"""The BibTeX entry of a reference such as ``Metric.reference``; "" if it has no known form.

    Publications that are not in ``references.bib`` have an entry of the type ``misc`` with the
    words of the reference.

    >>> bibtex("Cai and Knight (2013), Smatch, section 3").splitlines()[0]
    '@inproceedings{cai-knight-2013,'
    >>> print(bibtex("Jaccard (1901), Flora & fauna"))
    @misc{jaccard-1901,
      author = {Jaccard},
      title  = {Flora \& fauna},
      year   = {1901}
    }
    """
    match = REFERENCE.fullmatch(" ".join(reference.split()))
    if match is None:
        return ""
    key = key_of(match["authors"], match["year"])
    if key in known_entries():
        return known_entries()[key]
    authors = match["authors"].replace(" et al.", " and others").replace(", ", " and ")
    title = "".join(SPECIAL.get(c, c) for c in match["title"])
    author = "".join(SPECIAL.get(c, c) for c in authors)
    return (
        f"@misc{{{key},\n  author = {{{author}}},\n  title  = {{{title}}},\n"
        f"  year   = {{{match['year']}}}\n}}"
    )


def key_of(authors: str, year: str) -> str:
    """The key of a publication.

    >>> key_of("Opitz, Daza and Frank", "2021"), key_of("Xiao et al.", "2022")
    ('opitz-daza-frank-2021', 'xiao-et-al-2022')
    """
    words = [word for word in re.findall(r"\w+", authors.lower()) if word != "and"]
    return "-".join([*words, year])


@cache
def known_entries() -> dict[str, str]:
    """The entries of ``references.bib``, by key."""
    entries = ENTRIES.read_text("utf-8").strip().split("\n\n")
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in entries}
