"""Install the newest wheel of a folder in an environment of its own, and use the package and the command.

    python website/smoke.py dist

The search path has the folder of the environment only, so that no compiler can be called.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from pathlib import Path

USE = """
import numpy as np, mercer
k = mercer.gaussian(lengthscale=0.5) + 0.1 * mercer.linear()
X = np.random.default_rng(0).normal(size=(200, 3))
assert k(X).shape == (200, 200) and k.properties["psd"] is True
assert mercer.tanh(scale=1).check().value < 0
assert mercer.two_sample_test(X[:100], X[100:] + 1, permutations=199).reject
print("mercer", mercer.__version__, "with numpy", np.__version__)
"""
TABLE = "x,y\n" + "\n".join(f"{i / 10},{(i / 10) ** 2}" for i in range(40)) + "\n"


def main() -> None:
    """Print the size of the wheel and the versions; an error if anything fails."""
    wheel = max(Path(sys.argv[1]).glob("mercer-*.whl"), key=lambda path: path.stat().st_mtime).resolve()
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "env", with_pip=True)
        scripts = Path(sysconfig.get_path("scripts", "venv", vars={"base": str(folder / "env")}))
        environment = {
            k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV", "CARGO", "RUST"))
        }
        environment["PATH"] = str(scripts)

        def run(*words: object) -> str:
            done = subprocess.run(
                [str(scripts / str(words[0])), *map(str, words[1:])],
                capture_output=True,
                encoding="utf-8",
                env=environment,
                cwd=folder,
                check=False,
            )
            if done.returncode:
                sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
            return done.stdout

        run("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:", wheel)
        print(run("python", "-c", USE).strip())
        (folder / "data.csv").write_text(TABLE, encoding="utf-8")
        start = time.perf_counter()
        print(run("mercer", "--version").strip(), f"in {time.perf_counter() - start:.2f} s")
        run("mercer", "fit", "ridge", "data.csv", "--target", "y", "-o", "model.safetensors", "--plot", "fit.png")
        run("mercer", "predict", "model.safetensors", "data.csv", "-o", "out.csv")
        assert (folder / "out.csv").read_text(encoding="utf-8").startswith("prediction\n")
        assert run("python", "-m", "mercer", "--version").startswith("mercer ")
        wrong = subprocess.run([scripts / "mercer", "fit", "ridge"], capture_output=True, env=environment, check=False)
        assert wrong.returncode == 1, "a wrong request exits with 1"
    print("package and command work")


if __name__ == "__main__":
    main()
