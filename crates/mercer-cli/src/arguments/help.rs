//! The longer texts of the help: background and examples.

pub const ABOUT: &str = "\
Kernel methods as one system.

A kernel is written as text, such as
  2*gaussian(lengthscale=0.5) + on([petal_width], linear())
The same text works on the command line, in Rust and in Python. Properties such as positive
semi-definite, universal and characteristic are proven by rule from the expression; where
no proof is found, Mercer searches for a counterexample.";

pub const SHORT_FOOT: &str = "\
Examples:
  mercer kernel list
  mercer kernel explain \"gaussian(lengthscale=2) * periodic(period=7)\"
  mercer kernel check \"tanh(scale=1, offset=-1)\"
  mercer fit auto data.csv --target y -o model.safetensors
  mercer predict model.safetensors new.csv -o predictions.csv --interval
  mercer test two-sample reference.csv new.csv
  mercer demo

See `mercer help COMMAND` or `mercer COMMAND --help` for more.";

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
  CSV and TSV (with or without a header, also .gz), LIBSVM, NPY and Parquet, recognized by
  extension or given by --format; - is standard input. Categories become one 0/1 column per
  level. Rows and columns are counted from 0, lines from 1.

Exit codes:
  0  done (a refuted kernel is a result, not a failure)
  1  the request is wrong: a flag, a file, a row or a column, named on standard error;
     also a request over the memory limit, refused before anything is allocated
  2  the work failed: a full disk, an iteration that did not converge, Ctrl-C

Colors appear on a terminal only; NO_COLOR turns them off.";

pub const KERNEL: &str = "\
List kernels, prove or refute their properties, compute Gram matrices.

A kernel k(x, y) is positive semi-definite if cᵀKc ≥ 0 for all points and all weights c,
K = [k(xᵢ, xⱼ)]. Then it is the inner product of a Hilbert space of functions, and every
method of the field applies.";

pub const PLAN: &str = "\
Print the plan of a command without running it: sizes, bytes, operations, and whether it fits into the memory limit.

The data is read, because its size is part of the plan; no matrix is computed.

Example:
  mercer explain kernel gram \"gaussian(lengthscale=1)\" data.csv --memory 2GB
  mercer explain fit ridge data.csv --target y
  mercer explain test two-sample a.csv b.csv
  mercer explain match small.csv large.csv --label person";

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
One set of points and weights with cᵀKc < 0 refutes positive semi-definiteness; it is verified
in higher precision before it is reported. An eigenvalue that is negative only within rounding
error is no counterexample. The exit code is 0 in both cases.

Examples:
  mercer kernel check \"tanh(scale=1, offset=-1)\"
  mercer kernel check \"minus(gaussian(), linear())\" iris.csv --columns petal_length,petal_width
  mercer kernel check \"ball(radius=1)\" --json";

pub const GRAM: &str = "\
The matrix is computed and written in blocks of rows, so a file may be larger than the
memory. The file is written atomically. Without -o a small matrix is printed in full and a
large one as a summary.

Examples:
  mercer kernel gram \"gaussian(lengthscale=median)\" iris.csv --columns 0,1,2,3 -o gram.npy
  mercer kernel gram \"on([petal_width], linear())\" iris.csv --plot heat.png
  mercer kernel gram \"laplacian()\" train.parquet --against test.parquet -o cross.csv --scale standardize
  cat iris.csv | mercer kernel gram \"linear()\" - --columns 0,1";

pub const SPECTRUM: &str = "\
The operator is f -> integral of k(x, y) f(y): under a sample of n rows it is K/n, and each
eigenvalue is reported with its standard error as an estimate of the population eigenvalue.
The decay of the eigenvalues shows how many features a method needs.

Examples:
  mercer kernel spectrum \"gaussian(lengthscale=median)\" iris.csv --columns 0,1,2,3 --plot decay.svg
  mercer kernel spectrum \"wiener()\" --under uniform --components 10
  mercer kernel spectrum \"gaussian(lengthscale=0.5)\" --under gaussian:1";

pub const FIT: &str = "\
Fit a model to a table and save it.

Minimizes a loss plus the squared RKHS norm. Columns of categories become one 0/1 column per
level. With an explicit --kernel the data is used as it is; where the kernel is selected
automatically, columns are standardized and an intercept is fitted. The model file stores
the columns, their levels and their scales.";

pub const FIT_RIDGE: &str = "\
One decomposition gives the exact leave-one-out score of every λ without refitting. For large
data, kernel and λ are selected on a sample of the rows; the final fit uses all rows, with the
solver that fits into memory. DATA larger than the memory limit is read in chunks and fitted on
features in one pass; with --checkpoint such a fit can be stopped and resumed, with the same result.

