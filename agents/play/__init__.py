"""The web table: ``python -m agents.play`` opens a page on which people play against agents.

| file | what it does |
|---|---|
| ``__main__.py`` | the command line |
| ``server.py``, ``guard.py`` | the page and its WebSocket; who may connect, how much and how often |
| ``room.py``, ``compiling.py`` | the tables that are open and who sits at them; what they have to wait for |
| ``orders.py``, ``looking.py``, ``asked.py`` | what a page may ask for |
| ``table.py``, ``position.py`` | one game, its seats and its past |
| ``view.py``, ``centre.py`` | what a chair sees of it |
| ``choosing.py``, ``reasons.py`` | a play put together from cards, and why some cards are none |
| ``thoughts.py``, ``players.py`` | what an agent would play; the agents there are |
| ``result.py``, ``settlement.py`` | the score, step by step |
| ``catalogue.py``, ``folders.py`` | games and their options; runs and records in the folders given |

Rules are nowhere in here: the engine is asked for everything.
"""

from envs.core.owner import check_agents

check_agents(__name__)
