"""Classification of columns by the words of their names, in eight languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum, auto
from functools import lru_cache
from itertools import pairwise

from shoal.domain.column_name_lexicon import COUNT_NOUNS, WORD_SENSES, WordSense


class NameMeaning(Enum):
    """What a column name indicates."""

    IDENTIFIER = auto()
    LIKELY_IDENTIFIER = auto()
    """An identifier unless values repeat often."""
    POSSIBLE_IDENTIFIER = auto()
    """An identifier if most values are unique."""
    FREE_TEXT = auto()
    """Remarks, which may contain names of persons if many are distinct."""
    QUASI_IDENTIFIER = auto()
    SENSITIVE = auto()
    AMOUNT = auto()
    """A health measurement or an amount of money."""
    USAGE = auto()
    """Another measurement."""
    SAMPLING_WEIGHT = auto()
    WEIGHT = auto()
    """A sampling weight or a body weight."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})
_LONGEST_TERM = 4
"""Maximum number of words in a term."""
_SHORTEST_COMPOUND = 6
_COMPOUND_PARTS = frozenset({"age", "sex", "tel", "ort", "zip", "geb", "dat", "tag", "nr", "id", "no"})
"""Short words that occur in compounds."""
_COMPOUND_HEADS = ("nummer", "name", "naam", "datum", "adresse", "adres", "strasse", "straat")
"""Compound heads that may follow unknown words."""
_LINKING_ELEMENTS = ("", "s", "n", "en", "es", "e")
_AMBIGUOUS = _set(
    """
    cf rib nus nie pan via rg nir nss nif dni vin tin sns cns cip nip nib ipp ndd mac pnr perso nin civico voie
    placa plaque targa secu insee portable cookie rfc curp matricula str rue cell pt sub hh dr gp kind fall utente
    user poczta card first last
    """
)
"""Ambiguous words: they count only beside words for numbers, persons and identifiers."""
_LEADING_ASPECTS = _set(
    """
    type types tipo tipos tipologia classe clase klasa categorie categoria kategoria rodzaj motif motivo groupe
    grupo gruppo grupa statut nivel niveau livello poziom soort art qualite calidad qualita
    """
)
"""Aspects that precede the word they qualify."""
_LEADING_DATES = _set("date fecha fec datum annee ano anno rok data")
_BIRTH_WORDS = _set(
    """
    birth born birthday geburts geburt geboren naissance nacimiento nac nacido nascita nato geboorte geb nascimento
    nasc nascido urodzenia urodzenie
    """
)
"""Words for birth."""
_HAVE_NAMES = _set(
    """
    job jobs occupation profession employer industry sector language nationality race ethnicity degree position
    workclass beruf berufs berufsgruppe arbeitgeber branche sprache nationalitat ethnie abschluss metier emploi
    employeur secteur langue nationalite ocupacion profesion empleador idioma raza etnia occupazione professione
    lingua razza settore beroep werkgever taal profissao ocupacao empregador raca zawod zawodu pracodawca branza
    jezyk
    """
)
"""Quasi-identifiers that have names."""
_NAME_ASPECTS = _set(
    """
    valid validity validated verified verification changed change changes confirmed matched match missing used
    consent gultig gepruft valide verifie valido verificado
    """
)
"""Aspects of a person's name, as in a verified name."""
_SAMPLING_WORDS = _set(
    """
    sample sampling survey design final base analysis replicate muestral muestra campione campionario echantillon
    sondage steekproef stichprobe stichproben proby amostral amostra person household hh population expansion factor
    faktor
    """
)
"""Words that indicate a sampling weight."""
_AMBIGUOUS_WEIGHTS = _set("weight weights wt wts")
"""Ambiguous words; other words mean body weight."""
_HEIGHTS = _set(
    """
    height bodyheight stature bmi imc korpergrosse grosse taille altura estatura talla altezza statura lengte
    lichaamslengte wzrost waist hip
    """
)
"""Body measurements: beside them, a weight is a body weight."""
_IDENTIFYING = frozenset(
    {
        WordSense.NAME,
        WordSense.PERSONAL,
        WordSense.ADDRESS,
        WordSense.PERSON,
        WordSense.ACCOUNT,
        WordSense.ID,
        WordSense.NUMBER,
        WordSense.CODE,
        WordSense.TEXT,
    }
)
_DIRECT = frozenset({WordSense.PERSONAL, WordSense.ADDRESS})


def normalized_words(name: str) -> list[str]:
    """Split a name into words without case and diacritics: ``Straße_birthDate`` is ``strasse``, ``birth``, ``date``."""
    # before folding case: patientID, IDNumber
    name = re.sub(r"(?i)\bn[°º]|[№#]", " nr ", name)
    spaced = re.sub(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-Z])(?=[A-Z][a-z]{2})", " ", name)
    decomposed = unicodedata.normalize("NFKD", spaced.casefold().translate(_LETTERS))
    letters = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return [_fold_umlauts(word) for word in re.split(r"[\W\d_]+", letters) if word]


