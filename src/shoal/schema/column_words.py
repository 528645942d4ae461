"""What the name of a column says about its values, in eight languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum, auto
from functools import lru_cache
from itertools import pairwise

from shoal.schema.lexicon import COUNTED, SENSES, Sense


class Meaning(Enum):
    """What a name says."""

    IDENTIFIER = auto()
    LIKELY_IDENTIFIER = auto()
    """An identifier unless its values repeat often."""
    POSSIBLE_IDENTIFIER = auto()
    """An identifier if most of its values are unique."""
    QUASI_IDENTIFIER = auto()
    SENSITIVE = auto()
    AMOUNT = auto()
    """A measured value of health, or money."""
    USAGE = auto()
    """Another measurement."""
    SAMPLING_WEIGHT = auto()
    WEIGHT = auto()
    """A sampling weight or the weight of a body."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})
_LONGEST_TERM = 4
"""Words that are looked up together."""
_SHORTEST_COMPOUND = 6
_PARTS = frozenset({"age", "sex", "tel", "ort", "zip", "geb", "dat", "tag", "nr", "id", "no"})
"""Short words that compounds are made of."""
_HEADS = ("nummer", "name", "naam", "datum", "adresse", "adres", "strasse", "straat")
"""Words that unknown words are put before."""
_JOINTS = ("", "s", "n", "en", "es", "e")
_ALONE = _set(
    """
    cf rib nus nie pan via rg nir nss nif dni vin tin sns cns cip nip nib ipp ndd mac pnr perso nin civico voie
    placa plaque targa secu insee portable cookie rfc curp matricula str rue cell pt sub hh dr gp kind fall utente
    user poczta card first last
    """
)
"""Words that mean something else in other names: they count beside nothing but numbers, persons and identifiers."""
_LEADING = _set(
    """
    type types tipo tipos tipologia classe clase klasa categorie categoria kategoria rodzaj motif motivo groupe
    grupo gruppo grupa statut nivel niveau livello poziom soort art qualite calidad qualita
    """
)
"""Aspects that are named before what they are about."""
_LEADING_DATES = _set(
    """
    date fecha fec datum annee ano anno rok data
    """
)
_BIRTHS = _set(
    """
    birth born birthday geburts geburt geboren naissance nacimiento nac nacido nascita nato geboorte geb nascimento
    nasc nascido urodzenia urodzenie
    """
)
"""Words of a birth."""
_NAMED = _set(
    """
    job jobs occupation profession employer industry sector language nationality race ethnicity degree position
    workclass beruf berufs berufsgruppe arbeitgeber branche sprache nationalitat ethnie abschluss metier emploi
    employeur secteur langue nationalite ocupacion profesion empleador idioma raza etnia occupazione professione
    lingua razza settore beroep werkgever taal profissao ocupacao empregador raca zawod zawodu pracodawca branza
    jezyk
    """
)
"""What could be known of a person and has a name."""
_STATES = _set(
    """
    valid validity validated verified verification changed change changes confirmed matched match missing used
    consent gultig gepruft valide verifie valido verificado
    """
)
"""Aspects that a name of a person may have: there may be a verified one."""
_SAMPLED = _set(
    """
    sample sampling survey design final base analysis replicate muestral muestra campione campionario echantillon
    sondage steekproef stichprobe stichproben proby amostral amostra person household hh population expansion factor
    faktor
    """
)
"""Words that make a weight a sampling weight."""
_OPEN_WEIGHTS = _set("weight weights wt wts")
"""Other words are used for the weight of a body."""
_HEIGHTS = _set(
    """
    height bodyheight stature bmi imc korpergrosse grosse taille altura estatura talla altezza statura lengte
    lichaamslengte wzrost waist hip
    """
)
"""Measures of a body: beside them a weight is one too."""
_IDENTIFYING = frozenset(
    {
        Sense.NAME,
        Sense.PERSONAL,
        Sense.ADDRESS,
        Sense.PERSON,
        Sense.ACCOUNT,
        Sense.ID,
        Sense.NUMBER,
        Sense.CODE,
        Sense.TEXT,
    }
)
_DIRECT = frozenset({Sense.PERSONAL, Sense.ADDRESS})


def plain_words(name: str) -> list[str]:
    """The words of a name without case and diacritics: ``Straße_birthDate`` has ``strasse``, ``birth``, ``date``."""
    # before the case goes: patientID, IDNumber
    name = re.sub(r"(?i)\bn[°º]|[№#]", " nr ", name)
    spaced = re.sub(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-Z])(?=[A-Z][a-z]{2})", " ", name)
    decomposed = unicodedata.normalize("NFKD", spaced.casefold().translate(_LETTERS))
    letters = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return [_folded(word) for word in re.split(r"[\W\d_]+", letters) if word]


