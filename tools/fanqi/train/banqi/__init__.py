"""Fitting the weights of banqi's evaluation: self-play, regression, SPSA."""
