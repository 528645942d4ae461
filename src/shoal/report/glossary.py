"""Glossary of a report."""

from __future__ import annotations

TERMS = {
    "record": "one row of the table: one person, or one household or enterprise.",
    "identifier": "a column that names a person; dropped from every release.",
    "quasi-identifier": "a column that an outsider could know, such as age or place; protected.",
    "sensitive column": "what nobody may learn about a person, such as a diagnosis; released as it is.",
    "group": "records that the method put together; at least k of them.",
    "class": "records with the same released quasi-identifiers.",
    "k": "the least number of records in a class: who knows a person's quasi-identifiers cannot tell k records apart.",
    "unique record": "one that is alone with its quasi-identifiers.",
    "individual risk": "the chance that somebody who knows the quasi-identifiers of a person finds the record.",
    "global risk": "the mean of the individual risks.",
    "l-diversity": "every class has several different, or well represented, values of a sensitive column.",
    "t-closeness": "in every class the values of a sensitive column are spread much as in the whole table.",
    "information loss": "the share of the variation of the numbers that the release no longer has.",
    "semantic loss": "the same for categories, by how far apart they are in meaning.",
    "squared error": "the sum of the squared distances of the records to the centers of their groups.",
    "local search": "small changes of groups that lower the squared error, made until none is left that does.",
    "annealing": "local search that at first also takes changes for the worse, and ever fewer of them.",
    "hierarchy": "a tree of values, each standing for all that is below it.",
    "suppressed record": "one that shows no quasi-identifier.",
    "policy": "the decisions behind a release, as a file; with the same input it makes the same release again.",
}