def _fold_umlauts(word: str) -> str:
    """Treat ä and ae as equal."""
    return re.sub(r"(?<=[a-z])?(a|o|u)e", r"\1", word) if len(word) >= 5 else word


_SENSES = {_fold_umlauts(word): sense for word, sense in reversed(WORD_SENSES.items())}
_COUNTED = frozenset(map(_fold_umlauts, COUNT_NOUNS))


def name_meaning(name: str) -> NameMeaning | None:
    """What a column name indicates; None if nothing relevant to privacy."""
    return _meaning(tuple(normalized_words(name)))


@lru_cache(maxsize=4_096)
def _meaning(words: tuple[str, ...]) -> NameMeaning | None:
    terms = _terms(words)
    senses = [_SENSES.get(term) for term in terms]
    for i, term in enumerate(terms):
        if term in _AMBIGUOUS and any(other not in _IDENTIFYING for k, other in enumerate(senses) if k != i):
            senses[i] = None
    linked = WordSense.LINK in senses
    pairs = [(term, sense) for term, sense in zip(terms, senses, strict=True) if sense is not WordSense.LINK]
    terms, senses = [term for term, _ in pairs], [sense for _, sense in pairs]
    known = set(senses) - {None}
    if not known:
        return None
    if _is_count(terms, senses) or _is_flag(terms, senses, words) or _is_aspect(terms, senses, words):
        return _other_meaning([sense for sense in senses if sense not in _IDENTIFYING], terms)
    return _identifier(terms, senses, linked=linked) or _other_meaning(senses, terms)


def _terms(words: Sequence[str]) -> list[str]:
    """Join words that form a known term and split compounds."""
    terms: list[str] = []
    i = 0
    while i < len(words):
        for length in range(min(_LONGEST_TERM, len(words) - i), 1, -1):
            joined = _fold_umlauts("".join(words[i : i + length]))
            if joined in _SENSES:
                terms.append(joined)
                i += length
                break
        else:
            terms += [words[i]] if words[i] in _SENSES else _split_compound(words[i])
            i += 1
    return terms


def _split_compound(word: str) -> list[str]:
    """Split a compound into known words; unchanged if that fails."""
    if len(word) < _SHORTEST_COMPOUND:
        return [word]
    best: dict[int, list[str]] = {0: []}
    for end in range(1, len(word) + 1):
        for start in range(max(0, end - 24), end):
            if start in best and (part := _compound_part(word[start:end], first=start == 0, last=end == len(word))):
                parts = [*best[start], part]
                if end not in best or len(parts) < len(best[end]):
                    best[end] = parts
    parts = best.get(len(word), [])
    if len(parts) > 1:
        return parts
    head = next((head for head in _COMPOUND_HEADS if word.endswith(head) and len(word) - len(head) >= 3), None)
    return [word] if head is None else [word[: -len(head)], head]


def _compound_part(text: str, *, first: bool, last: bool) -> str:
    """The known word in a part of a compound, without a linking element."""
    for link in _LINKING_ELEMENTS if not last else ("",):
        stem = text.removesuffix(link) if link and text.endswith(link) else text
        if link and stem == text:
            continue
        sense = _SENSES.get(stem)
        if sense is None or (sense is WordSense.LINK and (first or last)):
            continue
        if stem in ("id", "nr", "no"):
            if last and not first:
                return stem
        elif (
            len(stem) >= 4
            or stem in _COMPOUND_PARTS
            or (sense is WordSense.LINK and stem in ("of", "de", "di", "da", "del", "van"))
        ):
            return stem
    return ""


def _is_count(terms: Sequence[str], senses: Sequence[WordSense | None]) -> bool:
    """Whether the name denotes a number of things."""
    if WordSense.COUNT in senses:
        return True
    first = next((at for at, sense in enumerate(senses) if sense in _IDENTIFYING), len(senses))
    if any(
        sense is WordSense.USAGE and term in _COUNTED for term, sense in list(zip(terms, senses, strict=True))[first:]
    ):
        return True
    first_number = bool(terms) and (senses[0] is WordSense.NUMBER or terms[0] == "nombre")
    return first_number and any(term in _COUNTED for term in terms[1:])


def _is_flag(terms: Sequence[str], senses: Sequence[WordSense | None], words: Sequence[str]) -> bool:
    """Whether the name denotes a yes/no question."""
    return len(terms) > 1 and senses[0] is WordSense.FLAG and words[0] == terms[0]


