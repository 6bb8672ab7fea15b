"""A pipeline that a TOML file describes: read, checked, and run on Spark."""

from penstock.spark.pipeline.config import ConfigError, Pipeline
from penstock.spark.pipeline.reading import read_pipeline
from penstock.spark.pipeline.running import PipelineError, Run

__all__ = ["ConfigError", "Pipeline", "PipelineError", "Run", "read_pipeline"]
