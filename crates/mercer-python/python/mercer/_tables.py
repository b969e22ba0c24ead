"""Tables of every kind: data frames, tables of Arrow and whatever exports them, and columns that hold no numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._dask import is_dask
from mercer._mercer import Kernel

#: The estimators whose fits take Dask collections, partition by partition.
PARTITIONED = (
    "StreamedKernelRidge",
    "StreamedKernelLogisticRegression",
    "KernelPCA",
    "KernelKMeans",
    "RandomFourierFeatures",
    "Nystroem",
)
#: Numbers up to which points are checked for being plain.
_FEW = 10_000
#: Checks that plain rows of doubles pass, but for the number of rows.
_PLAIN_CHECKS = {"dtype", "order", "accept_sparse", "reset", "y_numeric", "multi_output", "ensure_min_samples"}


def is_arrow(X: Any) -> bool:
    """Whether it is a table of Arrow, or exports one (the PyCapsule interface); data frames and columns are not."""
    if type(X) is np.ndarray or isinstance(X, (list, tuple)):
        return False
    exports = hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")
    return exports and not any(hasattr(X, name) for name in ("dtypes", "dtype", "type"))


def refuse_dask(who: str, **values: Any) -> None:
    """Refuse Dask collections where all rows would silently be loaded."""
    for name, value in values.items():
        if is_dask(value):
            *first, last = PARTITIONED
            raise TypeError(
                f"{name} is a Dask collection, and {who} needs all rows in memory: pass {name}.compute(), or fit one "
                f"of {', '.join(first)} and {last}, which process the partitions one by one"
            )


def as_frame(X: Any) -> Any:
    """Return a table of Arrow as a data frame, by whichever package is there; everything else as it is.

    Raises ``ValueError`` where no package can read it, and ``TypeError`` for a Dask collection: whatever processes
    these partition by partition does so before it comes here.
    """
    refuse_dask("this method", X=X)
    if not is_arrow(X):
        return X
    for read in (_by_pandas, _by_polars, _by_pyarrow):
        try:
            return read(X)
        except ImportError:
            continue
    raise ValueError(f"X: reading {type(X).__name__}, an Arrow table, needs pandas, polars or pyarrow")


def _by_pandas(X: Any) -> Any:
    import pandas

    if hasattr(X, "to_pandas"):
        return X.to_pandas()
    if hasattr(pandas.DataFrame, "from_arrow"):
        return pandas.DataFrame.from_arrow(X)
    return _by_pyarrow(X).to_pandas()


def _by_polars(X: Any) -> Any:
    import polars

    return polars.DataFrame(X)


def _by_pyarrow(X: Any) -> Any:
    import pyarrow

    return pyarrow.table(X)


def len_of(X: Any) -> int:
    """Return the number of samples."""
    return X.shape[0] if hasattr(X, "shape") else len(X)


def rows_of(X: Any, rows: np.ndarray) -> Any:
    """Return some samples, in the kind of container that all of them are in."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return [X[row] for row in rows] if isinstance(X, (list, tuple)) else X[rows]


def points_of(X: Any) -> Any:
    """Return a table as a data frame, and refuse one with dates: what the compiled part reads."""
    X = as_frame(X)
    _refuse_dates(X)
    return X


def validate_data(estimator: Any, X: Any = "no_validation", *args: Any, **checks: Any) -> Any:
    """Check data as scikit-learn does, with an error that names the column where one holds no numbers."""
    from sklearn.utils.validation import validate_data as check

    if _is_plain(estimator, X, args, checks):
        if checks.get("reset", True):
            estimator.__dict__.pop("feature_names_in_", None)
            estimator.n_features_in_ = X.shape[1]
        return (X, *args) if args else X
    X = _seen_part(estimator, points_of(X), checks.get("reset", True))
    try:
        return check(estimator, X, *args, **checks)
    except (TypeError, ValueError) as error:
        found = _column_without_numbers(X)
        if found is None:
            raise
        raise ValueError(found) from error


def is_plain_rows(X: Any) -> bool:
    """Whether points are a few rows of finite doubles, for which scikit-learn's checks may take longer than a fit."""
    if type(X) is not np.ndarray or X.dtype != np.float64 or X.ndim != 2 or not 0 < X.size <= _FEW:
        return False
    return X.flags.c_contiguous and bool(np.isfinite(X).all())


