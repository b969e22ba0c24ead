"""Estimators as MLflow models, by the recipe of examples/recipes: `make test-full` installs MLflow."""

import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mercer

mlflow = pytest.importorskip("mlflow")
RECIPE = Path(__file__).parents[3] / "examples" / "recipes" / "mlflow_model.py"
# MLflow and the packages below it warn of their own future.
pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(4)
X = RNG.uniform(size=(40, 2))
Y = np.sin(4 * X[:, 0]) + X[:, 1]
LABELS = np.where(Y > 1, "up", "down")


@pytest.fixture(scope="module")
def recipe():
    spec = importlib.util.spec_from_file_location("mlflow_model", RECIPE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (mercer.KernelRidge(0.1, kernel="gaussian(lengthscale=median)"), Y),
        (mercer.KernelRidge(0.1, kernel="rbf"), np.column_stack([Y, -Y])),
        (mercer.GaussianProcessRegressor("1*gaussian()", noise=0.1, optimize=False), Y),
        (mercer.SVC(), LABELS),
        (mercer.KernelLogisticRegression(), LABELS),
        (mercer.StreamedKernelRidge(n_components=20), Y),
        (mercer.OneClassSVM(), None),
        (mercer.KernelKMeans(3, random_state=0), None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_loaded_model_predicts_the_same_bytes(model, y, recipe, tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b"])
    model.fit(frame, y)
    recipe.save(model, tmp_path / "model")
    found = mlflow.pyfunc.load_model(str(tmp_path / "model")).predict(frame.iloc[:9])
    np.testing.assert_array_equal(found, model.predict(frame.iloc[:9]))


def test_the_artifact_is_a_model_file(recipe, tmp_path):
    model = mercer.KernelRidge(0.1, kernel="gaussian()").fit(X, Y)
    recipe.save(model, tmp_path / "model")
    (file,) = tmp_path.glob("model/artifacts/*.safetensors")
    np.testing.assert_array_equal(mercer.load(file).predict(X), model.predict(X))


def test_the_recipe_runs(recipe, capsys):
    recipe.main()
    assert capsys.readouterr().out.split()[-1] == "True"
