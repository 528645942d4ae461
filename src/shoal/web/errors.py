"""Errors of the web interface."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from shoal.errors.base import ShoalError, fixed
from shoal.errors.messages import pluralize, quote_names

_THE_LINK = "open the link that shoal web printed in the terminal"
_PROJECTS = "go back to the list of projects"
_CHOOSE_AGAIN = "choose it again"
_RELOAD = "reload the page, and repeat it"
_ON_COMMAND_LINE = "or use shoal anonymize --memory on the command line"


def error_location(error: BaseException) -> str:
    """Return the type and place of an error, without its message, which may quote the data."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(frame.filename).name}, line {frame.lineno}"


def _filled(fact: str, hint: str, status: int = 422) -> classmethod[Any, ..., Any]:
    """Return a constructor whose arguments are filled into the fact."""
    return classmethod(lambda kind, *values: kind(fact.format(*values), hint, status))


class PageError(ShoalError):
    """The web interface cannot do what was requested."""

    status = 422
    """HTTP status of the response."""

    def __init__(self, fact: str, hint: str, status: int = 422) -> None:
        super().__init__(fact, hint)
        self.status = status

    unknown_project = fixed("There is no such project", "choose one from the list of projects", 404)
    unknown_hierarchy_source = fixed("There is no such way to a hierarchy", "choose one of those on the page")
    damaged_project = fixed("The files of this project are damaged", "delete it, and start again from its data", 500)
    changed_elsewhere = fixed("This project was changed in another tab", "check its present state and repeat this", 409)
    file_not_available = fixed("The page keeps no copy of the file of this project", "choose the file again", 409)
    file_not_read = fixed("The file of this project was not read yet", "go back to the step Data", 409)
    different_file = fixed(
        "The file, or how it is read, is not the one that the decisions are about",
        "read it again in the step Data",
        409,
    )
    outdated_release = fixed("This file was made again after the page was shown", "reload the page, and check it", 409)
    release_not_available = fixed("There is no such file of a release", "make the release first, in the step Run", 404)
    wordnet_not_available = fixed("The files of WordNet are missing", "choose index.noun and data.noun first", 409)
    superseded = fixed("A newer question came before this one was answered", "look at the newer answer", 409)
    no_k = fixed("k is not chosen yet, and the level of protection is your decision", "choose one of the cards")
    disk_full = fixed("The disk of this machine is full, and the file was not taken", "make room, and try again", 507)
    missing_file_name = fixed("The file arrived without its name, whose ending is its format", _CHOOSE_AGAIN, 400)
    empty_file = fixed("The file is empty", "choose a file with a header line and one line per record")
    upload_incomplete = fixed("The file did not arrive whole, and nothing of it was kept", _CHOOSE_AGAIN, 400)
    wrong_host = fixed("This request was made for another address than that of the page", _THE_LINK, 421)
    unknown_page = fixed("This is no address of a page", _THE_LINK, 400)
    cross_site = fixed(
        "Another site made this request, and only the page itself may",
        "copy the link that shoal web printed into the address bar of the browser",
        403,
    )
    method_not_allowed = fixed("The page does not take requests of this kind", _PROJECTS, 405)
    not_authenticated = fixed("This browser is not signed in, or Shoal was restarted since", _THE_LINK, 403)
    link_already_used = fixed(
        "This link has expired: each works for one browser, once",
        "press Enter in the terminal where shoal web runs for a new link, or start it again",
        403,
    )
    stale_form = fixed("This form is older than the last start of the page, or not of it", _RELOAD, 403)
    invalid_form = fixed("The form cannot be read", _RELOAD, 400)
    different_hierarchy = _filled(
        "The hierarchy or levels in the file {!r} are not those that were decided on",
        "check them in the step Columns, and choose them again",
        409,
    )
    process_not_started = _filled(
        "No process could be started that works on the file ({})",
        "nothing was released; close other programs, and try again",
        503,
    )
    not_writable = _filled("The file could not be written to this machine ({})", "check its disk, and try again", 500)
    bug = _filled("This is a bug in Shoal ({}), and nothing was released", "please report it", 500)
    port_taken = _filled(
        "Port {} is used by another program, or reserved by the system", "name another with --port, or leave it out"
    )
    no_such_host = _filled("The page cannot be served at {!r} ({})", "name an address of this machine with --host")
    too_many_columns = _filled(
        "The file has {:,} columns or more, and the page takes up to {:,}",
        "leave out columns that are not to be released, or use the command line, which takes more",
    )

    @classmethod
    def unknown_column(cls, columns: int) -> Self:
        return cls(f"The file has {pluralize(columns, 'column')} and none of this number", "choose one of them", 404)

    @classmethod
    def busy(cls, running: int) -> Self:
        return cls(f"{pluralize(running, 'run')} under way", "wait for it, or cancel it first", 409)

    @classmethod
    def process_ended(cls, *, memory: bool = False) -> Self:
        if memory:
            fact = "This could not be done: it needed more memory than it may take"
            return cls(fact, f"nothing was released; choose a smaller file, {_ON_COMMAND_LINE}")
        return cls(
            "This could not be done: the process that worked on it broke down, as happens with damaged files and where"
            " memory is short",
            "nothing was released; check that the file is whole, and try again",
        )

    @classmethod
    def too_slow(cls, seconds: float) -> Self:
        fact = f"This could not be done within {seconds / 60:,.0f} minutes"
        return cls(fact, "choose a smaller file, or use the command line, which has no time limit")

    @classmethod
    def names_too_long(cls, columns: int, most: int) -> Self:
        fact = f"The names of {pluralize(columns, 'column')} have more than {most:,} characters"
        return cls(fact, "check how the file is read, or give the columns shorter names")

    @classmethod
    def too_large(cls, limit: int) -> Self:
        fact = f"The file is larger than the {limit / 1e6:,.0f} MB that the page takes"
        return cls(fact, f"start it with a higher --max-upload, {_ON_COMMAND_LINE}", 413)

    @classmethod
    def hierarchy_too_large(cls, limit: int) -> Self:
        fact = f"The file is larger than the {limit / 1e6:,.0f} MB that the page takes here"
        return cls(fact, "choose a smaller one", 413)

    @classmethod
    def too_much_unpacked(cls, limit: int) -> Self:
        return cls(
            f"The file is packed, and has more than the {limit / 1e6:,.0f} MB that the page unpacks",
            "unpack it and choose the plain file, or use the command line, which has no such limit",
        )

    @classmethod
    def form_too_large(cls, limit: int) -> Self:
        return cls(f"A form of more than {limit >> 20:,} MB was sent", "send less at once", 413)

    @classmethod
    def unconfirmed(cls, names: Sequence[str]) -> Self:
        one = len(names) == 1
        return cls(
            f"{pluralize(len(names), 'column')} that {'looks like an identifier' if one else 'look like identifiers'}"
            f" would be released unchanged ({quote_names(names)})",
            f"drop {'it' if one else 'them'}, or confirm under Columns that no person is named",
        )

    @classmethod
    def disk_too_small(cls, *, needed: int, free: int) -> Self:
        return cls(
            f"The file has {needed / 1e6:,.0f} MB, and the disk of this machine has {free / 1e6:,.0f} MB left",
            "make room, or start shoal web with the file on the command line, which copies nothing",
            507,
        )

    @classmethod
    def unknown_format(cls, known: Sequence[str]) -> Self:
        fact = "The ending of the file is no format that Shoal knows"
        return cls(fact, f"choose one that ends in {', '.join(known)}", 415)

    @classmethod
    def upload_stalled(cls, seconds: int) -> Self:
        return cls(f"Nothing arrived for {pluralize(seconds, 'second')}, and nothing was kept", "send it again", 408)

    @classmethod
    def different_columns(cls, *, missing: Sequence[str], new: Sequence[str]) -> Self:
        """For a file that replaces another one: columns that it lacks, and columns that the other one did not have."""
        lacks = f"lacks {pluralize(len(missing), 'column')} ({quote_names(missing)})" if missing else ""
        has = f"has {pluralize(len(new), 'column')} that it did not have ({quote_names(new)})" if new else ""
        return cls(
            f"The file does not fit the decisions about the one before: it {' and '.join(filter(None, [lacks, has]))}",
            "choose a file with the same columns, or start a new project with this one",
        )
