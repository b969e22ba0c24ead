"""A graph of ONNX operators while it is written."""

from __future__ import annotations

from typing import Any

import numpy as np

#: The set of operators: all of them are in every runtime of the last years.
OPSET = 17


def package() -> Any:
    """Return the package ``onnx``, or raise an error with the remedy."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError("the export to ONNX needs the package onnx: pip install onnx") from error
    return onnx


class Graph:
    """Nodes and constants; every method returns the name of a tensor. Numbers are doubles."""

    def __init__(self, columns: int) -> None:
        self._onnx = package()
        self.columns = columns
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._outputs: list[Any] = []

    def constant(self, values: Any, kind: str = "float64") -> str:
        """Return a constant tensor."""
        name = f"c{len(self._constants)}"
        array = np.array(values, dtype=object) if kind == "string" else np.asarray(values, dtype=kind)
        tensor = (
            self._onnx.helper.make_tensor(
                name, self._onnx.TensorProto.STRING, array.shape, [str(value).encode() for value in array.ravel()]
            )
            if kind == "string"
            else self._onnx.numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)
        )
        self._constants.append(tensor)
        return name

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Return the output of an operator."""
        name = f"t{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def scaled(self, tensor: str, factor: float) -> str:
        """Return ``factor·tensor``; beside a product of matrices a runtime would merge it in single precision."""
        return tensor if factor == 1 else self.node("Mul", tensor, self.constant(factor))

    def plus(self, tensor: str, values: Any) -> str:
        """Return ``tensor + values``."""
        return tensor if not np.any(values) else self.node("Add", tensor, self.constant(values))

    def summed(self, tensor: str, axis: int, keep: bool = True) -> str:
        """Return the sum along an axis."""
        return self.node("ReduceSum", tensor, self.constant([axis], "int64"), keepdims=int(keep))

    def ascending(self, tensor: str, columns: int) -> str:
        """Return the values of every row in ascending order."""
        names = [f"t{len(self._nodes)}", f"t{len(self._nodes)}_order"]
        given = [tensor, self.constant([columns], "int64")]
        self._nodes.append(self._onnx.helper.make_node("TopK", given, names, axis=1, largest=0, sorted=1))
        return names[0]

    def output(self, tensor: str, name: str, kind: str = "DOUBLE", columns: Any = None) -> None:
        """Name an output: a vector, or a matrix of so many columns."""
        self._nodes.append(self._onnx.helper.make_node("Identity", [tensor], [name]))
        shape = ["rows"] if columns is None else ["rows", columns]
        element = getattr(self._onnx.TensorProto, kind)
        self._outputs.append(self._onnx.helper.make_tensor_value_info(name, element, shape))

    def model(self, notes: dict[str, str]) -> Any:
        """Return the checked model, whose input is ``X``: a row per point, doubles."""
        onnx = self._onnx
        given = onnx.helper.make_tensor_value_info("X", onnx.TensorProto.DOUBLE, ["rows", self.columns])
        graph = onnx.helper.make_graph(self._nodes, "mercer", [given], self._outputs, self._constants)
        opset = [onnx.helper.make_opsetid("", OPSET)]
        model = onnx.helper.make_model(graph, opset_imports=opset, producer_name="mercer", ir_version=8)
        onnx.helper.set_model_props(model, notes)
        onnx.checker.check_model(model)
        return model
