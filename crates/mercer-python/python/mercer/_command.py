"""The command ``mercer`` of the installed package; also ``python -m mercer``."""

import sys

from mercer._mercer import run_command


def main() -> int:
    """Run the words of the command line and return the exit code."""
    return run_command(["mercer", *sys.argv[1:]])
