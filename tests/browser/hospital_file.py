"""A file of hospital stays as a German hospital writes it: titles, semicolons, decimal commas, days with points."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np

NAMES = ("Jürgen", "Anneliese", "Björn", "Gülsüm", "Käthe", "Sören", "Wolfgang", "Zoë")
SURNAMES = ("Müller", "Schröder", "Weiß", "Yıldırım".replace("ı", "i"), "Köhler", "Groß")
DIAGNOSES = ("I10.9", "E11.9", "J45.0", "M54.5", "F32.1", "S52.5")
COLUMNS = (
    *("Fall-Nr", "Vorname", "Nachname", "Telefon", "Geburtsdatum", "Geschlecht", "PLZ"),
    *("Aufnahme", "Entlassung", "Diagnose", "Kosten", "Größe"),
)
ROWS = 300


def phones() -> list[str]:
    """Few telephone numbers: each stands in many records."""
    return [f"0{30 + n}/55{n}{n}12{n}4" for n in range(9)]


def write_hospital(path: Path, *, encoding: str = "cp1252", ambiguous: bool = False) -> Path:
    """The file; where it is ``ambiguous``, days are written with slashes and none is after the 12th."""
    rng = np.random.default_rng(5)
    lines = ["Universitätsklinikum Musterstadt;" + ";" * 10, "Auszug der stationären Fälle 2023;" + ";" * 10, ""]
    lines.append(";".join(COLUMNS))
    for number in range(ROWS):
        born = date(1935, 1, 1) + timedelta(days=int(rng.integers(0, 25_000)))
        entered = date(2023, 1, 1) + timedelta(days=int(rng.integers(0, 360)))
        left = entered + timedelta(days=int(rng.integers(1, 20)))
        cost = f"{rng.uniform(900, 9999):,.2f} €".translate(str.maketrans(",.", ".,"))
        height = f"{rng.uniform(150, 200):.1f}".replace(".", ",")
        lines.append(
            ";".join(
                [
                    f"F{100_000 + number}",
                    str(rng.choice(NAMES)),
                    str(rng.choice(SURNAMES)),
                    str(rng.choice(phones())),
                    _day(born, ambiguous=ambiguous),
                    str(rng.choice(["m", "w"])),
                    str(rng.choice(["01067", "10115", "20095", "80331", "50667"])),
                    _day(entered, ambiguous=ambiguous),
                    _day(left, ambiguous=ambiguous),
                    str(rng.choice(DIAGNOSES)),
                    cost,
                    height,
                ]
            )
        )
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode(encoding))
    return path


def _day(day: date, *, ambiguous: bool) -> str:
    return f"{day.day % 12 + 1:02}/{day.month:02}/{day.year}" if ambiguous else f"{day:%d.%m.%Y}"
