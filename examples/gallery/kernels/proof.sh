# A proof that a kernel is positive semi-definite, and its spectrum.
#
# Properties are derived by rule through sums, products and powers, with the reason of each step.
DATA=${DATA:-examples/data}
mercer kernel explain "2*gaussian(lengthscale=1) * (1 + linear())^2"
mercer kernel spectrum "2*gaussian(lengthscale=1) * (1 + linear())^2" "$DATA/iris.csv" --columns 0-3 --scale standardize --plot proof.png
