//! The longer texts of the help: a sentence of theory and examples that work.

pub const ABOUT: &str = "\
Kernel methods as one system.

A kernel is written as text, such as
  2*gaussian(lengthscale=0.5) + on([petal_width], linear())
The same text works here, in Rust and in Python. A kernel knows what it can prove about
itself: whether it is positive semi-definite, universal, characteristic. What cannot be
proven is attacked with counterexamples.";

pub const SHORT_FOOT: &str = "\
Examples:
  mercer kernel list
  mercer kernel explain \"gaussian(lengthscale=2) * periodic(period=7)\"
  mercer kernel check \"tanh(scale=1, offset=-1)\"
  mercer fit auto data.csv --target y -o model.safetensors
  mercer predict model.safetensors new.csv -o predictions.csv --interval
  mercer test two-sample reference.csv new.csv
  mercer demo

`mercer help COMMAND` or `mercer COMMAND --help` tells more.";

pub const FOOT: &str = "\
Examples:
  mercer kernel list
  mercer kernel explain \"gaussian(lengthscale=2) * periodic(period=7)\"
  mercer kernel check \"tanh(scale=1, offset=-1)\"
  mercer kernel gram \"gaussian(lengthscale=median)\" data.csv -o gram.npy
  mercer fit auto data.csv --target y -o model.safetensors
  mercer predict model.safetensors new.csv -o predictions.csv --interval
  mercer test two-sample reference.csv new.csv
  mercer demo

Data:
  CSV and TSV (with or without a header, also .gz), LIBSVM, NPY and Parquet, told by
  the ending or by --format; - is standard input. Categories become one 0/1 column per
  level. Rows and columns are counted from 0, lines from 1.

Exit codes:
  0  done (a refuted kernel is a result, not a failure)
  1  the request is wrong: a flag, a file, a row or a column, named on standard error;
     also a request over the memory limit, refused before anything is allocated
  2  the work failed: a full disk, an iteration that did not converge, Ctrl-C

Colors appear on a terminal only; NO_COLOR turns them off.";

pub const KERNEL: &str = "\
Kernels: their list, their proofs, counterexamples, Gram matrices.

A kernel k(x, y) is positive semi-definite if cᵀKc ≥ 0 for all points and all weights c,
K = [k(xᵢ, xⱼ)]. Then it is the inner product of a Hilbert space of functions, and every
method of the field applies.";

pub const PLAN: &str = "\
The plan of a command before it runs: sizes, bytes, work, and whether it fits into the memory limit.

The data is read (its size is part of the plan); the matrix is not computed.

Example:
  mercer explain kernel gram \"gaussian(lengthscale=1)\" data.csv --memory 2GB
  mercer explain fit ridge data.csv --target y
  mercer explain test two-sample a.csv b.csv";

pub const LIST: &str = "\
Examples:
  mercer kernel list                     all kernels by family
  mercer kernel list gaussian            formula, theory, cost, parameters with ranges, examples
  mercer kernel list --json              the whole catalogue for programs";

pub const EXPLAIN: &str = "\
Sums, products, limits and powers of positive semi-definite kernels are positive
semi-definite; exp(−tκ) is, for all t > 0, exactly if κ is negative definite (Schoenberg).
The proof is the tree of such rules.

Examples:
  mercer kernel explain \"gaussian(gamma=0.5)\"
  mercer kernel explain \"exp(linear()) + 3*matern(nu=5/2)\" --plot sections.svg
  mercer kernel explain \"schoenberg(distance(power=1), t=2)\" --json";

pub const CHECK: &str = "\
One set of points and weights with cᵀKc < 0 refutes a kernel for good; it is re-checked
in higher precision before it is shown. An eigenvalue that is negative within rounding
refutes nothing. The exit code is 0 either way.

Examples:
  mercer kernel check \"tanh(scale=1, offset=-1)\"
  mercer kernel check \"minus(gaussian(), linear())\" iris.csv --columns petal_length,petal_width
  mercer kernel check \"ball(radius=1)\" --json";

pub const GRAM: &str = "\
The matrix is computed and written in blocks of rows, so a file may be larger than the
memory. The file appears whole or not at all. Without -o a small matrix is printed, of a
large one its summary.

Examples:
  mercer kernel gram \"gaussian(lengthscale=median)\" iris.csv --columns 0,1,2,3 -o gram.npy
  mercer kernel gram \"on([petal_width], linear())\" iris.csv --plot heat.png
  mercer kernel gram \"laplacian()\" train.parquet --against test.parquet -o cross.csv --scale standardize
  cat iris.csv | mercer kernel gram \"linear()\" - --columns 0,1";

pub const SPECTRUM: &str = "\
The operator is f -> integral of k(x, y) f(y): under a sample of n rows it is K/n, and each
eigenvalue has a standard error as an estimate of that of the law. How fast the eigenvalues
fall says how many features a method needs.

