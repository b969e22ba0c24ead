"""Install the Python package in this interpreter's environment from a library that cargo has built.

`maturin develop` does the same but has cargo resolve the features of the Python crate alone, which compiles every
dependency a second time.

    python develop.py TARGET_FOLDER
"""

import shutil
import sys
import sysconfig
from pathlib import Path

PACKAGES = Path(__file__).resolve().parent / "python"
LIBRARIES = {"linux": "lib_mercer.so", "darwin": "lib_mercer.dylib", "win32": "_mercer.dll"}


def main() -> None:
    """Copy the library beside the Python sources, and put these on the path of the environment."""
    built = Path(sys.argv[1]) / LIBRARIES[sys.platform]
    module = PACKAGES / "mercer" / ("_mercer.pyd" if sys.platform == "win32" else "_mercer.abi3.so")
    # A new file: a process that has loaded the old one keeps it.
    module.unlink(missing_ok=True)
    shutil.copyfile(built, module)
    Path(sysconfig.get_path("purelib"), "mercer.pth").write_text(f"{PACKAGES}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
