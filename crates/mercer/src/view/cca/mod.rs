//! Kernel canonical correlation: functions of two or more views that correlate most.