Examples:
  mercer kernel spectrum \"gaussian(lengthscale=median)\" iris.csv --columns 0,1,2,3 --plot decay.svg
  mercer kernel spectrum \"wiener()\" --under uniform --components 10
  mercer kernel spectrum \"gaussian(lengthscale=0.5)\" --under gaussian:1";

pub const FIT: &str = "\
Fit a model to a table and save it.

A function f is chosen from the space of a kernel so that it is near the data and its
norm is small. Columns of categories become one 0/1 column per level. A kernel that you
write meets the data as it is; where the kernel is chosen, columns are standardized and a
constant is fitted too. The model remembers the columns, their levels and scales.";

pub const FIT_RIDGE: &str = "\
One decomposition scores every λ by leave-one-out, exactly and without fitting again. Of
many rows a sample enters the choice; the fit takes all, by the plan that fits the memory.
DATA that is larger than the memory limit is read in chunks and fitted on features, in one
pass; with --checkpoint such a fit can be killed and resumed, to the same bytes.

Examples:
  mercer fit ridge data.csv --target y -o model.safetensors --report fit.html
  mercer fit ridge data.csv --target y --kernel \"gaussian(lengthscale=2)\" --lambda 0.1 -o model.safetensors
  mercer fit ridge data.csv --target y --kernel \"on([age], sobolev(order=2)) + on([wage], sobolev(order=2))\" --rescale
  mercer fit ridge data.csv --target y,z --kernel \"matern(nu=5/2)\" --lengthscales 0.5,1,2,4 --cv 10 --plot fit.png
  mercer fit ridge huge.parquet --target y --memory 2GB --checkpoint fit.checkpoint --resume -o model.safetensors";

pub const FIT_GP: &str = "\
The mean is that of ridge regression with λ = noise. Put a number in front of a kernel to
have its variance chosen too.

Examples:
  mercer fit gp data.csv --target y -o model.safetensors --plot fit.svg
  mercer fit gp co2.csv --target co2 --missing drop --target-scale center \\
      --kernel \"900*gaussian(lengthscale=30) + 5*gaussian(lengthscale=50)*periodic(period=1)\"
  mercer fit gp data.csv --target y --kernel \"gaussian(lengthscale=1)\" --noise 0.04 --no-optimize";

pub const FIT_SPLINE: &str = "\
Σ w(y − f(x))² + λ ∫ (f⁽ᵐ⁾)², in linear time: a million rows take seconds.

Examples:
  mercer fit spline motor.csv --target accel --columns times --plot fit.svg -o model.safetensors
  mercer fit spline day.csv --target load --columns hour --period 24 --smoothing reml
  mercer fit spline data.csv --target y --columns x --df 8";

pub const FIT_SMOOTH: &str = "\
Examples:
  mercer fit smooth data.csv --target y --columns x --window tricube -o model.safetensors
  mercer fit smooth data.csv --target y --columns x --compare --plot compare.png";

pub const FIT_SVM: &str = "\
min ½‖f‖² + C Σ max(0, 1 − y f(x)): rows on the right side of the margin cost nothing, and
only the others, the support vectors, are in the model. Kernel, lengthscale and C are chosen
by folds unless they are given. The report tells how far from the optimum the answer can be.

Examples:
  mercer fit svm iris.csv --target species -o model.safetensors --plot boundary.svg
  mercer fit svm data.csv --target y --kernel \"gaussian(gamma=0.5)\" -C 8 --proba -o model.safetensors
  mercer fit svm data.csv --target spam --nu 0.2 --kernel \"linear()\" --class-weight balanced";

pub const FIT_SVR: &str = "\
Examples:
  mercer fit svr data.csv --target y -o model.safetensors
  mercer fit svr data.csv --target y --kernel \"gaussian(lengthscale=2)\" -C 10 --epsilon 0.05";

pub const FIT_ONE_CLASS: &str = "\
The model says 1 inside and -1 outside. A target, where there is one, is left out.

Examples:
  mercer fit one-class data.csv --nu 0.05 -o model.safetensors
  mercer fit one-class data.csv --kernel \"gaussian(lengthscale=median)\" --plot region.svg";

pub const FIT_LOGISTIC: &str = "\
min Σ log(1 + exp(−y f(x))) + (λ/2)‖f‖², and softmax for more classes: probabilities by
construction. Kernel, lengthscale and λ are chosen by the log-loss of folds unless given.

Examples:
  mercer fit logistic iris.csv --target species -o model.safetensors --plot boundary.svg
  mercer fit logistic data.csv --target y --kernel \"gaussian(lengthscale=2)\" --lambda 0.1";

pub const FIT_AUTO: &str = "\
Linear, gaussian and Matérn kernels, an additive kernel where there are few columns, and
a spline for one column; the score of each is in the report. A target of texts is a target
of classes (of numbers: with --task classes): a support vector machine and logistic regression
are compared by folds.

