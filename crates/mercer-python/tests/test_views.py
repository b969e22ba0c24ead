"""Views: what is seen without labels, and in two views."""

import pickle
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer

IRIS = load_iris()
X, SPECIES = IRIS.data, IRIS.target
WORDS = ["kernel", "colonel", "kernels", "matrix", "matrices", "metric", "vector", "victor", "vectors"]
VIEWS = [
    mercer.KernelPCA(2, kernel="gaussian(lengthscale=2)"),
    mercer.KernelKMeans(3, kernel="gaussian(lengthscale=2)", random_state=0),
    mercer.SpectralClustering(3, kernel="gaussian(lengthscale=1)", random_state=0),
    mercer.ClassicalScaling(2),
    mercer.KernelICA(2, random_state=0),
]


def answer(model, x):
    return model.predict(x) if hasattr(model, "predict") else model.transform(x)


def name_of(model):
    return type(model).__name__


#: Checks that do not apply. Clusters are numbered by first appearance: scikit-learn's own k-means is excepted too.
#: ``fit_transform(X, y)`` of two views gives both, ``transform(X)`` one: scikit-learn excepts its own `CCA` by name.
#: A coupled embedding is scored by a gallery.
NOT_APPLICABLE = {
    "KernelKMeans": {
        f"check_sample_weight_equivalence_on_{kind}_data": "numbers of clusters" for kind in ("dense", "sparse")
    },
    "KernelCCA": {
        check: "fit_transform gives both views"
        for check in ("check_transformer_general", "check_transformer_data_not_an_array")
    },
    "CoupledKernelEmbedding": {
        check: "fit and score take two samples and their labels"
        for check in ("check_fit_score_takes_y", "check_n_features_in_after_fitting", "check_pipeline_consistency")
    },
}


@parametrize_with_checks(
    [
        mercer.KernelPCA(),
        mercer.KernelKMeans(),
        mercer.SpectralClustering(),
        mercer.ClassicalScaling(),
        mercer.KernelICA(),
        mercer.KernelCCA(),
        mercer.CoupledKernelEmbedding(),
    ],
    expected_failed_checks=lambda estimator: NOT_APPLICABLE.get(type(estimator).__name__, {}),
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mercer.ConvergenceWarning)
        check(estimator)


@pytest.mark.parametrize("model", VIEWS, ids=name_of)
def test_pickles_and_files(model, tmp_path):
    model = clone(model).fit(X)
    expected = answer(model, X[:20])
    np.testing.assert_array_equal(answer(pickle.loads(pickle.dumps(model)), X[:20]), expected)
    mercer.save(model, tmp_path / "model.safetensors")
    loaded = mercer.load(tmp_path / "model.safetensors")
    assert str(loaded) == str(model)
    np.testing.assert_array_equal(answer(loaded, X[:20]), expected)
    assert "operations" in model.explain(X)


@pytest.mark.parametrize("model", VIEWS[:4], ids=name_of)
def test_strings(model):
    kernel = (
        "squared_mmd(gaussian())" if isinstance(model, mercer.ClassicalScaling) else "normalized(spectrum(length=2))"
    )
    points = WORDS
    if isinstance(model, mercer.ClassicalScaling):
        points = [np.array([[0.0], [0.1], [0.2]]) + len(word) for word in WORDS]
    model = clone(model).set_params(kernel=kernel)
    found = answer(model.fit(points), points)
    assert len(found) == len(WORDS)
    np.testing.assert_allclose(answer(model, points[:2]), found[:2], atol=1e-9)
    with pytest.raises(ValueError, match=r"takes|expected"):
        clone(model).fit(X if not isinstance(model, mercer.ClassicalScaling) else WORDS)


