"""Gaussian processes whose parameters are optimized: Mercer beside scikit-learn, in one run, and kernel beside kernel.

Both sides are run in turn and the best time of each counts; both likelihoods are printed. Run it as

    python bench/gaussian_process.py [--json FILE] [--only TEXT] [--rows 100,400,1000] [--columns 2,5,8] [--repeat 3]

`--only others` runs the kernels without a peer alone, `--others sinc` some of them.
"""

import argparse
import json
import warnings
from dataclasses import asdict, dataclass

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    ExpSineSquared,
    Kernel,
    Matern,
    RationalQuadratic,
    WhiteKernel,
)
from timing import interleaved, machine, warn_if_busy

import mercer

NOISE = 0.1
TARGET = 3.0
# Kernels that scikit-learn does not have: at most so many times the time of an evaluation of the
# Gaussian kernel.
WITHIN = 2.0
GAUSSIAN = "1*gaussian(lengthscale=1)"
WITHOUT_PEER = [
    "1*laplacian(norm=l1, lengthscale=1)",
    "1*inverse_multiquadric(offset=1)",
    "1*cauchy(lengthscale=1)",
    "1*periodic(period=3, lengthscale=1)",
    "1*sinc(bandlimit=1)",
    "1*polynomial(degree=3, offset=1)",
    "1*exponential(scale=0.2)",
    "1*histogram_intersection()",
    "1*chi2(gamma=1)",
    "1*on([0], wiener())",
    "1*on([0], sobolev(order=2))",
    "1*brownian(hurst=0.4)",
]


@dataclass
class Comparison:
    """One kernel at one size: seconds, evaluations and likelihoods of both sides."""

    kernel: str
    rows: int
    columns: int
    ours: float
    theirs: float
    ours_cpu: float
    theirs_cpu: float
    evaluations: int
    likelihood: float
    their_likelihood: float

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.theirs / self.ours


