"""Mutated texts, files and command lines.

A case is a batch of inputs, so that a full run has a million and more of each kind. The readers of the library are
fuzzed by the crate in this folder: panics, allocations beyond the limit and hangs are findings. It is compiled by
``cargo build --manifest-path trust/fuzz/Cargo.toml --target-dir target``. The command line, and models that are loaded
and asked for predictions, are fuzzed from here, as are the servers over the loopback.
"""

from trust.fuzz import drivers, http  # noqa: F401
