"""`python -m penstock.cli`, for where the script is not on the path."""

from penstock.cli import main

main(prog_name="penstock")