def _folded(word: str) -> str:
    """The same word for ä and ae."""
    return re.sub(r"(?<=[a-z])?(a|o|u)e", r"\1", word) if len(word) >= 5 else word


_SENSES = {_folded(word): sense for word, sense in reversed(SENSES.items())}
_COUNTED = frozenset(map(_folded, COUNTED))


def meaning(name: str) -> Meaning | None:
    """What the name says; None where it says nothing that matters for privacy."""
    return _meaning(tuple(plain_words(name)))


@lru_cache(maxsize=4_096)
def _meaning(words: tuple[str, ...]) -> Meaning | None:
    terms = _terms(words)
    senses = [_SENSES.get(term) for term in terms]
    for at, term in enumerate(terms):
        if term in _ALONE and any(other not in _IDENTIFYING for k, other in enumerate(senses) if k != at):
            senses[at] = None
    linked = Sense.LINK in senses
    terms, senses = _without_links(terms, senses)
    said = set(senses) - {None}
    if not said:
        return None
    if _is_count(terms, senses) or _is_flag(terms, senses, words) or _is_aspect(terms, senses, words):
        return _other([sense for sense in senses if sense not in _IDENTIFYING], terms)
    return _identifier(terms, senses, linked=linked) or _other(senses, terms)


def _terms(words: Sequence[str]) -> list[str]:
    """The words, those that form a known term joined and compounds taken apart."""
    found: list[str] = []
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST_TERM, len(words) - at), 1, -1):
            joined = _folded("".join(words[at : at + length]))
            if joined in _SENSES:
                found.append(joined)
                at += length
                break
        else:
            found += [words[at]] if words[at] in _SENSES else _parts(words[at])
            at += 1
    return found


def _parts(word: str) -> list[str]:
    """The known words that a compound is made of, or the compound where it is not."""
    if len(word) < _SHORTEST_COMPOUND:
        return [word]
    best: dict[int, list[str]] = {0: []}
    for end in range(1, len(word) + 1):
        for start in range(max(0, end - 24), end):
            if start in best and (part := _part(word[start:end], first=start == 0, last=end == len(word))):
                parts = [*best[start], part]
                if end not in best or len(parts) < len(best[end]):
                    best[end] = parts
    parts = best.get(len(word), [])
    if len(parts) > 1:
        return parts
    head = next((head for head in _HEADS if word.endswith(head) and len(word) - len(head) >= 3), None)
    return [word] if head is None else [word[: -len(head)], head]


def _part(text: str, *, first: bool, last: bool) -> str:
    """The known word that a part of a compound is, with what joins it to the next."""
    for joint in _JOINTS if not last else ("",):
        stem = text.removesuffix(joint) if joint and text.endswith(joint) else text
        if joint and stem == text:
            continue
        sense = _SENSES.get(stem)
        if sense is None or (sense is Sense.LINK and (first or last)):
            continue
        if stem in ("id", "nr", "no"):
            if last and not first:
                return stem
        elif (
            len(stem) >= 4 or stem in _PARTS or (sense is Sense.LINK and stem in ("of", "de", "di", "da", "del", "van"))
        ):
            return stem
    return ""


def _without_links(terms: list[str], senses: list[Sense | None]) -> tuple[list[str], list[Sense | None]]:
    kept = [(term, sense) for term, sense in zip(terms, senses, strict=True) if sense is not Sense.LINK]
    return [term for term, _ in kept], [sense for _, sense in kept]


def _is_count(terms: Sequence[str], senses: Sequence[Sense | None]) -> bool:
    """Whether the name is that of a number of things."""
    if Sense.COUNT in senses:
        return True
    first = next((at for at, sense in enumerate(senses) if sense in _IDENTIFYING), len(senses))
    if any(sense is Sense.USAGE and term in _COUNTED for term, sense in list(zip(terms, senses, strict=True))[first:]):
        return True
    first_number = bool(terms) and (senses[0] is Sense.NUMBER or terms[0] == "nombre")
    return first_number and any(term in _COUNTED for term in terms[1:])


def _is_flag(terms: Sequence[str], senses: Sequence[Sense | None], words: Sequence[str]) -> bool:
    """Whether the name asks whether there is something."""
    return len(terms) > 1 and senses[0] is Sense.FLAG and words[0] == terms[0]


