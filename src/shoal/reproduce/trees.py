"""The hierarchies behind printed figures on categories: built anew, as far as the text says how. None is shipped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from shoal.hierarchy import Hierarchy
from shoal.hierarchy.wordnet import build

WORDNET = "wordnet31"
"""The folder with the nouns of WordNet 3.1, among the data sets."""

# Tables 1 and 2 of the thesis of 2022; it does not print the senses of Columbia, Japan, South, Trinadad&Tobago and
# Yugoslavia. It says itself that it moved Taiwan.
OCCUPATIONS = {
    "Adm-clerical": "clerk",
    "Armed-Forces": "soldier",
    "Craft-repair": "craftsman",
    "Exec-managerial": "executive",
    "Farming-fishing": "farmer",
    "Handlers-cleaners": "cleaner.n.03",
    "Machine-op-inspct": "machinist",
    "Other-service": "worker",
    "Priv-house-serv": "housekeeper",
    "Prof-specialty": "specialist",
    "Protective-serv": "guard",
    "Sales": "salesperson",
    "Tech-support": "technician",
    "Transport-moving": "mover",
}
NATIVE_COUNTRIES = {
    "Columbia": "colombia.n.01",
    "Holand-Netherlands": "netherlands",
    "Hong": "hong_kong",
    "Japan": "japan.n.02",
    "Outlying-US(Guam-USVI-etc)": "american_state",
    "South": "south_korea.n.01",
    "Trinadad&Tobago": "trinidad_and_tobago.n.01",
    "Yugoslavia": "yugoslavia.n.02",
}
ASIAN_TAIWAN = {"taiwan.n.01": "asian_country.n.01"}

# The other two trees are in no text. It names the root of the countries and three nodes, and in an example how some
# operating systems are grouped.
_SYSTEMS = {
    "operating system": ("console", "desktop", "mobile"),
    "console": ("Xbox", "playstation"),
    "playstation": ("Playstation 4", "Playstation Vita"),
    "desktop": ("Macintosh", "OS/2", "Windows", "linux"),
    "linux": ("Chrome OS", "Linux"),
    "mobile": ("BlackBerry", "Windows Phone", "iOS", "mobile linux"),
    "mobile linux": ("Android", "Firefox OS", "Samsung", "Tizen"),
}
_COUNTRIES = {
    "Congo - Brazzaville": "congo.n.03",
    "Congo - Kinshasa": "congo.n.01",
    "Czechia": "czech_republic",
    "Eswatini": "swaziland",
    "Myanmar (Burma)": "myanmar",
    "North Macedonia": "macedonia.n.01",
}
_EUROPEAN_BALTIC = {"baltic_state.n.01": "european_country.n.01"}
_REGIONS = {
    "african_country.n.01": (
        *("Burkina Faso", "Cape Verde", "Mauritius", "Mayotte", "Réunion", "Seychelles", "South Sudan"),
        *("São Tomé & Príncipe", "Western Sahara"),
    ),
    "asian_country.n.01": (
        *("Brunei", "Hong Kong", "Indonesia", "Israel", "Macao", "Maldives", "Palestine", "Philippines", "Sri Lanka"),
        *("Taiwan", "Turkey", "Turkmenistan"),
    ),
    "balkan_country.n.01": ("Kosovo", "Montenegro", "Serbia"),
    "caribbean country": (
        *("Anguilla", "Antigua & Barbuda", "Aruba", "Bahamas", "Barbados", "Bermuda", "Cayman Islands", "Curaçao"),
        *("Dominican Republic", "Grenada", "Guadeloupe", "Haiti", "Jamaica", "Martinique", "Puerto Rico"),
        *("Sint Maarten", "St. Kitts & Nevis", "St. Vincent & Grenadines", "Trinidad & Tobago"),
        "Turks & Caicos Islands",
    ),
    "european_country.n.01": (
        *("Cyprus", "Faroe Islands", "Guernsey", "Jersey", "Malta", "Russia", "Ukraine", "United Kingdom"),
        "Åland Islands",
    ),
    "north_american_country.n.01": ("Greenland",),
    "oceanian country": (
        *("American Samoa", "Australia", "Fiji", "French Polynesia", "Guam", "Marshall Islands", "New Caledonia"),
        *("New Zealand", "Northern Mariana Islands", "Palau", "Papua New Guinea"),
    ),
    "south_american_country.n.01": ("French Guiana",),
}
"""Places that WordNet does not have as countries, or has right below ``country``, without a region."""


def occupations(values: Iterable[str], wordnet: Path, rule: str) -> Hierarchy:
    """What WordNet has above the occupations of Adult; the rule chooses between hypernyms."""
    return build(values, wordnet, senses=OCCUPATIONS, rule=rule, leaf="synset").hierarchy


def native_countries(values: Iterable[str], wordnet: Path, rule: str) -> Hierarchy:
    """What WordNet has above the countries of Adult."""
    built = build(values, wordnet, senses=NATIVE_COUNTRIES, parents=ASIAN_TAIWAN, rule=rule, leaf="synset")
    return built.hierarchy


def systems(_: Iterable[str], __: Path, ___: str) -> Hierarchy:
    """Operating systems by what they run on."""
    return Hierarchy.from_edges((low, high) for high, values in _SYSTEMS.items() for low in values)


def countries(values: Iterable[str], wordnet: Path, rule: str) -> Hierarchy:
    """Countries by region: as WordNet has them, and as it does not."""
    placed = {value: region for region, places in _REGIONS.items() for value in places}
    top = "country.n.02"
    found = build(
        [value for value in values if value not in placed],
        wordnet,
        senses=_COUNTRIES,
        parents=_EUROPEAN_BALTIC,
        rule=rule,
        under=top,
        top=top,
        leaf="synset",
    ).hierarchy
    regions = [(region, found.root) for region in _REGIONS if region not in found]
    return Hierarchy.from_edges(sorted([*found.edges(), *regions, *placed.items()]))


TREES: Mapping[str, Callable[[Iterable[str], Path, str], Hierarchy]] = {
    "occupation": occupations,
    "native-country": native_countries,
    "os": systems,
    "country": countries,
}
"""By the name of the column."""
