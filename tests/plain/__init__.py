"""Slow, plain twins of fast code, for tests."""
