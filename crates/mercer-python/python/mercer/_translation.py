"""Kernel objects of scikit-learn as kernels of Mercer, parameter by parameter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.gaussian_process import kernels as theirs

from mercer._mercer import Kernel

#: Beyond this smoothness Mercer has no Matérn kernel.
_MAX_NU = 1e4


class _Untranslatable(Exception):
    """A kernel that Mercer does not have, or that means something else there."""


@dataclass(frozen=True)
class _Slot:
    """Where a parameter of a kernel of Mercer comes from: ``value = exp(theta[index])**power``, or a fixed value."""

    index: int | None
    fixed: float
    power: float = 1.0

    def value(self, theta: np.ndarray) -> float:
        return self.fixed if self.index is None else float(np.exp(self.power * theta[self.index]))


@dataclass(frozen=True)
class Translation:
    """A kernel of Mercer whose parameters are functions of the ``theta`` of a kernel object."""

    template: Kernel
    slots: list[_Slot]
    #: The noise levels of terms that are white noise; their sum is added to the diagonal.
    white: list[_Slot]

    @property
    def requested(self) -> list[bool]:
        """Which parameters of the kernel depend on ``theta``."""
        return [slot.index is not None for slot in self.slots]

    def at(self, theta: np.ndarray) -> tuple[Kernel | None, float]:
        """Return the kernel and the white noise at ``theta``; no kernel where a parameter leaves its range."""
        with np.errstate(over="ignore"):
            values, white = [s.value(theta) for s in self.slots], sum(s.value(theta) for s in self.white)
        try:
            return (self.template.with_parameters(values) if math.isfinite(white) else None), white
        except ValueError:
            return None, white

    def slopes(self, theta: np.ndarray, by_parameter: np.ndarray, by_noise: float) -> np.ndarray:
        """Return a gradient by ``theta`` from the gradients by the parameters and by the noise."""
        gradient = np.zeros(len(theta))
        pairs = [*zip(self.slots, by_parameter, strict=True), *((slot, by_noise) for slot in self.white)]
        for slot, slope in pairs:
            if slot.index is not None:
                gradient[slot.index] += slope * slot.power * slot.value(theta)
        return gradient


def translate(kernel: Any, n_features: int) -> Translation | None:
    """Return the kernel of Mercer with the values of a kernel object on so many columns, or None where there is none.

    White noise is translated as a term of a sum at the top. ``ExpSineSquared`` is translated on one column only: on
    more it takes the sine of the Euclidean distance, Mercer's ``periodic`` one sine per column, which, unlike the
    first, is positive semi-definite in every dimension.
    """
    writer = _Writer(n_features)
    try:
        text = writer.write(kernel, top=True)
    except _Untranslatable:
        return None
    template = Kernel(text or "constant(value=0)")
    known = dict(zip(writer.probes, writer.slots, strict=True))
    found = list(template.parameters.values())
    if len(set(found) & known.keys()) != len(known):
        return None
    slots = [known[value] if value in known else _Slot(None, value) for value in found]
    return Translation(template, slots, writer.white)


class _Writer:
    """Writes the text of a kernel, with a number of its own for every parameter by which it is found again."""

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features
        self.offset = 0
        self.slots: list[_Slot] = []
        self.white: list[_Slot] = []

    @property
    def probes(self) -> list[float]:
        return [_probe(k) for k in range(len(self.slots))]

    def write(self, kernel: Any, top: bool = False) -> str | None:
        """Return the text; None for white noise alone, which only the top of a sum may be."""
        kind = type(kernel)
        if kind is theirs.Sum:
            parts = [self.write(part, top) for part in (kernel.k1, kernel.k2)]
            return " + ".join(part for part in parts if part is not None) or None
        if kind is theirs.Product:
            return self._product(kernel)
        if kind is theirs.Exponentiation:
            return self._power(kernel)
        if kind not in _LEAVES:
            raise _Untranslatable
        slots = self._own(kernel)
        if kind is theirs.WhiteKernel:
            if not top:
                raise _Untranslatable
            self.white += slots["noise_level"]
            return None
        return _LEAVES[kind](self, kernel, slots)

    def _product(self, kernel: Any) -> str:
        parts = []
        for part in (kernel.k1, kernel.k2):
            text = self.write(part)
            # A constant in front is a scale of Mercer: no matrix of its own is filled for it.
            parts.append(self._scale_of(text) if type(part) is theirs.ConstantKernel else f"({text})")
        if type(kernel.k2) is theirs.ConstantKernel:
            parts.reverse()
        constants = sum(type(part) is theirs.ConstantKernel for part in (kernel.k1, kernel.k2))
        return f"constant(value={parts[0]})*constant(value={parts[1]})" if constants == 2 else "*".join(parts)

    @staticmethod
    def _scale_of(text: str | None) -> str:
        return str(text).removeprefix("constant(value=").removesuffix(")")

    def _power(self, kernel: Any) -> str:
        exponent = float(kernel.exponent)
        if not (exponent.is_integer() and 1 <= exponent <= 1000):
            raise _Untranslatable
        return f"({self.write(kernel.kernel)})^{int(exponent)}"

    def _own(self, kernel: Any) -> dict[str, list[_Slot]]:
        """Return where the hyperparameters of a kernel stand in ``theta``, by name; a list for a vector."""
        slots = {}
        for parameter in kernel.hyperparameters:
            values = np.atleast_1d(getattr(kernel, parameter.name)).astype(np.float64).ravel()
            free = not parameter.fixed
            if free and parameter.n_elements != len(values):
                raise _Untranslatable
            slots[parameter.name] = [
                _Slot(self.offset + i if free else None, float(value)) for i, value in enumerate(values)
            ]
            self.offset += len(values) if free else 0
        return slots

    def number(self, slot: _Slot, power: float = 1.0) -> str:
        """Return the number of a parameter of Mercer."""
        fixed = slot.fixed**power
        self.slots.append(_Slot(slot.index, fixed, power))
        return repr(_probe(len(self.slots) - 1))

    def lengthscale(self, slots: list[_Slot]) -> str:
        if len(slots) == 1:
            return self.number(slots[0])
        if len(slots) != self.n_features:
            # scikit-learn refuses that with its own words.
            raise _Untranslatable
        return "[" + ", ".join(self.number(slot) for slot in slots) + "]"


def _probe(index: int) -> float:
    """Return an unusual number, another one for every index."""
    return 1.0 + math.sqrt(index + 2) / 977.0


def _rbf(writer: _Writer, kernel: Any, slots: dict[str, list[_Slot]]) -> str:
    return f"gaussian(lengthscale={writer.lengthscale(slots['length_scale'])})"


def _matern(writer: _Writer, kernel: Any, slots: dict[str, list[_Slot]]) -> str:
    if kernel.nu == np.inf:
        return _rbf(writer, kernel, slots)
    if not 0 < kernel.nu <= _MAX_NU:
        raise _Untranslatable
    return f"matern(nu={float(kernel.nu)!r}, lengthscale={writer.lengthscale(slots['length_scale'])})"


def _rational_quadratic(writer: _Writer, kernel: Any, slots: dict[str, list[_Slot]]) -> str:
    if len(slots["length_scale"]) > 1:
        raise _Untranslatable
    length, shape = writer.number(slots["length_scale"][0]), writer.number(slots["alpha"][0])
    return f"rational_quadratic(lengthscale={length}, shape={shape})"


def _periodic(writer: _Writer, kernel: Any, slots: dict[str, list[_Slot]]) -> str:
    if writer.n_features != 1:
        raise _Untranslatable
    period, length = writer.number(slots["periodicity"][0]), writer.number(slots["length_scale"][0])
    return f"periodic(period={period}, lengthscale={length})"


def _dot_product(writer: _Writer, kernel: Any, slots: dict[str, list[_Slot]]) -> str:
    return f"(linear() + constant(value={writer.number(slots['sigma_0'][0], power=2.0)}))"


def _constant(writer: _Writer, kernel: Any, slots: dict[str, list[_Slot]]) -> str:
    return f"constant(value={writer.number(slots['constant_value'][0])})"


_LEAVES = {
    theirs.RBF: _rbf,
    theirs.Matern: _matern,
    theirs.RationalQuadratic: _rational_quadratic,
    theirs.ExpSineSquared: _periodic,
    theirs.DotProduct: _dot_product,
    theirs.ConstantKernel: _constant,
    theirs.WhiteKernel: None,
}


def kernel_to_plain(kernel: Any) -> dict[str, Any]:
    """Return a kernel object of scikit-learn as texts, numbers and lists, for a model file."""
    kind = type(kernel)
    if getattr(theirs, kind.__name__, None) is not kind:
        raise TypeError(f"the kernel {kernel!r} is not one of scikit-learn's, which is all that a model file can hold")
    return {"kernel": kind.__name__, "parameters": {k: _plain(v) for k, v in kernel.get_params(deep=False).items()}}


def _plain(value: Any) -> Any:
    if isinstance(value, theirs.Kernel):
        return kernel_to_plain(value)
    if isinstance(value, np.ndarray):
        return {"array": value.tolist()}
    if isinstance(value, tuple):
        return {"tuple": [_plain(item) for item in value]}
    return value.item() if isinstance(value, np.generic) else value


def kernel_from_plain(plain: dict[str, Any]) -> Any:
    """Return the kernel object that `kernel_to_plain` wrote."""
    kind = getattr(theirs, str(plain.get("kernel")), None)
    if not (isinstance(kind, type) and issubclass(kind, theirs.Kernel)):
        raise ValueError(f"the file names a kernel that scikit-learn does not have: {plain.get('kernel')!r}")
    return kind(**{name: _from_plain(value) for name, value in plain["parameters"].items()})


def _from_plain(value: Any) -> Any:
    if is_plain_kernel(value):
        return kernel_from_plain(value)
    if isinstance(value, dict) and value.keys() == {"array"}:
        return np.array(value["array"])
    if isinstance(value, dict) and value.keys() == {"tuple"}:
        return tuple(_from_plain(item) for item in value["tuple"])
    return value


def is_plain_kernel(value: Any) -> bool:
    """Whether a value of a model file is a kernel object."""
    return isinstance(value, dict) and value.keys() == {"kernel", "parameters"}