def sample(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw a smooth function of the first columns with noise, at points between 0 and 1 in every column."""
    random = np.random.default_rng(rows + columns)
    x = random.uniform(0.0, 1.0, (rows, columns))
    y = np.sin(6.0 * x[:, 0]) + (2.0 * x[:, 1 % columns] - 1.0) ** 2 + 0.5 * x[:, -1] + 0.1 * random.normal(size=rows)
    return x, (y - y.mean()) / y.std()


# In several columns scikit-learn takes the sine of the distance, Mercer one sine per column: they
# are compared in one.
PERIODIC = ("periodic", "1*periodic(period=3, lengthscale=1)", ConstantKernel() * ExpSineSquared(1.0, 3.0))


def pairs(columns: int) -> list[tuple[str, str, Kernel]]:
    """Return the kernels that both sides have: a name, ours, theirs."""
    ones = ", ".join(["1"] * columns)
    each, constant = np.ones(columns), ConstantKernel()
    found = [
        ("gaussian", "1*gaussian(lengthscale=1)", constant * RBF(1.0)),
        ("gaussian, per column", f"1*gaussian(lengthscale=[{ones}])", constant * RBF(each)),
    ]
    for nu, text in [(0.5, "1/2"), (1.5, "3/2"), (2.5, "5/2")]:
        found += [
            (f"matern {text}", f"1*matern(nu={text}, lengthscale=1)", constant * Matern(1.0, nu=nu)),
            (
                f"matern {text}, per column",
                f"1*matern(nu={text}, lengthscale=[{ones}])",
                constant * Matern(each, nu=nu),
            ),
        ]
    return [
        *found,
        ("rational quadratic", "1*rational_quadratic(lengthscale=1, shape=1)", constant * RationalQuadratic()),
        ("linear + constant", "1*linear() + constant(value=1)", constant * DotProduct(1.0)),
        ("gaussian + linear", "1*gaussian(lengthscale=1) + 1*linear()", constant * RBF(1.0) + DotProduct(1.0)),
        (
            "gaussian * matern 3/2",
            "1*gaussian(lengthscale=1)*matern(nu=3/2, lengthscale=1)",
            constant * RBF(1.0) * Matern(1.0, nu=1.5),
        ),
    ]


def ours_of(text: str, x: np.ndarray, y: np.ndarray, **settings: object) -> mercer.GaussianProcessRegressor:
    """Fit ours."""
    return mercer.GaussianProcessRegressor(kernel=text, noise=NOISE, **settings).fit(x, y)


def compare(name: str, text: str, kernel: Kernel, x: np.ndarray, y: np.ndarray, repeat: int) -> Comparison:
    """Run both sides in turn and print a line."""
    found: dict[str, object] = {}

    def ours() -> None:
        found["ours"] = ours_of(text, x, y)

    def theirs() -> None:
        found["theirs"] = GaussianProcessRegressor(kernel + WhiteKernel(NOISE), alpha=0.0).fit(x, y)

    (clock, cpu), (their_clock, their_cpu) = interleaved([ours, theirs], repeat)
    model, peer = found["ours"], found["theirs"]
    row = Comparison(
        name,
        *x.shape,
        clock,
        their_clock,
        cpu,
        their_cpu,
        model._fit.optimization[3],
        model.log_marginal_likelihood_,
        peer.log_marginal_likelihood_value_,
    )
    verdict = "ok" if row.ratio >= TARGET else "MISSED"
    size = f"{row.rows}×{row.columns}"
    times = (
        f"{row.ours:>8.4f}{row.theirs:>9.4f}{row.ratio:>7.1f}×  {verdict:<7}{row.ours_cpu:>8.3f}{row.theirs_cpu:>8.3f}"
    )
    print(
        f"{name:<26}{size:<8}{times}{row.evaluations:>6}{row.likelihood:>13.4f}{row.their_likelihood:>13.4f}",
        flush=True,
    )
    return row


def without_peer(rows: int, columns: int, repeat: int, only: str) -> list[dict[str, object]]:
    """Time an evaluation of the likelihood for kernels that scikit-learn does not have, beside the Gaussian kernel.

    Each kernel is run in turn with the Gaussian kernel, so that both meet the same machine. The ratio is that of
    processor time per evaluation, which other work on the machine changes least; what a fit takes without a search
    does not count, as searches of different length would divide it differently.
    """
    x, y = sample(rows, columns)
    lines = []
    kernels = [*WITHOUT_PEER]
    if columns == 1:
        kernels.append("1*finite_rank(weights=[1, 1, 1], basis=cosines)")
    for text in [text for text in kernels if only in text]:
        counts = {}

        def run(text: str, counts: dict[str, int] = counts) -> None:
            counts[text] = ours_of(text, x, y)._fit.optimization[3]

        def plain(text: str) -> None:
            ours_of(text, x, y, optimizer=None)

        works = [
            lambda: run(GAUSSIAN),
            lambda text=text: run(text),
            lambda: plain(GAUSSIAN),
            lambda text=text: plain(text),
        ]
        times = interleaved(works, repeat)
        evaluations = [counts[GAUSSIAN], counts[text]]
        searches = zip(times[:2], times[2:], evaluations, strict=True)
        each = [[(fit[which] - fixed[which]) / count for which in (0, 1)] for fit, fixed, count in searches]
        clock, cpu = zip(*each, strict=True)
        ratio = cpu[1] / cpu[0]
        verdict = "ok" if ratio <= WITHIN else "MISSED"
        size = f"{rows}×{columns}"
        times = f"{1e3 * clock[1]:>9.3f}{1e3 * clock[0]:>9.3f}{1e3 * cpu[1]:>9.3f}{1e3 * cpu[0]:>9.3f}{ratio:>7.2f}"
        print(f"{text:<44}{size:<8}{times}  {verdict:<7}{evaluations[1]:>5}{evaluations[0]:>5}", flush=True)
        found = {"seconds": clock[1], "cpu": cpu[1], "times": ratio, "evaluations": evaluations[1]}
        lines.append({"kernel": text, "rows": rows, "columns": columns, **found})
    return lines


def numbers(text: str) -> list[int]:
    """Read a list such as 100,400."""
    return [int(part) for part in text.split(",")]


def main() -> None:
    """Run the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--only", default="")
    parser.add_argument("--others", default="", help="kernels without a peer whose text has this, with --only others")
    parser.add_argument("--rows", type=numbers, default=[100, 400, 1000])
    parser.add_argument("--columns", type=numbers, default=[2, 5, 8])
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    warn_if_busy()
    heading = f"{'best of ' + str(arguments.repeat):<34}{'ours s':>8}{'theirs s':>9}{'ratio':>8}  "
    print(f"{heading}{'':<7}{'cpu':>8}{'their':>8}{'evals':>6}{'likelihood':>13}{'theirs':>13}")
    rows, others = [], []
    for n in arguments.rows:
        for d in arguments.columns:
            x, y = sample(n, d)
            for name, text, kernel in pairs(d):
                if arguments.only in name:
                    rows.append(compare(name, text, kernel, x, y, arguments.repeat))
        if arguments.only in PERIODIC[0]:
            rows.append(compare(*PERIODIC, *sample(n, 1), arguments.repeat))
    if not arguments.only or arguments.only == "others":
        print("\nmilliseconds of an evaluation of the likelihood and its gradient, beside the Gaussian kernel (g)")
        print(f"{'':<52}{'ms':>9}{'g':>9}{'cpu ms':>9}{'g':>9}{'times':>7}{'':<9}{'evals':>5}{'g':>5}")
        for n in arguments.rows:
            for d in arguments.columns:
                others += without_peer(n, d, arguments.repeat, arguments.others)
    if arguments.json:
        with open(arguments.json, "w") as file:
            kept = [{**asdict(row), "ratio": row.ratio} for row in rows]
            json.dump({"machine": machine(), "rows": kept, "others": others}, file, indent=1)


if __name__ == "__main__":
    main()