@pytest.mark.parametrize("model", VIEWS[:4], ids=name_of)
def test_wrong_data(model):
    wrong = X.copy()
    wrong[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        clone(model).fit(wrong)
    with pytest.raises(ValueError, match="0 sample"):
        clone(model).fit(X[:0])


def test_two_views_as_in_scikit_learns_cca():
    """One view gives its variates, two views give both, from a fit of the same rows too."""
    from sklearn.cross_decomposition import CCA

    first, second = X[:60, :2], X[:60, 2:]
    ours, theirs = mercer.KernelCCA(1, kernels="linear()", kappa=1e-6), CCA(1)
    both, expected = ours.fit_transform(first, second), theirs.fit_transform(first, second)
    assert isinstance(both, tuple)
    assert isinstance(expected, tuple)
    assert [found.shape for found in both] == [found.shape for found in expected]
    again, alone = ours.transform(first, second), ours.transform(first)
    assert isinstance(again, tuple)
    assert alone.shape == theirs.transform(first).shape
    np.testing.assert_allclose(both[0], again[0], atol=1e-12)
    np.testing.assert_allclose(both[1], again[1], atol=1e-12)
    np.testing.assert_array_equal(alone, again[0])
    # Lists of views give lists, as before.
    assert isinstance(ours.fit_transform([first, second]), list)
    for a, b in zip(both, expected, strict=True):
        assert abs(np.corrcoef(a[:, 0], b[:, 0])[0, 1]) > 0.999


def test_the_affinity_follows_the_labels_unless_it_is_given(tmp_path):
    low, high, labels = X[:40], X[:40] ** 2, (np.arange(40) % 3).tolist()

    def values(affinity, *given):
        return mercer.CoupledKernelEmbedding(2, affinity=affinity).fit(low, high, *given).eigenvalues_

    np.testing.assert_array_equal(values("auto"), values("pairs"))
    np.testing.assert_array_equal(values("auto", labels, labels), values("class", labels, labels))
    assert not np.allclose(values("auto"), values("auto", labels, labels))
    with pytest.raises(ValueError, match="no affinity class for points without labels"):
        values("class")
    with pytest.raises(ValueError, match="39"):
        mercer.CoupledKernelEmbedding(2).fit(low, high[1:])
    model = mercer.CoupledKernelEmbedding(2).fit(low, high, labels, labels)
    mercer.save(model, tmp_path / "model.safetensors")
    assert mercer.load(tmp_path / "model.safetensors").affinity == "auto"


K = "gaussian(lengthscale=2)"
TWO = ["gaussian(lengthscale=1)", "linear()"]
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"])
SPLIT = FRAME[["a", "b"]], FRAME[["c", "d"]]
NAMES = IRIS.target_names[SPECIES]

#: Words of the command line, the class that comes back, its parameters, and the data that it is fitted to again.
COMMANDS = {
    "components through landmarks": (
        ["embed", "pca", "--kernel", K, "--components", 3, "--solver", "nystrom", "--landmarks", 20, "--seed", 5],
        mercer.KernelPCA,
        {"n_components": 3, "kernel": K, "eigen_solver": "nystrom", "n_landmarks": 20, "random_state": 5},
        (FRAME,),
    ),
    "components with an inverse": (
        ["embed", "pca", "--kernel", K, "--components", 2, "--inverse", 0.5, "--remove-zero"],
        mercer.KernelPCA,
        {"n_components": 2, "fit_inverse_transform": True, "alpha": 0.5, "remove_zero_eig": True},
        (FRAME,),
    ),
    "means": (
        ["cluster", "-k", 3, "--kernel", K, "--starts", 4, "--max-iterations", 50, "--init", "random", "--seed", 7],
        mercer.KernelKMeans,
        {"n_clusters": 3, "kernel": K, "n_init": 4, "max_iter": 50, "init": "random", "random_state": 7},
        (FRAME,),
    ),
    "as many means as there are": (
        ["cluster", "-k", "auto", "--kernel", K],
        mercer.KernelKMeans,
        {"n_clusters": "auto", "kernel": K},
        (FRAME,),
    ),
    "spectral clusters": (
        ["cluster", "-k", 3, "--spectral", "--kernel", K, "--landmarks", 30, "--starts", 3, "--seed", 2],
        mercer.SpectralClustering,
        {"n_clusters": 3, "kernel": K, "n_landmarks": 30, "n_init": 3, "random_state": 2},
        (FRAME,),
    ),
    "correlations": (
        [
            "embed",
            "cca",
            "--x",
            "a,b",
            "--y",
            "c,d",
            "--kernels",
            K,
            "--kernels",
            "linear()",
            "--components",
            1,
            "--kappa",
            0.1,
            "--form",
            "fukumizu",
            "--permutations",
            19,
            "--seed",
            3,
        ],
        mercer.KernelCCA,
        {
            "kernels": [K, "linear()"],
            "n_components": 1,
            "kappa": 0.1,
            "form": "fukumizu",
            "n_permutations": 19,
            "random_state": 3,
        },
        (list(SPLIT),),
    ),
    "sources": (
        [
            "embed",
            "ica",
            "--components",
            2,
            "--contrast",
            "kgv",
            "--lengthscale",
            0.7,
            "--kappa",
            0.01,
            "--starts",
            2,
            "--scale",
            "none",
            "--seed",
            4,
        ],
        mercer.KernelICA,
        {"n_components": 2, "contrast": "kgv", "lengthscale": 0.7, "kappa": 0.01, "n_init": 2, "random_state": 4},
        (FRAME,),
    ),
    "coordinates": (
        ["embed", "scaling", "--components", 2, "--kernel", "distance(power=1)", "--indefinite"],
        mercer.ClassicalScaling,
        {"n_components": 2, "kernel": "distance(power=1)", "allow_indefinite": True},
        (FRAME,),
    ),
    "matches": (
        [
            "match",
            "--kernel-low",
            K,
            "--kernel-high",
            "linear()",
            "--components",
            2,
            "--reg",
            0.01,
            "--affinity",
            "neighbors",
            "--neighbors",
            3,
        ],
        mercer.CoupledKernelEmbedding,
        {
            "kernel_low": K,
            "kernel_high": "linear()",
            "n_components": 2,
            "reg": 0.01,
            "affinity": "neighbors",
            "n_neighbors": 3,
        },
        SPLIT,
    ),
    "a regression with several kernels": (
        [
            "fit",
            "multiple-ridge",
            "--target",
            "d",
            "--drop",
            "name",
            "--kernels",
            ";".join(TWO),
            "--lambda",
            0.3,
            "--method",
            "alignment",
            "--normalize",
            "none",
            "--norm",
            2,
            "--intercept",
        ],
        mercer.MultipleKernelRegressor,
        {
            "kernels": TWO,
            "alpha": 0.3,
            "method": "alignment",
            "normalize": "none",
            "norm": 2,
            "fit_intercept": True,
        },
        (FRAME[["a", "b", "c"]], FRAME["d"]),
    ),
    "classes with several kernels": (
        ["fit", "multiple-svm", "--target", "name", "--kernels", TWO[0], "--kernels", TWO[1], "--C", 7, "--norm", 1.5],
        mercer.MultipleKernelClassifier,
        {"kernels": TWO, "C": 7, "method": "simple", "normalize": "trace", "norm": 1.5},
        (FRAME, NAMES),
    ),
    "a region with several kernels": (
        ["fit", "multiple-one-class", "--drop", "name", "--kernels", ";".join(TWO), "--nu", 0.2, "--method", "mean"],
        mercer.MultipleKernelOneClass,
        {"kernels": TWO, "nu": 0.2, "method": "mean", "normalize": "trace", "norm": 1},
        (FRAME,),
    ),
}


def numbers_of(model, data):
    """What a fit gives for the points of this data."""
    if isinstance(model, mercer.CoupledKernelEmbedding):
        return [model.transform_low(data[0]), model.transform_high(data[1])]
    named = ("transform", "decision_function", "predict")
    found = next(getattr(model, name) for name in named if hasattr(model, name))(data[0])
    return found if isinstance(found, list) else [found]


@pytest.mark.parametrize("name", COMMANDS)
def test_settings_survive_the_command_line(name, tmp_path):
    """The loaded estimator has the parameters of the command, and fits the same numbers again."""
    tool = next((p for p in (mercer.__file__ and _tools()) if p.exists()), None)
    if tool is None:
        pytest.skip("the command-line tool was not built")
    words, kind, expected, data = COMMANDS[name]
    command, rest = (words[:1], words[1:]) if words[0] in ("cluster", "match") else (words[:2], words[2:])
    files = []
    for number, part in enumerate(SPLIT if command == ["match"] else [FRAME]):
        named = part.assign(name=NAMES) if command[0] == "fit" else part
        files.append(tmp_path / f"{number}.csv")
        named.to_csv(files[-1], index=False)
    path = tmp_path / "model.safetensors"
    output = ["-o" if command[0] == "fit" else "--model", path]
    subprocess.run([tool, *map(str, [*command, *files, *rest, *output, "--quiet"])], check=True, capture_output=True)
    model = mercer.load(path)
    assert type(model) is kind
    assert {name: model.get_params()[name] for name in expected} == expected
    again = clone(model).fit(*data)
    for found, own in zip(numbers_of(model, data), numbers_of(again, data), strict=True):
        np.testing.assert_allclose(found, own, rtol=1e-9, atol=1e-9)


def test_views_of_the_command_line_are_scaled(tmp_path):
    """Without kernels the command line standardizes the columns of every view, and so does what is loaded."""
    tool = next((p for p in _tools() if p.exists()), None)
    if tool is None:
        pytest.skip("the command-line tool was not built")
    FRAME.to_csv(tmp_path / "iris.csv", index=False)
    model, out = tmp_path / "model.safetensors", tmp_path / "out.csv"
    files = ["--model", model, "-o", out, "--quiet"]
    words = ["embed", "cca", tmp_path / "iris.csv", "--x", "a,b", "--y", "c,d", "--components", "2", *files]
    subprocess.run([tool, *words], check=True, capture_output=True)
    found = np.hstack(mercer.load(model).transform(list(SPLIT)))
    np.testing.assert_allclose(found, pd.read_csv(out).to_numpy(), rtol=1e-9, atol=1e-11)
    for name, part in zip("xy", SPLIT, strict=True):
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    words = ["match", tmp_path / "x.csv", tmp_path / "y.csv", "--components", "2", "--force", *files]
    subprocess.run([tool, *words], check=True, capture_output=True)
    indices, distances = mercer.load(model).match(*SPLIT)
    expected = pd.read_csv(out)
    np.testing.assert_array_equal(indices[:, 0], expected["match"])
    np.testing.assert_allclose(distances[:, 0], expected["distance"], rtol=1e-6, atol=1e-9)


def _tools():
    from pathlib import Path

    target = Path(__file__).parents[3] / "target"
    return [target / "debug" / "mercer", target / "release" / "mercer"]


def test_principal_components(golden):
    case = golden("c10_kernel_pca")
    points, new = np.array(case.inputs["X"]), np.array(case.inputs["T"])
    texts = {
        "gaussian": "gaussian(lengthscale={l})",
        "polynomial": "polynomial(degree={m}, offset={c}, scale={scale})",
        "laplacian": "laplacian(lengthscale={l})",
    }
    for key, expected in case.expected.items():
        given = next(k for k in case.inputs["kernels"] if key.endswith(k["name"]))
        kernel = texts[given["name"]].format(**given["params"])
        pca = mercer.KernelPCA(4, kernel=kernel).fit(points)
        case.check(key, pca.eigenvalues_, np.array(expected["mu"]))
        case.check(key, pca.explained_variance_ratio_, np.array(expected["explained_ratio"]))
        case.check(key, pca.reconstruction_error_, expected["reconstruction_error_after_nc"])
        np.testing.assert_allclose(pca.transform(points), expected["scores"], atol=1e-8)
        projection = np.array(expected["projection_T"])
        np.testing.assert_allclose(pca.transform(new), projection.reshape(len(new), 4), atol=1e-8)


def test_pca_is_that_of_scikit_learn():
    from sklearn.decomposition import KernelPCA

    for kernel in ("linear", "rbf", "poly", "sigmoid"):
        parameters = {"kernel": kernel, "gamma": 0.1}
        ours, theirs = mercer.KernelPCA(3, **parameters).fit(X), KernelPCA(3, **parameters).fit(X)
        np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
        np.testing.assert_allclose(np.abs(ours.transform(X[:9])), np.abs(theirs.transform(X[:9])), atol=1e-7)
    inverse = {"kernel": "rbf", "gamma": 0.2, "fit_inverse_transform": True, "alpha": 0.1}
    ours, theirs = mercer.KernelPCA(2, **inverse).fit(X), KernelPCA(2, **inverse).fit(X)
    np.testing.assert_allclose(
        ours.inverse_transform(ours.transform(X)), theirs.inverse_transform(theirs.transform(X)), rtol=1e-5, atol=1e-7
    )


def test_novelty_and_preimages():
    pca = mercer.KernelPCA(4, kernel="gaussian(lengthscale=2)").fit(X)
    scores = pca.score_samples(np.vstack([X[:50], X[:50] + 8.0]))
    assert scores[:50].max() < scores[50:].min()
    assert pca.reconstruction_error_ == pytest.approx(pca.score_samples(X).sum())
    back = pca.preimage(pca.transform(X[:5]))
    assert np.abs(back - X[:5]).max() < 1.0
    with pytest.raises(ValueError, match="ridge"):
        mercer.KernelPCA(2, kernel="laplacian()").fit(X).preimage(np.zeros((1, 2)))


def test_clusters(golden):
    case = golden("c10_kernel_kmeans")
    points = np.array(case.inputs["X"])
    kernel = "gaussian(lengthscale={l})".format(**case.inputs["params"])
    for count, key in [(2, "best_k2_kernel"), (3, "best_k3_kernel")]:
        found = mercer.KernelKMeans(count, kernel=kernel, random_state=0).fit(points)
        best = case.expected[key]
        case.check(key, found.objective_, best["objective"])
        assert found.labels_.tolist() == best["labels"]


def test_clusters_of_moons():
    points, label = make_moons(300, noise=0.05, random_state=0)
    spectral = mercer.SpectralClustering(2, kernel="gaussian(lengthscale=0.1)", random_state=0).fit(points)
    right = (spectral.labels_ == spectral.labels_[0]) == (label == label[0])
    assert right.all()
    np.testing.assert_array_equal(spectral.predict(points), spectral.labels_)
    distances = mercer.KernelKMeans(3, random_state=0).fit(X).transform(X)
    assert distances.shape == (150, 3)
    weights = np.r_[np.full(50, 2.0), np.ones(100)]
    weighted = mercer.KernelKMeans(3, gamma=0.5, random_state=0).fit(X, sample_weight=weights)
    repeated = mercer.KernelKMeans(3, gamma=0.5, random_state=0).fit(np.vstack([X, X[:50]]))
    assert weighted.objective_ == pytest.approx(repeated.objective_)
    with pytest.raises(ValueError, match="n_clusters"):
        mercer.KernelKMeans(0).fit(X)
    with pytest.warns(mercer.ConvergenceWarning, match="distinct points"):
        many = mercer.KernelKMeans(160, random_state=0).fit(X)
    assert many.n_clusters_ == len(np.unique(X, axis=0))
    assert many.objective_ == pytest.approx(0.0, abs=1e-9)


def test_canonical_correlations(golden):
    case = golden("c10_kernel_cca")
    x, y = np.array(case.inputs["X"]), np.array(case.inputs["Y"])
    x, y = (v if v.ndim == 2 else v[:, None] for v in (x, y))
    kernels = [f"gaussian(lengthscale={case.inputs[key]})" for key in ("lx", "ly")]
    for form, strength in [("bach_jordan", "kappa"), ("fukumizu", "eps")]:
        rho = np.array(case.expected[form]["rho"])
        count = min(4, len(rho))
        cca = mercer.KernelCCA(count, kernels=kernels, kappa=case.inputs[strength], form=form).fit(x, y)
        np.testing.assert_allclose(cca.correlations_, rho[:count], rtol=1e-6, atol=1e-8)


def test_views_of_different_kinds(tmp_path):
    lengths = np.array([[float(len(word))] for word in WORDS])
    kernels = ["normalized(spectrum(length=1))", "gaussian(lengthscale=1)"]
    cca = mercer.KernelCCA(1, kernels=kernels, n_permutations=19, random_state=0).fit([WORDS, lengths])
    assert 0 < cca.p_values_[0] <= 1
    one, other = cca.transform([WORDS, lengths])
    assert one.shape == other.shape == (9, 1)
    assert cca.score([WORDS, lengths]) == pytest.approx(np.corrcoef(one[:, 0], other[:, 0])[0, 1])
    mercer.save(cca, tmp_path / "cca.safetensors")
    np.testing.assert_array_equal(mercer.load(tmp_path / "cca.safetensors").transform([WORDS, lengths])[0], one)
    with pytest.raises(ValueError, match="view"):
        mercer.KernelCCA(1).fit(X, X[:10])
    with pytest.raises(ValueError, match="views"):
        mercer.KernelCCA(1, kernels=["linear()"] * 3).fit(X, X)
    with pytest.raises(ValueError, match="y"):
        mercer.KernelCCA(1).fit(X)
    assert mercer.KernelCCA(1, kappa="auto", random_state=0).fit(X[:60, :2], X[:60, 2:]).kappa_ > 0


def test_independent_components(golden):
    case = golden("c10_ica_separation_threshold")
    sources, mixing = np.array(case.inputs["S"]), np.array(case.inputs["A"])
    ica = mercer.KernelICA(random_state=0).fit(sources @ mixing.T)
    assert mercer.amari_distance(ica.components_, mixing) < case.expected["threshold"]
    mixtures = sources @ mixing.T
    assert ica.contrast_ == pytest.approx(mercer.negentropy_contrast(ica.transform(mixtures)), rel=1e-6)
    with pytest.raises(ValueError, match="lengthscale"):
        mercer.negentropy_contrast(mixtures, 1.0)
    np.testing.assert_allclose(ica.inverse_transform(ica.transform(mixtures)), mixtures, atol=1e-9)
    case = golden("c10_kernel_ica_contrasts")
    sigma, kappa = case.inputs["sigma"], case.inputs["kappa"]
    for name in ("independent", "dependent"):
        values = np.array(case.inputs[name])
        values = values if values.shape[0] > values.shape[1] else values.T
        for count in (2, 3):
            key = f"{name}_first_{count}"
            expected, columns = case.expected[key], np.ascontiguousarray(values[:, :count])
            for kind in ("kcc", "kgv"):
                found = getattr(mercer, f"{kind}_contrast")(columns, sigma, kappa)
                np.testing.assert_allclose(found, expected[f"{kind}_contrast"], rtol=1e-6)
            np.testing.assert_allclose(mercer.hsic_contrast(columns, sigma), expected["hsic_contrast"], rtol=1e-6)


def test_contrasts_of_rotations(golden):
    """The contrasts along all rotations of white data, and the rotation that the fit finds."""
    case = golden("c10_kernel_ica_rotation_scan")
    sources, mixing = np.array(case.inputs["S"]), np.array(case.inputs["A"])
    sigma, kappa = case.inputs["sigma"], case.inputs["kappa"]
    mixtures = sources @ mixing.T
    centered = mixtures - mixtures.mean(axis=0)
    values, vectors = np.linalg.eigh(centered.T @ centered / len(centered))
    root = (vectors / np.sqrt(values)) @ vectors.T
    options = {"kcc": (sigma, kappa), "kgv": (sigma, kappa), "hsic": (sigma,)}
    for kind, widths in options.items():
        contrast, found = getattr(mercer, f"{kind}_contrast"), []
        for angle in case.expected["theta"]:
            rotation = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
            found.append(contrast(centered @ root @ rotation.T, *widths))
        case.check("scan", found, case.expected[kind])
        optimum = case.expected["optimum"][kind]
        given = {"lengthscale": sigma, "kappa": kappa, "random_state": 0}
        ica = mercer.KernelICA(contrast=kind, **given).fit(mixtures)
        amari = mercer.amari_distance(ica.components_, mixing)
        case.check("optimum", [ica.contrast_, amari], [optimum["contrast"], optimum["amari"]])
        assert amari < case.expected["amari_threshold_for_a_good_method"]
        # The unmixing is a rotation of the white data, up to a quarter turn and signs.
        turned = ica.components_ @ np.linalg.inv(root)
        case.check("optimum", np.arctan2(turned[0, 1], turned[0, 0]) % (np.pi / 2), optimum["theta_opt"])


def test_coupled_embedding(golden, tmp_path):
    case = golden("c16_coupled_kernel_embedding")
    low, high = np.array(case.inputs["X_L"]), np.array(case.inputs["X_H"])
    kernels = {
        f"kernel_{side}": f"gaussian(lengthscale={case.inputs[key]})" for side, key in [("low", "l_L"), ("high", "l_H")]
    }
    for key in ("W_class", "W_dense"):
        model = mercer.CoupledKernelEmbedding(case.inputs["q"], reg=case.inputs["reg"], **kernels)
        model.fit(low, high, W=np.array(case.inputs[key]))
        expected = case.expected[key]
        smallest = expected["mu_smallest"][: case.inputs["q"]]
        np.testing.assert_allclose(model.eigenvalues_, smallest, rtol=1e-6, atol=1e-8)
    labels = case.inputs["labels_L"], case.inputs["labels_H"]
    model = mercer.CoupledKernelEmbedding(2, **kernels).fit(low, high, *labels)
    indices, distances = model.match(low, high, k=2)
    assert indices.shape == distances.shape == (len(low), 2)
    assert (distances[:, 0] <= distances[:, 1]).all()
    np.testing.assert_allclose(model.transform_low(low), model.embedding_low_, atol=1e-9)
    mercer.save(model, tmp_path / "coupled.safetensors")
    loaded = mercer.load(tmp_path / "coupled.safetensors")
    np.testing.assert_array_equal(loaded.match(low, high)[0], model.match(low, high)[0])
    with pytest.raises(ValueError, match="expected"):
        mercer.CoupledKernelEmbedding(2).fit(low, high, W=np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"-1|−1|at least 0|negative"):
        mercer.CoupledKernelEmbedding(2).fit(low, high, W=-np.ones((len(low), len(high))))


def test_scaling_of_distances():
    points = np.random.default_rng(0).normal(size=(30, 2))
    squares = ((points[:, None] - points[None]) ** 2).sum(-1)
    for model in (
        mercer.ClassicalScaling(2).fit(points),
        mercer.ClassicalScaling(2, kernel="precomputed").fit(squares),
    ):
        found = ((model.embedding_[:, None] - model.embedding_[None]) ** 2).sum(-1)
        np.testing.assert_allclose(found, squares, atol=1e-9)
        assert model.stress_ < 1e-7
        assert model.negative_part_ < 1e-9
    with pytest.raises(ValueError, match="negative"):
        mercer.ClassicalScaling(2, kernel="gaussian()").fit(points)


def test_learners_are_declared():
    learners = {entry["name"]: entry for entry in mercer.learners()}
    assert {"ridge", "svc", "pca", "kmeans", "cca", "ica", "coupled", "scaling", "spectral"} <= set(learners)
    assert all(parameter["meaning"] for entry in learners.values() for parameter in entry["parameters"])


@parametrize_with_checks(
    [mercer.MultipleKernelRegressor(), mercer.MultipleKernelClassifier(), mercer.MultipleKernelOneClass()],
    # Equivalent up to the tolerance, as for support vector machines.
    expected_failed_checks=lambda estimator: (
        {}
        if isinstance(estimator, mercer.MultipleKernelRegressor)
        else {f"check_sample_weight_equivalence_on_{kind}_data": "up to the tolerance" for kind in ("dense", "sparse")}
    ),
)
def test_scikit_learn_checks_of_several_kernels(estimator, check):
    check(estimator)


def test_weights_of_kernels(tmp_path):
    target = np.sin(X[:, 2]) + 0.1 * X[:, 0]
    kernels = ["on([2], gaussian(lengthscale=1))", "on([0], linear())", "on([1], gaussian(lengthscale=0.01))"]
    model = mercer.MultipleKernelRegressor(kernels, alpha=0.1).fit(X, target)
    assert model.weights_.sum() == pytest.approx(1.0)
    assert model.weights_[2] == pytest.approx(0.0, abs=1e-3)
    assert model.duality_gap_ < 1e-2
    assert model.score(X, target) > 0.95
    # The weighted sum is a kernel of the language: ridge regression with it is the same function.
    ridge = mercer.KernelRidge(0.1, kernel=model.kernel_, fit_intercept=True).fit(X, target)
    np.testing.assert_allclose(ridge.predict(X), model.predict(X), atol=1e-8)
    classifier = mercer.MultipleKernelClassifier(kernels, C=10).fit(X, IRIS.target_names[SPECIES])
    assert classifier.score(X, IRIS.target_names[SPECIES]) > 0.9
    for fitted in (model, classifier):
        mercer.save(fitted, tmp_path / "model.safetensors")
        loaded = mercer.load(tmp_path / "model.safetensors")
        assert loaded.kernels == kernels
        np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))
    with pytest.raises(ValueError, match="kernels"):
        mercer.MultipleKernelRegressor([]).fit(X, target)
    spread = mercer.MultipleKernelRegressor(kernels[:2], alpha=0.1, norm=2).fit(X, target)
    assert (spread.weights_**2).sum() == pytest.approx(1.0)


