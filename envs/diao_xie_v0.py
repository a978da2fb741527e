"""Diao Xie 钓蟹 ("crab fishing"): two cards and a bet against the pot, for two to five players.

From a pack of 32 cards each player gets two. From the head (头家) on, each seat acts once: it folds, or
promises a stake that counts against the pot; the best hand wins. The full rules with examples and the known
solution values: ``docs/pages/rules/diao_xie.md``.

The old text of the rules (the seed) defines the cards, the hands, how they compare and the order of speaking,
and not a word about money. The betting (``betting="pot"``: fold 弃, eat 吃, touch 碰, carry 带, counter_carry
头家反带), the penalty for folding a better hand (赔底) and the bonus for the supreme hand are the practice of
public platforms. ``betting="limit"`` is a poker-like alternative made for this project.

>>> from envs import diao_xie_v0
>>> env = diao_xie_v0.env(num_players=3)
>>> env.reset(seed=7)
>>> raw = env.unwrapped
>>> raw.pot, [play.name for play in raw.legal_plays()]
(3, ['fold', 'eat', 'touch1', 'touch4'])
>>> raw.actions_for("eat")
(1,)

## In numbers

| what                     | default                   | num_players=3                | num_players=4                          | num_players=5                                    | betting='limit'           |
|--------------------------|---------------------------|------------------------------|----------------------------------------|--------------------------------------------------|---------------------------|
| agents                   | player_0, player_1        | player_0, player_1, player_2 | player_0, player_1, player_2, player_3 | player_0, player_1, player_2, player_3, player_4 | player_0, player_1        |
| cards in the pack        | 32                        | 32                           | 32                                     | 32                                               | 32                        |
| actions                  | Discrete(11)              | Discrete(11)                 | Discrete(11)                           | Discrete(11)                                     | Discrete(11)              |
| observation              | Box(0, 1, (346,), uint8)  | Box(0, 1, (383,), uint8)     | Box(0, 1, (420,), uint8)               | Box(0, 1, (457,), uint8)                         | Box(0, 1, (325,), uint8)  |
| action mask              | Box(0, 1, (11,), int8)    | Box(0, 1, (11,), int8)       | Box(0, 1, (11,), int8)                 | Box(0, 1, (11,), int8)                           | Box(0, 1, (11,), int8)    |
| most decisions a game    | 2                         | 3                            | 4                                      | 5                                                | 5                         |
| a seat's score is within | -7 .. +9 points, zero-sum | -16 .. +25 points, zero-sum  | -37 .. +59 points, zero-sum            | -86 .. +131 points, zero-sum                     | -7 .. +7 points, zero-sum |
| rules version            | 0                         | 0                            | 0                                      | 0                                                | 0                         |

## Options

| option          | values         | default | meaning                                                                                    |
|-----------------|----------------|---------|--------------------------------------------------------------------------------------------|
| `num_players`   | 2..5           | 2       | Players.                                                                                   |
| `betting`       | 'pot', 'limit' | 'pot'   | One action each against the pot (section 5), or a hand of fixed-limit betting (section 6). |
| `hands`         | 1..8           | 1       | Hands in an episode; pot, penalties and head carry over.                                   |
| `counter_carry` | True, False    | False   | The head may add to his stake after the last seat has acted (头家反带).                        |
| `fold_penalty`  | True, False    | True    | Who folded a better hand than the winner's owes the winner's stake to the pot (赔底).        |
| `supreme_bonus` | True, False    | True    | The holder of X 3H gets one ante of the table, n times the base, from everybody else.      |
| `base`          | 1..1000        | 1       | Points of the base unit b.                                                                 |

## Hands

| category | Chinese | hands |
|---|---|---|
| supreme | 至尊宝 | X 3H |
| pair | 对子 | two cards of one rank and colour: QQ, 22, 88, 44, then 66 TT (red) and 44 (black), and so on |
| heaven_nine | 天九 | a queen and a nine |
| heaven_eight | 天八 | a queen and an eight |
| earth_eight | 地八 | a two and an eight |
| plain | 杂牌 | all others: 0..9 points, then the better card, then the other one |

Equal hands: the earlier speaker wins.

## Actions

Every action is a whole play without cards, so ``actions_for`` takes its name. The ids are the same under all
options; ``call`` and ``raise`` belong to ``betting="limit"``, the others but ``fold`` to ``"pot"``.

| ids | number | kind          | first .. last      |
|-----|--------|---------------|--------------------|
| 0   | 1      | fold          | fold 弃             |
| 1   | 1      | eat           | eat 吃              |
| 2   | 1      | touch1        | touch1 碰           |
| 3   | 1      | touch2        | touch2 碰           |
| 4   | 1      | touch3        | touch3 碰           |
| 5   | 1      | touch4        | touch4 碰           |
| 6   | 1      | carry         | carry 带            |
| 7   | 1      | counter_carry | counter_carry 头家反带 |
| 8   | 1      | no_carry      | no_carry 不反带       |
| 9   | 1      | call          | call 跟             |
| 10  | 1      | raise         | raise 加注           |

## Observation

``{"observation": uint8 (O,), "action_mask": int8 (A,)}``, all zeros and ones. Seats are relative to the
observer: 0 is itself, 1 the next. All actions of the hand are there (perfect recall within a hand). The mask
of a seat that is not to act is all zeros; ``info["action_mask"]`` mirrors it. Amounts are given by thresholds:
those between two of them, or above the last, look alike (with several hands pots can grow beyond it).

| places   | field           | shape   | meaning                                                                                                                                                |
|----------|-----------------|---------|--------------------------------------------------------------------------------------------------------------------------------------------------------|
| 0..31    | `cards`         | (32,)   | own cards, in the order of GameInfo.cards                                                                                                              |
| 32..65   | `types`         | (2, 17) | own cards by type (the two of a pair are one): more than k of a type                                                                                   |
| 66..81   | `values`        | (2, 8)  | v of the own cards, the higher first, one-hot 0..7                                                                                                     |
| 82..87   | `category`      | (6,)    | category of the own hand, one-hot, plain first                                                                                                         |
| 88..97   | `points`        | (10,)   | its points if it is plain, one-hot                                                                                                                     |
| 98..222  | `strength`      | (125,)  | classes of hands that it beats, unary                                                                                                                  |
| 223..224 | `place`         | (2,)    | own place in speaking order, one-hot; 0 is the head                                                                                                    |
| 225..226 | `to_move`       | (2,)    | whose turn it is                                                                                                                                       |
| 227..228 | `folded`        | (2,)    | who has folded                                                                                                                                         |
| 229..282 | `stakes`        | (2, 27) | stake of each seat in this hand, in b, unary like the pot                                                                                              |
| 283..309 | `pot`           | (27,)   | the pot, unary over thresholds of 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 256, 512, 1024, 4096, 65536, 1048576 b |
| 310..323 | `actions`       | (2, 7)  | what each seat did at its turn: fold, eat, touch1..touch4, carry                                                                                       |
| 324..326 | `second_turn`   | (3,)    | the head's second turn: it is on; counter_carry; no_carry                                                                                              |
| 327..334 | `hands_played`  | (8,)    | hands before this one, unary                                                                                                                           |
| 335..342 | `hands`         | (8,)    | option, unary                                                                                                                                          |
| 343..343 | `counter_carry` | (1,)    | option                                                                                                                                                 |
| 344..344 | `fold_penalty`  | (1,)    | option                                                                                                                                                 |
| 345..345 | `supreme_bonus` | (1,)    | option                                                                                                                                                 |

With other options the places before the first one in these tables stay as they are, and the table has all that
follows. (So with ``betting="limit"`` there is nothing behind ``line``.)

## Observation with num_players=3

| places   | field           | shape   | meaning                                                                                                                                                |
|----------|-----------------|---------|--------------------------------------------------------------------------------------------------------------------------------------------------------|
| 223..225 | `place`         | (3,)    | own place in speaking order, one-hot; 0 is the head                                                                                                    |
| 226..228 | `to_move`       | (3,)    | whose turn it is                                                                                                                                       |
| 229..231 | `folded`        | (3,)    | who has folded                                                                                                                                         |
| 232..312 | `stakes`        | (3, 27) | stake of each seat in this hand, in b, unary like the pot                                                                                              |
| 313..339 | `pot`           | (27,)   | the pot, unary over thresholds of 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 256, 512, 1024, 4096, 65536, 1048576 b |
| 340..360 | `actions`       | (3, 7)  | what each seat did at its turn: fold, eat, touch1..touch4, carry                                                                                       |
| 361..363 | `second_turn`   | (3,)    | the head's second turn: it is on; counter_carry; no_carry                                                                                              |
| 364..371 | `hands_played`  | (8,)    | hands before this one, unary                                                                                                                           |
| 372..379 | `hands`         | (8,)    | option, unary                                                                                                                                          |
| 380..380 | `counter_carry` | (1,)    | option                                                                                                                                                 |
| 381..381 | `fold_penalty`  | (1,)    | option                                                                                                                                                 |
| 382..382 | `supreme_bonus` | (1,)    | option                                                                                                                                                 |

## Observation with num_players=4

| places   | field           | shape   | meaning                                                                                                                                                |
|----------|-----------------|---------|--------------------------------------------------------------------------------------------------------------------------------------------------------|
| 223..226 | `place`         | (4,)    | own place in speaking order, one-hot; 0 is the head                                                                                                    |
| 227..230 | `to_move`       | (4,)    | whose turn it is                                                                                                                                       |
| 231..234 | `folded`        | (4,)    | who has folded                                                                                                                                         |
| 235..342 | `stakes`        | (4, 27) | stake of each seat in this hand, in b, unary like the pot                                                                                              |
| 343..369 | `pot`           | (27,)   | the pot, unary over thresholds of 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 256, 512, 1024, 4096, 65536, 1048576 b |
| 370..397 | `actions`       | (4, 7)  | what each seat did at its turn: fold, eat, touch1..touch4, carry                                                                                       |
| 398..400 | `second_turn`   | (3,)    | the head's second turn: it is on; counter_carry; no_carry                                                                                              |
| 401..408 | `hands_played`  | (8,)    | hands before this one, unary                                                                                                                           |
| 409..416 | `hands`         | (8,)    | option, unary                                                                                                                                          |
| 417..417 | `counter_carry` | (1,)    | option                                                                                                                                                 |
| 418..418 | `fold_penalty`  | (1,)    | option                                                                                                                                                 |
| 419..419 | `supreme_bonus` | (1,)    | option                                                                                                                                                 |

## Observation with num_players=5

| places   | field           | shape   | meaning                                                                                                                                                |
|----------|-----------------|---------|--------------------------------------------------------------------------------------------------------------------------------------------------------|
| 223..227 | `place`         | (5,)    | own place in speaking order, one-hot; 0 is the head                                                                                                    |
| 228..232 | `to_move`       | (5,)    | whose turn it is                                                                                                                                       |
| 233..237 | `folded`        | (5,)    | who has folded                                                                                                                                         |
| 238..372 | `stakes`        | (5, 27) | stake of each seat in this hand, in b, unary like the pot                                                                                              |
| 373..399 | `pot`           | (27,)   | the pot, unary over thresholds of 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 256, 512, 1024, 4096, 65536, 1048576 b |
| 400..434 | `actions`       | (5, 7)  | what each seat did at its turn: fold, eat, touch1..touch4, carry                                                                                       |
| 435..437 | `second_turn`   | (3,)    | the head's second turn: it is on; counter_carry; no_carry                                                                                              |
| 438..445 | `hands_played`  | (8,)    | hands before this one, unary                                                                                                                           |
| 446..453 | `hands`         | (8,)    | option, unary                                                                                                                                          |
| 454..454 | `counter_carry` | (1,)    | option                                                                                                                                                 |
| 455..455 | `fold_penalty`  | (1,)    | option                                                                                                                                                 |
| 456..456 | `supreme_bonus` | (1,)    | option                                                                                                                                                 |

## Observation with betting='limit'

| places   | field  | shape  | meaning                             |
|----------|--------|--------|-------------------------------------|
| 310..324 | `line` | (5, 3) | actions in order: fold, call, raise |

## Rewards

Received less paid (antes, stakes, penalties, bonus) plus the share of what is left in the pot, in points, to
all seats at once when the episode ends, zero before. They sum to zero. ``scores()`` gives exact fractions with
the denominator ``num_players``; ``infos["final_scores"]`` of a vector are ``num_players`` times the points. At
the end ``info`` has ``winner`` (of the last hand), ``outcome`` ("settled") and ``hands`` (how many there were).

## Versions

* v0: first version.
"""

from __future__ import annotations

from typing import Any

from .core.wrapped import make_env
from .diao_xie import GAME, DiaoXieEnv

__all__ = ["env", "raw_env"]


def env(render_mode: str | None = None, on_illegal: str = "raise", **options: Any) -> Any:
    """Diao Xie in PettingZoo's order-enforcing wrapper; see the module's page for the options."""
    return make_env(GAME, render_mode=render_mode, on_illegal=on_illegal, **options)


def raw_env(render_mode: str | None = None, **options: Any) -> DiaoXieEnv:
    """Diao Xie without a wrapper."""
    return DiaoXieEnv(GAME, render_mode=render_mode, **options)