Examples:
  mercer fit ridge data.csv --target y -o model.safetensors --report fit.html
  mercer fit ridge data.csv --target y --kernel \"gaussian(lengthscale=2)\" --lambda 0.1 -o model.safetensors
  mercer fit ridge data.csv --target y --kernel \"on([age], sobolev(order=2)) + on([wage], sobolev(order=2))\" --rescale
  mercer fit ridge data.csv --target y,z --kernel \"matern(nu=5/2)\" --lengthscales 0.5,1,2,4 --cv 10 --plot fit.png
  mercer fit ridge huge.parquet --target y --memory 2GB --checkpoint fit.checkpoint --resume -o model.safetensors";

pub const FIT_GP: &str = "\
The posterior mean is that of ridge regression with λ = noise. Put a number in front of a kernel
to optimize its variance as well.

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
min ½‖f‖² + C Σ max(0, 1 − y f(x)): rows beyond the margin have no loss, and only the others,
the support vectors, are stored in the model. Kernel, lengthscale and C are chosen by
cross-validation unless they are set. The report includes the duality gap.

Examples:
  mercer fit svm iris.csv --target species -o model.safetensors --plot boundary.svg
  mercer fit svm data.csv --target y --kernel \"gaussian(gamma=0.5)\" -C 8 --proba -o model.safetensors
  mercer fit svm data.csv --target spam --nu 0.2 --kernel \"linear()\" --class-weight balanced";

pub const FIT_SVR: &str = "\
Examples:
  mercer fit svr data.csv --target y -o model.safetensors
  mercer fit svr data.csv --target y --kernel \"gaussian(lengthscale=2)\" -C 10 --epsilon 0.05";

pub const FIT_ONE_CLASS: &str = "\
The model predicts 1 for inliers and -1 for outliers. A target column, if any, is ignored.

Examples:
  mercer fit one-class data.csv --nu 0.05 -o model.safetensors
  mercer fit one-class data.csv --kernel \"gaussian(lengthscale=median)\" --plot region.svg";

pub const FIT_LOGISTIC: &str = "\
min Σ log(1 + exp(−y f(x))) + (λ/2)‖f‖², and softmax for more than two classes, so that the model
predicts probabilities. Kernel, lengthscale and λ are chosen by cross-validated log-loss unless set.

Examples:
  mercer fit logistic iris.csv --target species -o model.safetensors --plot boundary.svg
  mercer fit logistic data.csv --target y --kernel \"gaussian(lengthscale=2)\" --lambda 0.1";

pub const FIT_AUTO: &str = "\
Compares linear, Gaussian and Matérn kernels, an additive kernel for few columns, and a spline
for a single column; the report lists the score of each. A text target means classification
(for a numeric target: --task classes): a support vector machine and logistic regression are
compared by cross-validation.

Examples:
  mercer fit auto data.csv --target y -o model.safetensors --report fit.html
  mercer fit auto data.csv --target y --drop id --missing mean";

pub const MERGE: &str = "\
The model has the bytes of `mercer fit ridge DATA --stream` on one machine, however many parts
there are. Every row must be in one part; parts of other data, another specification, seed or
version are refused.

Examples:
  mercer fit ridge long.csv --target y --stream --part 1/2 --statistics 1.part    (on one machine)
  mercer fit ridge long.csv --target y --stream --part 2/2 --statistics 2.part    (on another)
  mercer merge 1.part 2.part -o model";

pub const PREDICT: &str = "\
Columns are matched by name. If DATA also has the target, the prediction error and the coverage
of the intervals are reported; for classification the confusion matrix.

Ridge regressions, Gaussian processes and models that were fitted with --conformal have conformal
intervals (--interval 0.9 --conformal, or --interval conformal --level 0.9): they hold
a new observation with the stated probability whatever the distribution of the data; for classes a
column set lists the labels that conform, separated by |.

Examples:
  mercer predict model.safetensors new.csv -o predictions.csv
  mercer predict model.safetensors test.csv -o predictions.csv --interval 0.9 --plot errors.svg
  mercer predict model.safetensors test.csv --interval conformal --level 0.9
  mercer predict model.safetensors new.csv -o predictions.csv --proba
  mercer predict model.safetensors - < new.csv";

pub const TEST: &str = "\
Hypothesis tests with kernels.

A sample is embedded as the mean of k(·, xᵢ) in the RKHS; distances between embeddings measure
differences of distributions, and the embedding of pairs measures dependence. The null
distribution is that of relabeled data: the observed labeling is included, ties count against
rejection, and the p-value is never 0. The exit code is 0 whether or not the hypothesis is
rejected.";