def test_a_common_factor_of_multiple_kernels_changes_nothing():
    labels = SPECIES == 1
    kernels = ["gaussian(lengthscale=1)", "on([0], linear())", "on([2], gaussian(lengthscale=0.5))"]
    scaled = [f"0.001*{kernel}" for kernel in kernels]
    one, other = (mercer.MultipleKernelClassifier(each, C=10).fit(X, labels) for each in (kernels, scaled))
    np.testing.assert_allclose(one.weights_, other.weights_, atol=1e-2)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    # The machine with the kernel of the model and the same C is the model.
    plain = mercer.SVC(C=10, kernel=other.kernel_).fit(X, labels)
    np.testing.assert_allclose(plain.decision_function(X), other.decision_function(X), atol=1e-8)
    given = mercer.MultipleKernelClassifier(scaled, C=10, normalize="none").fit(X, labels)
    assert given.score(X, labels) < other.score(X, labels)
    with pytest.raises(ValueError, match="normalize"):
        mercer.MultipleKernelClassifier(kernels, normalize="variance").fit(X, labels)


def test_a_region_with_several_kernels(tmp_path):
    kernels = ["gaussian(lengthscale=1)", "on([0], linear())", "gaussian(lengthscale=0.1)"]
    model = mercer.MultipleKernelOneClass(kernels, nu=0.2, norm=2).fit(X)
    assert (model.weights_**2).sum() == pytest.approx(1.0)
    assert model.shares_.sum() == pytest.approx(1.0)
    assert model.duality_gap_ >= 0.0
    # The machine with the kernel of the model and the same nu is the model.
    plain = mercer.OneClassSVM(nu=0.2, kernel=model.kernel_).fit(X)
    np.testing.assert_allclose(plain.decision_function(X), model.decision_function(X), atol=1e-8)
    np.testing.assert_allclose(plain.offset_, model.offset_, atol=1e-8)
    np.testing.assert_allclose(model.score_samples(X) - model.offset_, model.decision_function(X))
    np.testing.assert_array_equal(model.predict(X), np.where(model.decision_function(X) >= 0, 1, -1))
    assert 0.1 < (model.predict(X) == -1).mean() < 0.35
    # Far away Gaussians vanish; the linear kernel would not.
    assert (mercer.MultipleKernelOneClass(kernels[::2], nu=0.2).fit(X).predict(X + 20.0) == -1).all()
    np.testing.assert_array_equal(clone(model).fit_predict(X), model.predict(X))
    assert "operations" in model.explain(X)
    mercer.save(model, tmp_path / "model.safetensors")
    for again in (mercer.load(tmp_path / "model.safetensors"), pickle.loads(pickle.dumps(model))):
        assert again.get_params() == model.get_params()
        np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
        np.testing.assert_array_equal(again.offset_, model.offset_)
    mean = mercer.MultipleKernelOneClass(kernels, method="mean").fit(X)
    np.testing.assert_allclose(mean.weights_ / mean.weights_.sum(), mean.weights_)
    weighted = mercer.MultipleKernelOneClass(kernels[:1], nu=0.3).fit(
        X, sample_weight=np.r_[np.full(50, 2.0), [1.0] * 100]
    )
    repeated = mercer.MultipleKernelOneClass(kernels[:1], nu=0.3).fit(np.vstack([X, X[:50]]))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=5e-3)
    strings = mercer.MultipleKernelOneClass(["spectrum(length=1)", "spectrum(length=2)"], nu=0.4).fit(WORDS)
    assert strings.decision_function(["zzzz"])[0] < strings.decision_function(WORDS).min()
    for wrong, message in [({"nu": 0}, "nu"), ({"method": "alignment"}, "method"), ({"kernels": []}, "kernels")]:
        with pytest.raises(ValueError, match=message):
            mercer.MultipleKernelOneClass(**wrong).fit(X)
    with pytest.raises(ValueError, match="NaN"):
        mercer.MultipleKernelOneClass().fit([[np.nan], [1.0]])


