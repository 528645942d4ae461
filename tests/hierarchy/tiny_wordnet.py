"""A small WordNet in the format of wndb(5WN)."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path

LICENSE = "".join(f"  {number} A made-up license line.  \n" for number in range(1, 4))

Synsets = Mapping[str, tuple[Sequence[str], Sequence[tuple[str, str]]]]
"""For each key the words of a synset, and its pointers: a symbol and a key. The order is that of the senses."""

OCEAN: Synsets = {
    "entity": (["entity"], []),
    "being": (["being", "organism"], [("@", "entity")]),
    "adult": (["grown_up"], [("@", "being"), ("+", "verb")]),
    "worker": (["worker"], [("@", "adult"), ("~", "diver")]),
    "swimmer": (["swimmer"], [("@", "being")]),
    "contestant": (["contestant"], [("@", "being")]),
    "athlete": (["Athlete", "jock"], [("@", "contestant")]),
    "diver": (["diver", "frogman"], [("@", "worker"), ("@", "swimmer"), ("@", "athlete")]),
    "bird": (["loon", "diver"], [("@", "being")]),
    "place": (["place", *(f"spot{number}" for number in range(10))], [("@", "entity")]),
    "port": (["port", "Harbor"], [("@", "place")]),
    "wine": (["port"], [("@", "entity")]),
    "azul": (["Puerto_Azul"], [("@i", "port"), ("+", "verb")]),
    "bay": (["guinea-bay"], [("@i", "place")]),
    "cafe": (["cafe"], [("@", "place")]),
    "isle": (["sand_and_stone"], [("@i", "place")]),
}


def write_wordnet(folder: Path, synsets: Synsets, *, packed: bool = False) -> Path:
    """Write ``index.noun`` and ``data.noun``. What a pointer names and no synset bears is a verb."""
    folder.mkdir(exist_ok=True)
    offsets = dict.fromkeys(synsets, 0)
    # offsets have eight digits whatever they are, so that the second writing has the right ones in the right places
    for _ in range(2):
        data = LICENSE
        for key, (words, pointers) in synsets.items():
            offsets[key] = len(data)
            spelled = " ".join(f"{word} 0" for word in words)
            aimed = "".join(
                f"{symbol} {offsets[to]:08} n 0000 " if to in offsets else f"{symbol} 00001740 v 0101 "
                for symbol, to in pointers
            )
            head = f"{offsets[key]:08} 03 n {len(words):02x} {spelled} {len(pointers):03} {aimed}"
            data += f'{head}| a gloss; "@ 00000000 n 0000 | is no pointer"  \n'
    senses: dict[str, list[int]] = {}
    for key, (words, _) in synsets.items():
        for word in words:
            senses.setdefault(word.lower(), []).append(offsets[key])
    index = LICENSE
    for word, numbers in sorted(senses.items()):
        pointers = " ".join(f"{number:08}" for number in numbers)
        index += f"{word} n {len(numbers)} 2 @ ~ {len(numbers)} 0 {pointers}  \n"
    for name, text in (("index.noun", index), ("data.noun", data)):
        raw = text.encode()
        (folder / f"{name}{'.gz' if packed else ''}").write_bytes(gzip.compress(raw) if packed else raw)
    return folder