def _is_plain_target(y: Any, rows: int) -> bool:
    """Whether y is an array of finite numbers, one for each row."""
    if type(y) is not np.ndarray or y.ndim != 1 or len(y) != rows or y.dtype.kind not in "fiub":
        return False
    return y.dtype.kind != "f" or bool(np.isfinite(y).all())


def _is_plain(estimator: Any, X: Any, targets: tuple[Any, ...], checks: dict[str, Any]) -> bool:
    """Whether data passes the checks of scikit-learn as it is: plain rows, and a number for each."""
    if not checks.keys() <= _PLAIN_CHECKS or checks.get("dtype") is not np.float64 or not is_plain_rows(X):
        return False
    known = estimator.__dict__
    same = known.get("n_features_in_") == X.shape[1] and "feature_names_in_" not in known
    if not (checks.get("reset", True) or same) or len(X) < checks.get("ensure_min_samples", 1):
        return False
    return len(targets) <= 1 and all(_is_plain_target(y, len(X)) for y in targets)


def _seen_part(estimator: Any, X: Any, reset: bool) -> Any:
    """Return a data frame without the columns that hold no numbers, where the kernel sees named columns alone."""
    names = _names_seen(getattr(estimator, "kernel", None))
    if not names or not _columns(X):
        return X
    known = None if reset else getattr(estimator, "feature_names_in_", None)
    every = list(X.columns)
    if known is not None and set(known) < set(every):
        return X[list(known)]
    kept = [name for name in every if name in names or not _is_text(X[name])]
    return X if len(kept) == len(every) else X[kept]


def _names_seen(kernel: Any) -> set[str]:
    """Return the names of columns in a kernel that sees no others; nothing for every other kernel."""
    if isinstance(kernel, str) and "on(" in kernel:
        try:
            kernel = Kernel(kernel)
        except ValueError:
            return set()
    if not isinstance(kernel, Kernel) or not kernel.sees_named_columns_only:
        return set()
    return {name for names in kernel.named_columns for name in names}


def _is_text(values: Any) -> bool:
    """Whether a column holds no numbers."""
    kind = _kind(values.dtype)
    return kind is not None or (str(values.dtype) == "object" and _object_kind(values) is not None)


def _columns(X: Any) -> list[tuple[str, Any]]:
    """Return the names and types of the columns of a data frame."""
    names, types = getattr(X, "columns", None), getattr(X, "dtypes", None)
    if names is None or types is None:
        return []
    return list(zip([str(name) for name in names], list(types), strict=False))


def _kind(dtype: Any) -> str | None:
    """Return what a type of a column is, where it is not a number."""
    text = str(dtype).lower()
    for words, kind in (
        (("datetime", "timestamp", "date", "time", "duration", "period", "interval"), "dates or times"),
        (("str", "utf8", "large_string", "category", "categorical", "enum", "dictionary"), "texts or categories"),
        (("list", "struct", "binary", "array", "map"), "nested values"),
    ):
        if text.startswith(words):
            return kind
    return None


def _refuse_dates(X: Any) -> None:
    """Refuse dates, which numpy would silently make numbers of nanoseconds."""
    dtype = getattr(X, "dtype", None)
    if getattr(dtype, "kind", "") in ("M", "m"):
        raise ValueError(f"X holds dates or times ({dtype}): convert them to numbers, such as days since a date")
    for name, kind in _columns(X):
        if _kind(kind) == "dates or times":
            advice = "convert it to numbers, such as days since a date"
            raise ValueError(f"column {name!r} of X holds dates or times ({kind}): {advice}")


def _column_without_numbers(X: Any) -> str | None:
    """Return what is wrong with the first column that holds no numbers."""
    for name, dtype in _columns(X):
        kind = _kind(dtype)
        if kind is None and str(dtype) == "object":
            kind = _object_kind(X[name])
        if kind == "texts or categories":
            advice = f"encode it, or name it in the kernel, such as on([{name}], delta())"
            return f"column {name!r} of X holds {kind} ({dtype}): {advice}"
        if kind is not None:
            return f"column {name!r} of X holds {kind} ({dtype}), expected numbers"
    return None


def _object_kind(values: Any) -> str | None:
    """Return what objects are that are no numbers."""
    for value in values:
        if isinstance(value, str):
            return "texts or categories"
        try:
            float(value)
        except (TypeError, ValueError):
            return f"values of type {type(value).__name__}"
    return None