def test_spectral_clustering_with_the_parameters_of_scikit_learn():
    from scipy.sparse import csr_array
    from sklearn.neighbors import kneighbors_graph

    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 0.1, (20, 2)), rng.normal(3, 0.1, (25, 2))])
    truth = np.repeat([0, 1], [20, 25])
    own = mercer.SpectralClustering(2, kernel="rbf", random_state=0).fit(points)
    named = mercer.SpectralClustering(2, affinity="rbf", random_state=0, assign_labels="discretize").fit(points)
    np.testing.assert_array_equal(named.labels_, own.labels_)
    np.testing.assert_array_equal(named.predict(points), own.predict(points))
    with pytest.warns(UserWarning, match="not fully connected"):
        near = mercer.SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=5, random_state=0).fit(points)
    np.testing.assert_array_equal(near.labels_, truth)
    with pytest.raises(AttributeError, match="has no attribute 'predict'"):
        near.predict(points)
    distances = kneighbors_graph(points, 8, mode="distance")
    graph = mercer.SpectralClustering(2, affinity="precomputed_nearest_neighbors", n_neighbors=5, random_state=0)
    with pytest.warns(UserWarning, match="not fully connected"):
        graph.fit(distances)
    np.testing.assert_array_equal(graph.labels_, truth)
    affinities = csr_array(mercer.gaussian()(points))
    sparse = mercer.SpectralClustering(2, affinity="precomputed", random_state=0).fit(affinities)
    np.testing.assert_array_equal(sparse.labels_, truth)
    fewer = mercer.SpectralClustering(4, n_components=2, random_state=0).fit(X)
    assert len(np.unique(fewer.labels_)) == 4
    assert fewer.embedding_.shape == (len(X), 2)
    with pytest.raises(ValueError, match="assign_labels = 'other' is not allowed"):
        mercer.SpectralClustering(2, assign_labels="other").fit(points)


