"""WordNet database, wndb(5WN): the nouns of ``index.noun`` and ``data.noun``, plain or ``.gz``.

A line of the index is a word and the byte offsets of its synsets, the most frequent sense first. Each offset of the
data is the start of a synset: its words and its pointers to others; ``@`` and ``@i`` point to hypernyms. Lines of the
license begin with two spaces. The name of a synset is its first word in lower case and the number of that word's sense:
``craftsman.n.03``. Names are unique.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from shoal.errors import FileError, OptionError
from shoal.system.atomic import os_error_reason

_HYPERNYM = (b"@", b"@i")
_NAME = re.compile(r"(.+)\.n\.([0-9]{1,4})")


class Synset(NamedTuple):
    word: str
    """First word of the synset, in lower case."""
    hypernyms: tuple[int, ...]
    """Offsets of its hypernyms and instance hypernyms, in file order."""


@dataclass(frozen=True, eq=False)
class WordNet:
    """Nouns of a WordNet folder. Lines are parsed on demand: a column needs few of them."""

    index_path: Path
    data_path: Path
    index: Mapping[bytes, bytes]
    """Word to the rest of its line."""
    data: bytes

    @classmethod
    def open(cls, folder: str | PathLike[str]) -> WordNet:
        try:
            path = Path(folder)
        except TypeError:
            raise OptionError.invalid_value("folder", "the path of a WordNet folder") from None
        index_path, data_path = _find(path, "index.noun"), _find(path, "data.noun")
        lines = (line.partition(b" ") for line in _read(index_path).split(b"\n") if line[:1].strip())
        index = {word: rest for word, _, rest in lines}
        if not any(rest.startswith(b"n ") for rest in index.values()):
            raise FileError.damaged_wordnet(index_path, "it has no line of a noun")
        return cls(index_path, data_path, index, _read(data_path))

    def senses(self, word: str) -> tuple[int, ...]:
        """Return the offsets of the synsets of a word, spelled as in the index; empty if it is no noun."""
        line = self.index.get(word.encode(errors="surrogatepass"))
        if line is None:
            return ()
        fields = line.split()
        try:
            count, pointers = int(fields[1]), int(fields[2])
            offsets = tuple(int(field) for field in fields[5 + pointers :])
        except (ValueError, IndexError):
            raise FileError.damaged_wordnet(self.index_path, "the line of a word breaks off") from None
        if not offsets or len(offsets) != count:
            raise FileError.damaged_wordnet(
                self.index_path, f"a word has {len(offsets):,} senses where its line says {count:,}"
            )
        return offsets

    def synset(self, offset: int) -> Synset:
        """Return the synset at a byte offset."""
        end = self.data.find(b"\n", offset)
        try:
            # without its line end a synset may be truncated
            fields = self.data[offset:end].partition(b" | ")[0].split() if end >= 0 else []
            if not fields[0].isdigit() or int(fields[0]) != offset or fields[2] != b"n":
                raise ValueError
            n_pointers_at = 4 + 2 * int(fields[3], 16)
            pointers = fields[n_pointers_at + 1 :]
            if len(pointers) != 4 * int(fields[n_pointers_at]):
                raise ValueError
            # each pointer is a symbol, an offset, a part of speech and a pair of word numbers
            hypernyms = tuple(int(pointers[at + 1]) for at in range(0, len(pointers), 4) if pointers[at] in _HYPERNYM)
            return Synset(fields[4].decode().lower(), tuple(dict.fromkeys(hypernyms)))
        except (ValueError, IndexError):
            raise FileError.damaged_wordnet(self.data_path, f"no noun synset begins at byte {offset:,}") from None

    def name(self, offset: int) -> str:
        """Return the name of the synset at a byte offset."""
        word = self.synset(offset).word
        try:
            return f"{word}.n.{self.senses(word).index(offset) + 1:02}"
        except ValueError:
            why = f"the index does not know the synset at byte {offset:,} by its first word"
            raise FileError.damaged_wordnet(self.data_path, why) from None

    def offset_of(self, name: str) -> int | None:
        """Return the offset of ``word.n.NN``, by any word of the synset; None if there is none."""
        match = _NAME.fullmatch(name)
        senses = self.senses(match[1].lower()) if match else ()
        number = int(match[2]) if match else 0
        return senses[number - 1] if 1 <= number <= len(senses) else None


def _find(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise FileError.no_wordnet(folder, exists=folder.is_dir())


def _read(path: Path) -> bytes:
    try:
        raw = path.read_bytes()
        return gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise FileError.damaged_wordnet(path, "its compressed bytes break off or are not gzip") from None
    except OSError as error:
        raise FileError.unreadable(path, os_error_reason(error)) from None
