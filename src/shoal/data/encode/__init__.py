"""Encode the columns of a table as the arrays that methods and metrics take."""
