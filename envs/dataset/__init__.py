"""Records of games as arrays of decisions, for imitation and offline reinforcement learning.

Every game is played again, and each decision becomes a row: what the seat saw at that moment, what was legal,
what it did, and what it scored in the end.

| file | what it does |
|---|---|
| ``arrays.py`` | the arrays, and how games become such |
| ``files.py`` | writes and loads a file of them |
| ``minari.py`` | makes a dataset of Minari's |
| ``__main__.py`` | the command line |
"""

from .arrays import COLUMNS, Dataset, parts
from .files import load, write

__all__ = ["COLUMNS", "Dataset", "load", "parts", "write"]
