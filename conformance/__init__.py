"""The conformance suite: worked examples as data, run against every backend."""
