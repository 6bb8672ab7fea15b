"""Folders that live as long as the process."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path


def temporary_folder() -> Path:
    """A new folder, which is removed when the process ends."""
    folder = tempfile.mkdtemp(prefix="penstock-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
