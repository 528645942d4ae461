"""Delimited text: detect its format, split it into cells, write it back byte for byte."""
