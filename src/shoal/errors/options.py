"""Errors about options and policies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

from shoal.errors.base import ShoalError, fixed, message
from shoal.errors.messages import did_you_mean, pluralize, quote_name, similar_words


class OptionError(ShoalError):
    """k, a method or an option is out of range or unknown."""

    no_k = fixed(
        "k is not given, and the level of privacy is your decision", "give k as a whole number of at least 2 (-k)"
    )
    k_not_integer = fixed("k is not a whole number", "give k as a whole number of at least 2")
    invalid_column_format = fixed(
        "The column format is unknown",
        "write a date as DD.MM.YYYY or MM/DD/YYYY HH:MM, the number 1234.5 as the column would write it, such as"
        " 1.234,5 or 1 234,5 €, or text",
    )
    no_total_to_keep = fixed(
        "keep_totals is given, and no numeric quasi-identifier is recoded to its mean",
        "recode numbers by 'mean', or leave keep_totals= (--keep-totals) out",
    )
    exact_means_with_totals = fixed(
        "Means with all digits are not rounded, so that no rounding can keep a total",
        "leave out keep_totals= (--keep-totals) or exact_means= (--exact-means)",
    )
    wildcards_in_pieces = fixed(
        "A table that is processed in pieces cannot be released with missing values as wildcards",
        "leave that out, or hold the whole table in memory (no --memory, no --engine spark)",
    )
    effort_without_refinement = fixed(
        "An effort or a time limit is given, and refinement is off", "leave out refine=False (--no-refine)"
    )
    no_sensitive_column = fixed(
        "l or t is given, and no column is named as sensitive",
        "name the columns that nobody may learn with sensitive= (--sensitive)",
    )
    linked_households = fixed(
        "Two releases are compared record by record, and households are to be counted",
        "leave out households= (--households)",
    )
    row_not_integer = fixed("row is not a whole number", "give the number of a record, from 1")
    k_too_small = message("k = {value} protects nobody", "give k as a whole number of at least 2")
    method_not_applicable = message(
        "Method {name!q} does not support these quasi-identifiers, or so many records", "choose another method, or auto"
    )
    needs_against = message(
        "Option {name!q} is about another release, and none is given", "name it with against= (--against)"
    )
    recode_applies_to_no_column = message(
        "No quasi-identifier is of a kind that is recoded by {name!q}",
        "mean, median and interval are for numbers and dates; centroid, mode and lcs for categories; generalize for"
        " all",
    )

    @classmethod
    def k_too_large(cls, k: int, n: int, *, unit: str = "record") -> Self:
        hint = f"choose k between 2 and {n:,}" if n >= 2 else f"give a table with more {unit}s"
        return cls(f"k = {k:,} is more than the {pluralize(n, unit)} of the table", hint)

    @classmethod
    def unknown_option(cls, name: str, method: str, known: Sequence[str]) -> Self:
        return cls(f"Method {method!r} has no option {name!r}", did_you_mean(name, known))

    role_in_options = message(
        "A plan has the role of each column, and {value}= would decide it again", "assign it in plan.roles"
    )
    hierarchy_without_file = message(
        "The hierarchy or the levels of column {name!q} are not in a file, and a policy names files",
        "write them to a file, and give its path",
    )
    two_names = message("{old} is the deprecated name of {new}, and both are given", "leave out {old}")

    @classmethod
    def option_of_no_method(cls, name: str, *, compared: bool = False) -> Self:
        methods = "None of the compared methods" if compared else "No method"
        return cls(f"{methods} has an option {name!r}", "shoal methods lists the options of each")

    invalid_value = message("Option {name!r} has a value that it cannot take", "give {expected}")

    @classmethod
    def memory_limit_too_low(cls, size: int, least: int) -> Self:
        return cls(
            f"A memory limit of {size / 1e6:,.0f} MB is too low: the program itself takes more than half of"
            f" {least / 1e6:,.0f} MB",
            f"give at least {least / 1e6:,.0f}MB (--memory)",
        )

    wildcards_need_memory = fixed(
        "A record with missing values as wildcards belongs to many classes, which cannot be counted in pieces",
        "count them as a category, or leave out memory= (--memory)",
    )
    memory_needs_file = fixed(
        "A memory limit is for tables that are read from files", "give a path, or leave out memory="
    )
    two_frames = fixed("A Spark DataFrame is evaluated with another one only", "give both tables as Spark DataFrames")
    needs_memory = message(
        "{option} needs the whole table in memory, and this table is read in pieces",
        "leave out {option}, or leave out memory= (--memory) and give the table as a file or a frame in memory",
    )
    duplicate_names = message("Option {option!r} names {names} twice", "name each once")

    @classmethod
    def unknown_choice(cls, name: str, found: object, known: Sequence[str]) -> Self:
        return cls(f"There is no {name} {quote_name(found)}", did_you_mean(str(found), known))

    recode_not_applicable = message(
        "Column {column!q} is {kind} and cannot be recoded by {recode!q}", "choose one of {known!l}"
    )

    @classmethod
    def unknown_model(cls, found: object, forms: Sequence[str]) -> Self:
        return cls(f"There is no privacy model {quote_name(found)}", f"write one of {', '.join(forms)}")

    model_out_of_range = message("The privacy model {model} is out of range", "give {expected}")

    @classmethod
    def suppression_budget_too_small(
        cls, *, budget: int, of: int, k: int, units: str, min_budget: int, stratum: bool
    ) -> Self:
        where = f"the {pluralize(of, 'record')} of a stratum" if stratum else pluralize(of, "record")
        share = math.ceil(10_000 * min_budget / of) / 10_000
        return cls(
            f"The suppression budget allows {budget:,} of {where}, and fewer than k = {k:,} suppressed {units} do not"
            " hide among each other",
            f"allow a share of at least {share:g}, or none",
        )

    @classmethod
    def infeasible(cls, model: str, *, column: str, where: str, reached: str, hint: str) -> Self:
        return cls(
            f"{where[0].upper()}{where[1:]} as a whole reaches {reached} on column {quote_name(column)}, so that no"
            f" groups of it can keep {model}",
            hint,
        )

    @classmethod
    def too_many_records(cls, method: str, *, most: int, found: int) -> Self:
        return cls(
            f"Method {method!r} takes at most {most:,} records, since its memory grows with their square, and there are"
            f" {found:,}",
            f"run it in blocks of at most {most // 10:,} with blocks= (--blocks), or choose another method",
        )

    @classmethod
    def blocks_too_small(cls, blocks: int, *, k: int) -> Self:
        fact = f"Blocks of at most {pluralize(blocks, 'record')} cannot be cut for k = {k:,}"
        return cls(fact, f"allow at least {2 * k:,}; hundreds are better")

    @classmethod
    def too_many_nodes(cls, method: str, *, combinations: int, nodes: int) -> Self:
        return cls(
            f"Method {method!r} would need {8 * combinations * nodes / 1e9:,.1f} GB of memory for"
            f" {pluralize(combinations, 'combination')} of categories and hierarchies of {pluralize(nodes, 'node')}",
            "choose another method, such as 'mondrian-branch'",
        )

    too_many_columns = message(
        "Method {method!r} takes {most:quasi-identifier} and {found:,} are named",
        "name fewer, or choose another method",
    )
    no_common_order = message(
        "The release has {records:record} and the other {others:,}, so they have no common order",
        "leave out order= (--order)",
    )
    row_out_of_range = message(
        "There is no such record among the {records:record} of the table",
        "give row= (--row) as a whole number from 1 to {records:,}",
    )

    @classmethod
    def seed_not_integer(cls, name: str = "seed") -> Self:
        return cls(f"{name} is not a whole number", f"give {name} as a whole number of at least 0")


class PolicyError(ShoalError):
    """A policy file cannot be used."""

    not_a_policy = message("A {value} is not a policy", "give a Policy, or the path of a policy file")
    hierarchy_changed = message(
        "The hierarchy or levels of column {name!q} differ from those that the policy was made with",
        "give the same hierarchy or levels, or make a new policy",
    )
    column_not_in_policy = message(
        "The policy does not mention column {name!q}", "drop the column, or make a new policy"
    )
    no_hierarchy_in_policy = message(
        "The policy has no hierarchy or levels for column {name!q}",
        "leave the column out of hierarchies= (--hierarchy) and levels= (--levels)",
    )
    no_k = message(
        "The policy {path!r} leaves k open, and a privacy level is your decision",
        "write it there as release.k, or give -k on the command line",
    )
    option_in_policy = message("The policy decides {name!q} already", "leave out the option or the policy")
    damaged = message("{path!r} is not a Shoal policy ({why})", "give a policy file that a release or shoal init wrote")

    @classmethod
    def invalid(cls, path: object, error: ShoalError) -> Self:
        """A value that an option cannot take."""
        keeps_case = error.fact[:2].isupper() or error.fact[:1].islower()
        fact = error.fact if keeps_case else error.fact[:1].lower() + error.fact[1:]
        return cls(f"In the policy {str(path)!r}, {fact}", error.hint)

    @classmethod
    def unknown_key(
        cls, path: object, key: str, known: Sequence[str], *, table: str = "", recorded: bool = False
    ) -> Self:
        # a key like no other may be a value, of a file that is no policy; `recorded` is one that only releases write
        shown = f" {quote_name(key)}" if recorded or similar_words(key, known) else ""
        place = f" in {table!r}" if table else ""
        return cls(f"The policy {str(path)!r} has an unknown key{shown}{place}", did_you_mean(key, known))

    is_draft = message(
        "The policy {path!r} was written by hand, and no release was made with it yet",
        "make one with policy= of shoal.replay (--policy of shoal anonymize)",
    )
    none_beside = message(
        "No quasi-identifier is named, and no policy {name!r} is beside {path!r}",
        "name the columns with quasi_identifiers= (-q), or a policy with policy= (--policy)",
    )
    too_new = message(
        "The policy {path!r} has format {found!s}, and this Shoal reads up to {known!s}", "install a newer Shoal"
    )

    @classmethod
    def needs_hierarchy(cls, column: str, file: str, *, ordinal: bool) -> Self:
        what = "levels" if ordinal else "a hierarchy"
        option = "levels= (--levels COLUMN=FILE)" if ordinal else "hierarchies= (--hierarchy COLUMN=FILE)"
        named = f" from the file {quote_name(file)}" if file else ""
        return cls(
            f"The policy needs {what} for column {quote_name(column)}{named}, which cannot be found",
            f"give the file with {option}, or put it beside the policy",
        )