def _is_aspect(terms: Sequence[str], senses: Sequence[Sense | None], words: Sequence[str]) -> bool:
    """Whether the name is that of an aspect, or of a date, of what it names besides."""
    first = next((at for at, sense in enumerate(senses) if sense in _IDENTIFYING), None)
    if first is None:
        return True
    for at, (term, sense) in enumerate(zip(terms, senses, strict=True)):
        if sense not in (Sense.ASPECT, Sense.DATE):
            continue
        linked = any(one == term and _SENSES.get(two) is Sense.LINK for one, two in pairwise(words))
        leading = at == 0 and term in (_LEADING if sense is Sense.ASPECT else _LEADING_DATES)
        if linked or leading or (at > first and not _DIRECT.intersection(senses[at + 1 :])):
            return True
    return False


def _identifier(terms: Sequence[str], senses: Sequence[Sense | None], *, linked: bool) -> Meaning | None:
    """Whether the name is that of an identifier."""
    said = set(senses)
    number = said & {Sense.ID, Sense.NUMBER, Sense.CODE}
    things = said & {Sense.THING, Sense.PLACE, Sense.SENSITIVE, Sense.AMOUNT, Sense.USAGE, Sense.POSTCODE}
    things |= {sense for term, sense in zip(terms, senses, strict=True) if _names_thing(term, sense)}
    if Sense.PERSONAL in said:
        return Meaning.IDENTIFIER
    if Sense.ADDRESS in said:
        at = senses.index(Sense.ADDRESS)
        if Sense.POSTCODE not in said and Sense.PLACE not in senses[at + 1 :]:
            return Meaning.IDENTIFIER
        return None
    if Sense.NAME in said:
        aspects = any(sense is Sense.ASPECT and term not in _STATES for term, sense in zip(terms, senses, strict=True))
        # the name and the city; nom_commune is that of a city
        apart = terms[0] in ("name", "names") and not linked and senses[-1] is not Sense.ASPECT
        if Sense.PERSON in said or apart or not (things or aspects or Sense.ACCOUNT in said):
            return Meaning.IDENTIFIER
        return None
    if number and said & {Sense.PERSON, Sense.ACCOUNT} and not things - {Sense.THING}:
        return Meaning.IDENTIFIER
    if said <= {Sense.ID}:
        return Meaning.IDENTIFIER
    if said == {Sense.TEXT}:
        return Meaning.POSSIBLE_IDENTIFIER
    if said <= {Sense.PERSON, Sense.ACCOUNT}:
        return Meaning.LIKELY_IDENTIFIER
    if Sense.ID in said and said <= {Sense.ID, Sense.NUMBER, Sense.CODE, None}:
        return Meaning.LIKELY_IDENTIFIER
    if Sense.ID in said or Sense.NUMBER in said:
        return Meaning.POSSIBLE_IDENTIFIER
    return None


def _names_thing(term: str, sense: Sense | None) -> bool:
    return sense is Sense.QUASI and term in _NAMED


def fallback(name: str) -> Meaning | None:
    """What a name says whose values repeat too often for an identifier."""
    terms = _terms(plain_words(name))
    return _other([_SENSES.get(term) for term in terms], terms)


def _other(senses: Sequence[Sense | None], terms: Sequence[str]) -> Meaning | None:
    """What the name says besides identifiers."""
    said = set(senses)
    born = any(term in _BIRTHS for term in terms)
    if Sense.SAMPLING_WEIGHT in said:
        return Meaning.SAMPLING_WEIGHT
    if Sense.WEIGHT in said:
        if said & {Sense.BODY, Sense.UNIT} or born:
            return Meaning.AMOUNT
        if any(term in _SAMPLED for term in terms):
            return Meaning.SAMPLING_WEIGHT
        return Meaning.WEIGHT if any(term in _OPEN_WEIGHTS for term in terms) else Meaning.AMOUNT
    if said & {Sense.AGE, Sense.DATE}:
        return Meaning.QUASI_IDENTIFIER
    if Sense.AMOUNT in said:
        return Meaning.AMOUNT
    if Sense.SENSITIVE in said:
        return Meaning.SENSITIVE
    if Sense.USAGE in said and not born:
        return Meaning.USAGE
    if said & {Sense.QUASI, Sense.PLACE, Sense.POSTCODE}:
        return Meaning.QUASI_IDENTIFIER
    return None


def is_height(name: str) -> bool:
    """Whether the name is that of a measure of the body, beside which a weight is one too."""
    return any(term in _HEIGHTS for term in _terms(plain_words(name)))
