"""The type of the argument to which each subcommand adds its parser."""

from __future__ import annotations

import argparse

# The type that add_subparsers returns is private in argparse.
Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]
