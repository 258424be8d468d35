"""What subcommands are registered with."""

from __future__ import annotations

import argparse

# argparse names the type of what add_subparsers returns only with an underscore.
Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]
