"""What a statistician would look at first: the findings of `diagnose`."""
