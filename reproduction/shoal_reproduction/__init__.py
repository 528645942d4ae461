"""Reproduction of printed figures: the papers' tables, run again on their data."""

from shoal_reproduction.reproduction import Reproduction, reproduce

__all__ = ["Reproduction", "reproduce"]