Examples:
  mercer fit auto data.csv --target y -o model.safetensors --report fit.html
  mercer fit auto data.csv --target y --drop id --missing mean";

pub const PREDICT: &str = "\
Columns are matched by name. Where DATA has the target too, the error of the predictions
is reported, and how many values the intervals hold; for classes the confusion matrix.

Examples:
  mercer predict model.safetensors new.csv -o predictions.csv
  mercer predict model.safetensors test.csv -o predictions.csv --interval 0.9 --plot errors.svg
  mercer predict model.safetensors new.csv -o predictions.csv --proba
  mercer predict model.safetensors - < new.csv";

pub const TEST: &str = "\
Hypothesis tests whose p-values are right.

A sample is embedded as the mean of k(·, xᵢ) in the space of a kernel; distances there tell
laws apart, and products tell dependence. The null law is that of relabeled data: the
observed labeling is counted among them, ties count against rejection, and p is never 0.
The exit code is 0 whether or not the hypothesis is rejected.";

pub const TEST_TWO_SAMPLE: &str = "\
Columns are matched by name. The default looks at Gaussian and Laplacian kernels of ten
lengthscales each and has its level exactly. With --by a test is made for every value of a
column: of the rows of B against those of A with the same value, or against all of A where
A does not have the column; the p-values are corrected (Holm by default). The method betting
goes through the rows of B batch after batch (or through the groups of --by, in order) and
may be stopped at any time: its level holds for all looks together.

Examples:
  mercer test two-sample reference.csv new.csv
  mercer test two-sample reference.csv new.csv --by month --report drift.html
  mercer test two-sample reference.csv stream.csv --method betting --batch 100
  mercer test two-sample a.csv b.csv --kernel \"gaussian(lengthscale=2)\" --plot null.svg --json
  mercer test two-sample before.csv after.csv --method paired --columns weight,pressure";

pub const TEST_INDEPENDENCE: &str = "\
Examples:
  mercer test independence data.csv --x height,weight --y income
  mercer test independence data.csv --x 0-3 --y species --method gamma
  mercer test independence data.csv --x a --y b --by year --correction bh";

pub const TEST_JOINT: &str = "\
Example:
  mercer test joint data.csv --variable a --variable b,c --variable d";

pub const TEST_CONDITIONAL: &str = "\
Ridge regressions on the condition are taken out of the features of both variables; their
lengthscales and ridges have the least leave-one-out error. A constant condition gives
exactly the test of independence.

Example:
  mercer test conditional data.csv --x dose --y effect --given age,weight";

pub const TEST_INTERACTION: &str = "\
The hypothesis is that one variable is independent of the two others. All three ways are
tested; the p-value is the largest of the three and needs no further correction.

Example:
  mercer test interaction data.csv --x a --y b --z c";

pub const TEST_FIT: &str = "\
The density is known up to its constant; the parameters must not be estimated from the
same data.

Examples:
  mercer test fit data.csv --against \"normal(mean=0, std=1)\" --columns residual
  mercer test fit data.csv --against \"normal(mean=[0, 5], std=[1, 2])\"
  mercer test fit data.csv --against \"student(freedom=5, scale=2)\" --columns 0";

pub const DESCRIBE: &str = "\
Examples:
  mercer data describe iris.csv
  mercer data describe weather.parquet --columns wind,rain --report weather.html
  zcat big.csv.gz | mercer data describe - --json";

pub const DEMO: &str = "\
Example:
  mercer demo --output pictures";

pub const COMPLETIONS: &str = "\
Examples:
  mercer completions bash > ~/.local/share/bash-completion/completions/mercer
  mercer completions zsh  > ~/.zfunc/_mercer
  mercer completions fish > ~/.config/fish/completions/mercer.fish";

pub const EMBED: &str = "\
Explicit features z(x) of the rows of a table, with z(x)ᵀz(y) near k(x, y): what turns a
kernel method into a linear one. The error is measured on some rows and told beside its bound.";

pub const EMBED_FOURIER: &str = "\
Examples:
  mercer embed fourier data.csv --kernel \"matern(nu=5/2, lengthscale=2)\" --components 2000 -o z.npy
  mercer embed fourier data.csv --sampling orthogonal --seed 1 --json";

pub const EMBED_BINNING: &str = "\
The file holds for every row and grid the number of the column that is not 0.

Example:
  mercer embed binning data.csv --kernel \"laplacian(lengthscale=2, norm=l1)\" --components 200 -o cells.npy";

pub const EMBED_NYSTROM: &str = "\
Examples:
  mercer embed nystrom data.csv --components 300 -o z.npy
  mercer embed nystrom data.csv --landmarks greedy --tolerance 0.001 --components 1000";
