"""Hierarchies of the printed figures on categories, rebuilt as far as the papers describe them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from shoal.hierarchy import Hierarchy
from shoal.hierarchy.wordnet import build

WORDNET = "wordnet31"
"""Folder of the nouns of WordNet 3.1, inside the data folder."""

# Tables 1 and 2 of the thesis of 2022. It does not print the senses of Columbia, Japan, South, Trinadad&Tobago and
# Yugoslavia. It states that it moved Taiwan.
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

# The thesis does not print the other two trees. It names the root of the countries and three nodes, and an example
# groups some operating systems.
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
_BALTIC_PARENT = {"baltic_state.n.01": "european_country.n.01"}
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
"""Values that are no countries in WordNet, or are children of ``country`` there, without a region."""


def occupations(values: Iterable[str], wordnet: Path, rule: str) -> Hierarchy:
    """Build the WordNet hierarchy of the occupations of Adult; ``rule`` chooses between hypernyms."""
    return build(values, wordnet, senses=OCCUPATIONS, rule=rule, leaf="synset").hierarchy


def native_countries(values: Iterable[str], wordnet: Path, rule: str) -> Hierarchy:
    """Build the WordNet hierarchy of the countries of Adult."""
    built = build(values, wordnet, senses=NATIVE_COUNTRIES, parents=ASIAN_TAIWAN, rule=rule, leaf="synset")
    return built.hierarchy


def operating_systems(_: Iterable[str], __: Path, ___: str) -> Hierarchy:
    """Build the hierarchy of operating systems, by device."""
    return Hierarchy.from_edges((low, high) for high, values in _SYSTEMS.items() for low in values)


def countries(values: Iterable[str], wordnet: Path, rule: str) -> Hierarchy:
    """Build the hierarchy of countries by region, from WordNet and `_REGIONS`."""
    region_of = {value: region for region, places in _REGIONS.items() for value in places}
    top = "country.n.02"
    tree = build(
        [value for value in values if value not in region_of],
        wordnet,
        senses=_COUNTRIES,
        parents=_BALTIC_PARENT,
        rule=rule,
        under=top,
        top=top,
        leaf="synset",
    ).hierarchy
    regions = [(region, tree.root) for region in _REGIONS if region not in tree]
    return Hierarchy.from_edges(sorted([*tree.edges(), *regions, *region_of.items()]))


HIERARCHY_BUILDERS: Mapping[str, Callable[[Iterable[str], Path, str], Hierarchy]] = {
    "occupation": occupations,
    "native-country": native_countries,
    "os": operating_systems,
    "country": countries,
}
"""Builder of each column's hierarchy."""
