"""Printed figures beside ours: the papers' tables, run again on the data that they used."""

from shoal.reproduce.reproduction import Reproduction, reproduce

__all__ = ["Reproduction", "reproduce"]