pub const TEST_TWO_SAMPLE: &str = "\
Columns are matched by name. The default aggregates Gaussian and Laplacian kernels with ten
lengthscales each at an exact level. With --by one test is run for every value of a column:
the rows of B against those of A with the same value, or against all of A if A does not have
the column; the p-values are corrected for multiplicity (Holm by default). The method betting
processes the rows of B batch by batch (or the groups of --by, in order) and may be stopped
at any time: its level holds simultaneously for all batches.

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
Both variables are regressed on the condition by kernel ridge regression, and the residuals are
tested; lengthscales and ridges minimize the leave-one-out error. A constant condition gives
exactly the independence test.

Example:
  mercer test conditional data.csv --x dose --y effect --given age,weight";

pub const TEST_INTERACTION: &str = "\
The null hypothesis is that one of the variables is independent of the other two. All three
partitions are tested; the p-value is the largest of the three and needs no further correction.

Example:
  mercer test interaction data.csv --x a --y b --z c";

pub const TEST_FIT: &str = "\
The density need not be normalized; its parameters must not be estimated from the same data.

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
Coordinates of the rows of a table.

pca, ica, scaling and cca are views that are learned from the data, and can be saved with
--model for `mercer transform`. fourier, binning, nystrom and features are explicit
features z(x) with z(x)ᵀz(y) ≈ k(x, y): they turn a kernel method into a linear one; their
error is measured on a sample of rows and reported with its bound.

Examples:
  mercer embed pca data.csv --components 2 --color species -o scores.csv --plot scores.svg
  mercer embed cca data.csv --x height,weight --y speed,strength --permutations 199
  mercer embed ica signals.csv --plot sources.svg";

pub const CLUSTER: &str = "\
Examples:
  mercer cluster data.csv -k 3 -o clusters.csv --plot clusters.svg
  mercer cluster data.csv -k auto --spectral --kernel \"gaussian(lengthscale=0.5)\"
  mercer cluster MUTAG/ -k 2 --kernel \"normalized(weisfeiler_lehman(depth=3))\"";

pub const MATCH: &str = "\
Rows that belong together are named by --id or --label in both tables; without them row i of LOW
belongs to row i of HIGH.

Examples:
  mercer match small.csv large.csv --label person -o matches.csv --model faces.safetensors
  mercer match new.csv gallery.csv --using faces.safetensors --id name";

pub const TRANSFORM: &str = "\
Examples:
  mercer embed pca old.csv --components 2 --model pca.safetensors
  mercer transform pca.safetensors new.csv -o scores.csv --novelty
  mercer match low.csv high.csv --id who --model match.safetensors
  mercer transform match.safetensors low.csv --view 1 -o coordinates.csv";

pub const SERVE_SHORT: &str = "\
Examples:
  mercer serve model.safetensors
  mercer serve iris.safetensors price=house.safetensors --port 8000

See `mercer help serve` for more.";

pub const SERVE: &str = "\
The server answers POST /predict (rows in JSON or CSV, columns matched by name as mercer predict
does), POST /drift, the Open Inference Protocol below /v2, /metrics and /openapi.json, until
SIGINT or SIGTERM; requests that have begun are finished then. A model file that changes is
loaded again without interrupting a request. The log on standard error has one JSON object per
line.

It can be reached from this computer only, unless --bind and a token are given.

Examples:
  mercer serve model.safetensors
  mercer serve iris.safetensors price=house.safetensors --port 8000
  mercer serve model.safetensors --bind 0.0.0.0 --token-file token.txt
  curl -H 'Content-Type: application/json' -d '[{\"age\": 28}]' http://127.0.0.1:8080/predict";

pub const EMBED_FOURIER: &str = "\
Examples:
  mercer embed fourier data.csv --kernel \"matern(nu=5/2, lengthscale=2)\" --components 2000 -o z.npy
  mercer embed fourier data.csv --sampling orthogonal --seed 1 --json";

pub const EMBED_BINNING: &str = "\
The file contains, for every row and grid, the index of the nonzero column.

Example:
  mercer embed binning data.csv --kernel \"laplacian(lengthscale=2, norm=l1)\" --components 200 -o cells.npy";

pub const EMBED_FEATURES: &str = "Examples:
  mercer embed features sequences.fasta --kernel \"spectrum(length=4)\" -o counts.libsvm
  mercer embed features MUTAG/ --kernel \"weisfeiler_lehman(depth=3)\" -o counts.csv";

pub const EMBED_NYSTROM: &str = "\
Examples:
  mercer embed nystrom data.csv --components 300 -o z.npy
  mercer embed nystrom data.csv --landmarks greedy --tolerance 0.001 --components 1000";

pub const LAB: &str = "\
The page is served to this computer only, at the address that is printed; every request needs the token in it. Nothing
leaves the computer, and nothing is written unless the page offers a file to save. Ctrl-C ends the server.

Examples:
  mercer lab
  mercer lab examples/data/iris.csv
  mercer lab data.parquet --port 8800 --no-browser";
