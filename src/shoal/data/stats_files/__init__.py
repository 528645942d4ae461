"""Files of SPSS, Stata and SAS."""
