from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

from pyspark.sql import SparkSession

from penstock.spark.session import local_session


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """The one session of all tests. Its time zone is not UTC, so that whoever confuses them is found out."""
    warehouse = str(tmp_path_factory.mktemp("warehouse"))
    session = local_session(
        config={"spark.sql.session.timeZone": "Asia/Kathmandu", "spark.sql.warehouse.dir": warehouse}
    )
    yield session
    session.stop()