def _is_aspect(terms: Sequence[str], senses: Sequence[WordSense | None], words: Sequence[str]) -> bool:
    """Whether the name denotes an aspect or a date of the thing it also names."""
    first = next((i for i, sense in enumerate(senses) if sense in _IDENTIFYING), None)
    if first is None:
        return True
    for i, (term, sense) in enumerate(zip(terms, senses, strict=True)):
        if sense not in (WordSense.ASPECT, WordSense.DATE):
            continue
        linked = any(word == term and _SENSES.get(following) is WordSense.LINK for word, following in pairwise(words))
        leading = i == 0 and term in (_LEADING_ASPECTS if sense is WordSense.ASPECT else _LEADING_DATES)
        if linked or leading or (i > first and not _DIRECT.intersection(senses[i + 1 :])):
            return True
    return False


def _identifier(terms: Sequence[str], senses: Sequence[WordSense | None], *, linked: bool) -> NameMeaning | None:
    """Whether the name denotes an identifier."""
    known = set(senses)
    number = known & {WordSense.ID, WordSense.NUMBER, WordSense.CODE}
    things = known & {
        WordSense.THING,
        WordSense.PLACE,
        WordSense.SENSITIVE,
        WordSense.AMOUNT,
        WordSense.USAGE,
        WordSense.POSTCODE,
    }
    if any(sense is WordSense.QUASI and term in _HAVE_NAMES for term, sense in zip(terms, senses, strict=True)):
        things.add(WordSense.QUASI)
    if WordSense.PERSONAL in known:
        return NameMeaning.IDENTIFIER
    if WordSense.ADDRESS in known:
        at = senses.index(WordSense.ADDRESS)
        if WordSense.POSTCODE not in known and WordSense.PLACE not in senses[at + 1 :]:
            return NameMeaning.IDENTIFIER
        return None
    if WordSense.NAME in known:
        aspects = any(
            sense is WordSense.ASPECT and term not in _NAME_ASPECTS for term, sense in zip(terms, senses, strict=True)
        )
        # name and city are two things; nom_commune is the name of a city
        separate = terms[0] in ("name", "names") and not linked and senses[-1] is not WordSense.ASPECT
        if WordSense.PERSON in known or separate or not (things or aspects or WordSense.ACCOUNT in known):
            return NameMeaning.IDENTIFIER
        return None
    if number and known & {WordSense.PERSON, WordSense.ACCOUNT} and not things - {WordSense.THING}:
        return NameMeaning.IDENTIFIER
    if known <= {WordSense.ID}:
        return NameMeaning.IDENTIFIER
    if known == {WordSense.TEXT}:
        return NameMeaning.FREE_TEXT
    if known <= {WordSense.PERSON, WordSense.ACCOUNT}:
        return NameMeaning.LIKELY_IDENTIFIER
    if WordSense.ID in known and known <= {WordSense.ID, WordSense.NUMBER, WordSense.CODE, None}:
        return NameMeaning.LIKELY_IDENTIFIER
    if WordSense.ID in known or WordSense.NUMBER in known:
        return NameMeaning.POSSIBLE_IDENTIFIER
    return None


def fallback(name: str) -> NameMeaning | None:
    """What a name indicates if the values repeat too often for an identifier."""
    terms = _terms(normalized_words(name))
    return _other_meaning([_SENSES.get(term) for term in terms], terms)


def _other_meaning(senses: Sequence[WordSense | None], terms: Sequence[str]) -> NameMeaning | None:
    """What the name indicates besides identifiers."""
    known = set(senses)
    is_birth = any(term in _BIRTH_WORDS for term in terms)
    if WordSense.SAMPLING_WEIGHT in known:
        return NameMeaning.SAMPLING_WEIGHT
    if WordSense.WEIGHT in known:
        if known & {WordSense.BODY, WordSense.UNIT} or is_birth:
            return NameMeaning.AMOUNT
        if any(term in _SAMPLING_WORDS for term in terms):
            return NameMeaning.SAMPLING_WEIGHT
        return NameMeaning.WEIGHT if any(term in _AMBIGUOUS_WEIGHTS for term in terms) else NameMeaning.AMOUNT
    if known & {WordSense.AGE, WordSense.DATE}:
        return NameMeaning.QUASI_IDENTIFIER
    if WordSense.AMOUNT in known:
        return NameMeaning.AMOUNT
    if WordSense.SENSITIVE in known:
        return NameMeaning.SENSITIVE
    if WordSense.USAGE in known and not is_birth:
        return NameMeaning.USAGE
    if known & {WordSense.QUASI, WordSense.PLACE, WordSense.POSTCODE}:
        return NameMeaning.QUASI_IDENTIFIER
    return None


def is_height(name: str) -> bool:
    """Whether the name denotes a body measurement, beside which a weight is a body weight."""
    return any(term in _HEIGHTS for term in _terms(normalized_words(name)))
