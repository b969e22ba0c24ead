#!/bin/sh
# Drives the page of `mercer lab` in Chromium, as a person would. Arguments go to pytest.
# Without a browser it is installed where that is possible; otherwise this says how, and is skipped outside of CI.
set -eu
here=$(dirname "$0")
root=$(cd "$here/../../.." && pwd)
python=${PYTHON_BIN:-$root/.venv/bin/python}
tools=${CARGO_TARGET_DIR:-$root/target}/browser
mkdir -p "$tools"

missing() {
    echo "test-lab: $1" >&2
    if [ -n "${CI:-}" ]; then exit 1; fi
    echo "test-lab: skipped" >&2
    exit 0
}

find_browser() {
    for name in chromium chromium-browser google-chrome; do
        command -v "$name" && return 0
    done
    return 1
}

if ! find_browser >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && apt-get install -y -qq chromium || apt-get -f install -y -qq || true
fi
MERCER_BROWSER=$(find_browser) || missing "no Chromium: install it (Debian: apt-get install chromium), then run make test-lab again"
export MERCER_BROWSER

"$python" -c "import playwright" 2>/dev/null || "$python" -m pip install --quiet --disable-pip-version-check playwright==1.65.2 \
    || missing "the Python package playwright cannot be installed"
if [ ! -f "$tools/node_modules/axe-core/axe.min.js" ]; then
    command -v npm >/dev/null || missing "no npm, which fetches the accessibility checks (axe-core)"
    npm install --silent --no-audit --no-fund --prefix "$tools" axe-core@4 || missing "axe-core cannot be fetched"
fi
export MERCER_AXE="$tools/node_modules/axe-core/axe.min.js"
export MERCER_BIN="${MERCER_BIN:-${CARGO_TARGET_DIR:-$root/target}/debug/mercer}"
exec "$python" -m pytest -c "$here/pytest.ini" "$here" "$@"
