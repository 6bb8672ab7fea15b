"""The wheel works in a fresh environment, without the sources and without what only developers have."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """
import penstock
from penstock.samples import documents
assert "site-packages" in penstock.__file__, penstock.__file__
assert penstock.evaluate("//b/text()", "<a><b>1</b></a>") == ["1"]
assert len(documents()) > 10
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    maturin = Path(sys.executable).with_name("maturin")
    if not maturin.exists() or shutil.which("cargo") is None:
        pytest.skip("needs maturin and cargo")
    folder = tmp_path_factory.mktemp("wheel")
    command = [str(maturin), "build", "--release", "--out", str(folder), "--interpreter", sys.executable]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    (built,) = folder.glob("*.whl")
    return built


def test_wheel_holds_what_it_should(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "penstock/py.typed" in names
    assert any(name.startswith("penstock/kernel/_native") and name.endswith(".so") for name in names)
    assert "penstock/samples/news/newsml-1.xml" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not any(name.startswith("tests/") for name in names)


def test_wheel_works_in_a_fresh_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    bin_folder = tmp_path / "venv" / "bin"
    install = [str(bin_folder / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)]
    subprocess.run(install, check=True, capture_output=True, text=True)
    subprocess.run([str(bin_folder / "python"), "-c", SCRIPT], check=True, cwd=tmp_path)
    (tmp_path / "a.xml").write_text("<a><b>1</b></a>")
    done = subprocess.run(
        [str(bin_folder / "penstock"), "match", "//b", "a.xml"], cwd=tmp_path, check=True, capture_output=True
    )
    assert done.stdout == b"<b>1</b>\n"
    demo = subprocess.run(
        [str(bin_folder / "penstock"), "demo"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert "dead letter" in demo.stdout
