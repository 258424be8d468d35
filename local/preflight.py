"""Says in a sentence what this machine lacks. Runs on any Python, even one that is too old for the project."""

import shutil
import subprocess
import sys


def main():
    if sys.version_info < (3, 11):
        return (
            "CICADA needs Python 3.11 or newer; this is %d.%d. "
            "Install a newer one and name it: make run PYTHON=python3.13" % sys.version_info[:2]
        )
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return "CICADA needs Node.js 20 or newer with npm, for the CDK command line: install it from nodejs.org."
    version = subprocess.check_output([node, "--version"]).decode().strip().lstrip("v")
    if int(version.split(".")[0]) < 20:
        return "CICADA needs Node.js 20 or newer, for the CDK command line; this is %s." % version
    return None


if __name__ == "__main__":
    problem = main()
    if problem:
        sys.stderr.write("\n%s\n\n" % problem)
        sys.exit(1)
