"""Mutation testing: are the tests red when the code is wrong?

`areas.toml` names the code to mutate and the tests that must fail.
mutmut 3 has the operators; the runner is ours. mutmut's own keeps one configuration for the whole project, mutates
neither constants nor defaults, properties and other decorated functions, and can draw no sample.
"""
