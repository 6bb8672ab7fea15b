"""What Spark needs, and whether it is here."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path


def missing_for_spark() -> str | None:
    """What is missing and how to get it; None if nothing is."""
    if find_spec("pyspark") is None:
        return "PySpark is not installed: pip install 'penstock[spark]'"
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java") if home else shutil.which("java")
    if java is None or not Path(java).exists():
        return "Java was not found: Spark needs Java 17 (Debian and Ubuntu: apt install openjdk-17-jre-headless)"
    return None
