"""A model file of Mercer as an MLflow model (pyfunc): ``pip install mlflow-skinny pandas``, ``python mlflow_model.py``.

The file is an artifact of the MLflow model, so that the command line and Rust read it from there, too.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import mlflow
import numpy as np

import mercer


class MercerModel(mlflow.pyfunc.PythonModel):
    """Reads the model file of the artifact ``model`` and predicts."""

    def load_context(self, context: Any) -> None:
        """Read the model file."""
        self.model = mercer.load(context.artifacts["model"])

    # MLflow would take a type of `model_input` for a schema.
    def predict(self, context: Any, model_input, params: dict[str, Any] | None = None) -> Any:
        """Return the predictions at the rows of a table."""
        return self.model.predict(model_input)


def save(model: Any, path: Path) -> None:
    """Write a fitted estimator as an MLflow model, which is a folder."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.safetensors"
        mercer.save(model, file)
        requirements = ["mercer[sklearn]"]
        mlflow.pyfunc.save_model(
            path, python_model=MercerModel(), artifacts={"model": str(file)}, pip_requirements=requirements
        )


def main() -> None:
    """Store a model, load it, and compare the predictions."""
    x = np.linspace(0, 3, 40)[:, None]
    model = mercer.KernelRidge(0.1, kernel="gaussian(lengthscale=0.5)").fit(x, np.sin(2 * x[:, 0]))
    with tempfile.TemporaryDirectory() as folder:
        save(model, Path(folder) / "model")
        loaded = mlflow.pyfunc.load_model(str(Path(folder) / "model"))
        print((loaded.predict(x) == model.predict(x)).all())


if __name__ == "__main__":
    main()
