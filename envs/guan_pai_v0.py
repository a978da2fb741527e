"""Guan Pai 關牌 ("shut-out"): three players shed 16 cards each; the first one out is paid by the others.

A climbing game of the Jiangnan region, played with 48 cards: no jokers, three aces, one deuce. The
holder of 3D leads. Whoever follows plays the same kind of combination, of the same length and higher,
or a bomb, or passes; after two passes the owner of the last play leads again. A loser pays for the
cards still held, three times if none was played, doubled by every bomb. The full rules with examples:
``docs/pages/rules/guan_pai.md``.

>>> from envs import guan_pai_v0
>>> env = guan_pai_v0.env(must_beat="all")
>>> env.reset(seed=7)
>>> observation, reward, terminated, truncated, info = env.last()
>>> env.unwrapped.legal_plays()[0]
Play(name='single', key='3', length=1, cards=('3H',), actions=(1,))

## In numbers

| what                     | default                       |
|--------------------------|-------------------------------|
| agents                   | player_0, player_1, player_2  |
| cards in the pack        | 48                            |
| actions                  | Discrete(266)                 |
| observation              | Box(0, 1, (620,), uint8)      |
| action mask              | Box(0, 1, (266,), int8)       |
| most decisions a game    | 136                           |
| a seat's score is within | -100 .. +200 points, zero-sum |
| rules version            | 0                             |

## Options

Keywords of ``env()``, ``raw_env()`` and ``make_vec()``; an unknown one is a TypeError, a bad value a
ValueError.

| option               | values                                     | default      | meaning                                                                                         |
|----------------------|--------------------------------------------|--------------|-------------------------------------------------------------------------------------------------|
| `must_beat`          | 'off', 'non_bomb', 'all'                   | 'off'        | Whether who can beat the table must: never, unless only with a bomb, always.                    |
| `lead_diamond_three` | True, False                                | False        | The first play of the deal must contain the card 3D.                                            |
| `short_plane_follow` | True, False                                | False        | A last hand of triples with too few wings may beat a full one.                                  |
| `dingda`             | 'liability', 'forced', 'off'               | 'liability'  | Top-card duty before a seat with one card: who breaks it may pay, may not break it, or no duty. |
| `bomb_doubling`      | 'every_bomb', 'once', 'winner_only', 'off' | 'every_bomb' | Which bombs double the losses.                                                                  |
| `loss_cap`           | 0..1000000000, None                        | 100          | Most units that one loser pays, or None.                                                        |
| `base`               | 1..1000                                    | 1            | Points a unit.                                                                                  |
| `cards_each`         | 1..16                                      | 16           | Deal only this many cards to each seat: small games for tests and exact solving.                |

## Actions

One action is a pass, a whole play, the body of a play that takes kickers, or one kicker. Kickers follow
one at a time, by the same seat, in non-decreasing order of rank; the mask leaves only what can be
completed, and nobody else sees anything before the play is complete. The ids are the same under all
options. As a last hand, ``triple_with_two`` and ``triple_chain_with_wings`` may be played with fewer
kickers than they need: then all cards go at once. Suits do not matter; the lowest are spent first, in the
order S H D C (with ``lead_diamond_three`` the first play spends 3D).

| ids      | number | kind                    | first .. last                                                                                    |
|----------|--------|-------------------------|--------------------------------------------------------------------------------------------------|
| 0        | 1      | pass                    | pass                                                                                             |
| 1..13    | 13     | single                  | single 3 .. single 2                                                                             |
| 14..25   | 12     | pair                    | pair 33 .. pair AA                                                                               |
| 26..36   | 11     | triple                  | triple 333 .. triple KKK                                                                         |
| 37..48   | 12     | triple_with_two         | triple_with_two 333 + 2 kickers .. triple_with_two AAA + 2 kickers                               |
| 49..85   | 37     | straight                | straight 345A2 .. straight 3456789TJQKA                                                          |
| 86..141  | 56     | pair_chain              | pair_chain 3344 .. pair_chain 778899TTJJQQKKAA                                                   |
| 142..179 | 38     | triple_chain            | triple_chain 333444 .. triple_chain TTTJJJQQQKKKAAA                                              |
| 180..217 | 38     | triple_chain_with_wings | triple_chain_with_wings 333444 + 4 kickers .. triple_chain_with_wings TTTJJJQQQKKKAAA + the rest |
| 218..228 | 11     | four_with_two           | four_with_two 3333 + 2 kickers .. four_with_two KKKK + 2 kickers                                 |
| 229..240 | 12     | bomb                    | bomb 3333 .. bomb AAA                                                                            |
| 241..252 | 12     | bomb_with_one           | bomb_with_one 3333 + 1 kicker .. bomb_with_one AAA + 1 kicker                                    |
| 253..265 | 13     | kicker                  | kicker 3 .. kicker 2                                                                             |

## Observation

``{"observation": uint8 (O,), "action_mask": int8 (A,)}``, all zeros and ones. Seats are relative to the
observer: 0 is itself, 1 the next. The mask of a seat that is not to act is all zeros; ``info["action_mask"]``
mirrors it.

| places   | field                | shape      | meaning                                                                                         |
|----------|----------------------|------------|-------------------------------------------------------------------------------------------------|
| 0..51    | `hand`               | (4, 13)    | own hand; places (k, r): more than k of rank r                                                  |
| 52..103  | `pending`            | (4, 13)    | own body and kickers of a play not yet complete                                                 |
| 104..155 | `unseen`             | (4, 13)    | cards neither in the own hand nor played                                                        |
| 156..311 | `played`             | (3, 4, 13) | cards played by each seat                                                                       |
| 312..467 | `latest`             | (3, 4, 13) | cards of each seat's last turn, none for a pass                                                 |
| 468..470 | `passed`             | (3,)       | whether that last turn was a pass                                                               |
| 471..518 | `left`               | (3, 16)    | cards in hand, unary                                                                            |
| 519..530 | `bombs`              | (3, 4)     | bombs played, unary                                                                             |
| 531..542 | `table_kind`         | (12,)      | kind of the play to beat, one-hot in the order of the action table; place 0 (pass) when leading |
| 543..555 | `table_key`          | (13,)      | its key, one-hot                                                                                |
| 556..567 | `table_length`       | (12,)      | its length, unary                                                                               |
| 568..570 | `owner`              | (3,)       | who played it, or last won a trick                                                              |
| 571..572 | `passes`             | (2,)       | passes since, unary                                                                             |
| 573..575 | `to_move`            | (3,)       | whose turn it is                                                                                |
| 576..578 | `leader`             | (3,)       | who led the first trick                                                                         |
| 579..579 | `first_play`         | (1,)       | no play has been made yet                                                                       |
| 580..591 | `pending_kind`       | (12,)      | kind of the own play not yet complete, one-hot                                                  |
| 592..597 | `wanted`             | (6,)       | kickers still to choose, unary                                                                  |
| 598..600 | `must_beat`          | (3,)       | option, one-hot: off, non_bomb, all                                                             |
| 601..601 | `lead_diamond_three` | (1,)       | option                                                                                          |
| 602..602 | `short_plane_follow` | (1,)       | option                                                                                          |
| 603..605 | `dingda`             | (3,)       | option, one-hot: liability, forced, off                                                         |
| 606..609 | `bomb_doubling`      | (4,)       | option, one-hot: every_bomb, once, winner_only, off                                             |
| 610..618 | `loss_cap`           | (9,)       | option, unary over thresholds of 10, 20, 40, 60, 80, 100, 150, 200, 400 units                   |
| 619..619 | `no_cap`             | (1,)       | there is no loss cap                                                                            |

## Rewards

The points of section 7 of the rules, given to all seats at once when the deal ends, zero before. They sum
to zero. At the end ``info`` has ``winner`` (a seat), ``outcome`` ("out", or "liable" when the seat before
the winner broke the top-card duty) and ``liable`` (that seat or None).

## Versions

* v0: first version.
"""

from __future__ import annotations

from typing import Any

from .core.aec import TableEnv
from .core.wrapped import make_env, raw_table
from .guan_pai import GAME

__all__ = ["env", "raw_env"]


def env(render_mode: str | None = None, on_illegal: str = "raise", **options: Any) -> Any:
    """Guan Pai in PettingZoo's order-enforcing wrapper; see the module's page for the options."""
    return make_env(GAME, render_mode=render_mode, on_illegal=on_illegal, **options)


def raw_env(render_mode: str | None = None, **options: Any) -> TableEnv:
    """Guan Pai without a wrapper."""
    return raw_table(GAME, render_mode=render_mode, **options)
