"""Help of commands with many options: the options in groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from shoal.options.table import GROUPS

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
_OTHERS = "Options"


class GroupedOption(click.Option):
    """Option with a group in the help of its command."""

    def __init__(self, *arguments: Any, group: str = _OTHERS, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.group = group


class GroupedCommand(click.Command):
    """Command whose help lists options by group."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in (*GROUPS, _OTHERS)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                groups[getattr(parameter, "group", _OTHERS)].append(record)
        for name, records in groups.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)


def option(*flags: str, group: str, **attributes: Any) -> Decorator:
    """Declare an option of a group."""
    return click.option(*flags, cls=GroupedOption, group=group, **attributes)
