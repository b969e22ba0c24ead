# A smoothing spline of 2225 values, with its interval.
#
# Linear time in the number of rows. Here with 40 degrees of freedom; without --df, λ is selected by generalized cross-validation.
DATA=${DATA:-examples/data}
mercer fit spline "$DATA/co2.csv" --target co2 --columns year --missing drop --df 40 --plot spline.png