def product(a, b):
    return a @ b


@pytest.mark.parametrize("kind", [mercer.MultipleKernelRegressor, mercer.MultipleKernelClassifier])
def test_kernels_that_have_no_text(kind):
    target = X[:, 0] > X[:, 0].mean()
    with pytest.raises(ValueError, match="kernels must be kernels of the language or precomputed, not functions"):
        kind([product, "linear()"]).fit(X, target)
    with pytest.raises(ValueError, match="kernels must be .* not 'cosine' of scikit-learn"):
        kind(["cosine"]).fit(X, target)
    for name in ("precomputed", "precomputed()"):
        with pytest.raises(ValueError, match=r"kernel values must be a square matrix, found \(20, 2\)"):
            kind([name]).fit(X[:20, :2], np.arange(20) > 9)
        with pytest.raises(ValueError, match="not symmetric"):
            kind([name]).fit(X[:4], np.arange(4) > 1)
    with pytest.raises(ValueError, match="needs points, but the matrix holds kernel values"):
        kind(["precomputed", "linear()"]).fit(X @ X.T, target)


@pytest.mark.parametrize("kind", [mercer.MultipleKernelRegressor, mercer.MultipleKernelClassifier])
def test_several_kernels_on_a_matrix_of_values(kind):
    """Folds of kernel values take rows and columns."""
    target, gram = X[:, 0] > X[:, 0].mean(), X @ X.T
    assert kind(["precomputed"]).__sklearn_tags__().input_tags.pairwise
    assert not kind().__sklearn_tags__().input_tags.pairwise
    found = cross_val_score(kind(["precomputed"]), gram, target, cv=3)
    np.testing.assert_allclose(found, cross_val_score(kind(["linear()"]), X, target, cv=3), atol=1e-6)


