"""Against independent implementations, and our own second method."""

from trust.differential import command_line, kernels, learners, measures, objects, second_method, views  # noqa: F401
