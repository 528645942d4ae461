"""Workers of a page that is started with this folder on its path do not warm up: hardly a test needs kernels early."""

from pathlib import Path

from shoal.web.workers import tasks

tasks.__path__.insert(0, str(Path(__file__).parent))