def test_views_refuse_functions_as_kernels():
    with pytest.raises(ValueError, match="kernels must be kernels of the language or precomputed, not functions"):
        mercer.KernelCCA(1, kernels=product).fit(X, X)
    with pytest.raises(ValueError, match="kernel_low and kernel_high must be kernels of the language"):
        mercer.CoupledKernelEmbedding(1, kernel_high=product, affinity="pairs").fit(X, X)


@pytest.mark.parametrize(
    "model",
    [
        mercer.SVC(kernel="precomputed()"),
        mercer.SVCCV(kernel="precomputed()", cv=2),
        mercer.KernelLogisticRegression(kernel="precomputed()"),
        mercer.KernelRidge(kernel="precomputed()"),
        mercer.KernelRidgeCV(kernel="precomputed()"),
        mercer.KernelPCA(kernel="precomputed()"),
        mercer.KernelKMeans(2, kernel="precomputed()"),
        mercer.SpectralClustering(2, kernel="precomputed()"),
    ],
    ids=name_of,
)
def test_kernel_values_that_are_no_square_matrix(model):
    """An error, not a panic where rows are chosen."""
    with pytest.raises(ValueError, match="kernel values"):
        clone(model).fit(X, (X[:, 0] > X[:, 0].mean()).astype(int))
