"""Zheng Shang You 爭上游 ("struggle upstream"): four players shed their cards, each against all.

A climbing game played with one deck (13 cards each) or two (27 each, jokers included). Who was dealt 3S
first leads. Whoever follows plays the same kind of combination, as many cards and higher, or a bomb, or
passes; a straight of one suit beats every other straight of its length. When all others have passed, the
owner of the last play leads. The first one out is paid by the three others for each card they still hold,
two to four times if they have played few. The full rules with examples:
``docs/pages/rules/zheng_shang_you.md``.

>>> from envs import zheng_shang_you_v0
>>> env = zheng_shang_you_v0.env(decks=2)
>>> env.reset(seed=7)
>>> observation, reward, terminated, truncated, info = env.last()
>>> env.unwrapped.legal_plays()[0]
Play(name='single', key='3', length=1, cards=('3H',), actions=(1,))
>>> zheng_shang_you_v0.level_of(1500)
Level(number=6, least=1400, english='Thousand-Li Horse', chinese='千里馬')

## In numbers

| what                     | default                                | decks=2                                |
|--------------------------|----------------------------------------|----------------------------------------|
| agents                   | player_0, player_1, player_2, player_3 | player_0, player_1, player_2, player_3 |
| cards in the pack        | 52                                     | 108                                    |
| actions                  | Discrete(495)                          | Discrete(495)                          |
| observation              | Box(0, 1, (920,), uint8)               | Box(0, 1, (1764,), uint8)              |
| action mask              | Box(0, 1, (495,), int8)                | Box(0, 1, (495,), int8)                |
| most decisions a game    | 242                                    | 522                                    |
| a seat's score is within | -52 .. +156 points, zero-sum           | -108 .. +324 points, zero-sum          |
| rules version            | 0                                      | 0                                      |

## Options

| option             | values      | default | meaning                                                                                      |
|--------------------|-------------|---------|----------------------------------------------------------------------------------------------|
| `decks`            | 1, 2        | 1       | One deck of 52 cards, 13 each; or two with their jokers, 108 cards, 27 each.                 |
| `pass_lockout`     | True, False | False   | Who passes is out until the trick ends, and is skipped.                                      |
| `lead_spade_three` | True, False | False   | The first play of the deal must contain the card 3S.                                         |
| `distinct_wings`   | True, False | False   | The wings of a triple_chain_with_pairs must be of different ranks, none of them a body rank. |
| `base`             | 1..1000     | 1       | Points a card left, before the multiplier.                                                   |
| `cards_each`       | 1..27, None | None    | Deal only this many cards to each seat: small games for tests and exact solving. None: all.  |

## Actions

One action is a pass, a whole play, the body of a play that takes kickers, one kicker pair, or a suit.
Kickers follow one at a time, by the same seat, in non-decreasing order of rank; the mask leaves only what
can be completed, and nobody else sees anything before the play is complete. The ids are the same with one
deck and with two, and under all options.

Which cards a play spends matters only for flush straights. A card is **flush-live** when the hand covers a
flush straight of five with it. Cards that are not live go first, lowest suit first (S H D C); where live ones
must go besides, the player chooses: for each rank of the play in ascending order one ``suit`` action a card,
in the order S H D C. A flush straight asks for its suit if several cover it. What leaves no choice is not
asked, so most plays are one action. If spending idle cards first would leave a plain straight in one suit,
each of its ranks asks among all suits held. ``Play.length`` is the number of cards, which the rules compare.

| ids      | number | kind                    | first .. last                                                                                 |
|----------|--------|-------------------------|-----------------------------------------------------------------------------------------------|
| 0        | 1      | pass                    | pass                                                                                          |
| 1..15    | 15     | single                  | single 3 .. single X                                                                          |
| 16..30   | 15     | pair                    | pair 33 .. pair XX                                                                            |
| 31..43   | 13     | triple                  | triple 333 .. triple 222                                                                      |
| 44..104  | 61     | straight                | straight A2345 .. straight 3456789TJQKA2                                                      |
| 105..165 | 61     | flush_straight          | flush_straight A2345* .. flush_straight 3456789TJQKA2*                                        |
| 166..264 | 99     | pair_chain              | pair_chain 2233 .. pair_chain 33445566778899TTJJQQKKAA22                                      |
| 265..347 | 83     | triple_chain            | triple_chain 222333 .. triple_chain 777888999TTTJJJQQQKKKAAA222                               |
| 348..360 | 13     | full_house              | full_house 333 + 1 pair .. full_house 222 + 1 pair                                            |
| 361..409 | 49     | triple_chain_with_pairs | triple_chain_with_pairs 222333 + 2 pairs .. triple_chain_with_pairs JJJQQQKKKAAA222 + 5 pairs |
| 410..474 | 65     | bomb                    | bomb 3333 .. bomb 22222222                                                                    |
| 475      | 1      | joker_bomb              | joker_bomb xxXX                                                                               |
| 476..490 | 15     | kicker                  | kicker 33 .. kicker XX                                                                        |
| 491..494 | 4      | suit                    | suit S .. suit C                                                                              |

## Observation

``{"observation": uint8 (O,), "action_mask": int8 (A,)}``, all zeros and ones. Seats are relative to the
observer: 0 is itself, 1 the next. The mask of a seat that is not to act is all zeros; ``info["action_mask"]``
mirrors it.

| places   | field              | shape      | meaning                                                                                         |
|----------|--------------------|------------|-------------------------------------------------------------------------------------------------|
| 0..51    | `hand`             | (4, 13)    | own hand; places (s, r): the card of suit S H D C and rank 3..2                                 |
| 52..103  | `ranks`            | (4, 13)    | own hand; places (k, r): more than k of rank r                                                  |
| 104..155 | `live`             | (4, 13)    | own cards that are flush-live (rules, section 6)                                                |
| 156..199 | `runs`             | (4, 11)    | flush straights of five in the own hand, by suit, A2345..JQKA2                                  |
| 200..251 | `unseen`           | (4, 13)    | cards neither in the own hand nor played, by rank                                               |
| 252..459 | `played`           | (4, 4, 13) | cards played by each seat                                                                       |
| 460..667 | `latest`           | (4, 4, 13) | cards of each seat's last turn, none for a pass                                                 |
| 668..671 | `passed`           | (4,)       | whether that last turn was a pass                                                               |
| 672..675 | `out`              | (4,)       | who has passed since the last play (pass_lockout: in this trick)                                |
| 676..727 | `left`             | (4, 13)    | cards in hand, unary                                                                            |
| 728..739 | `table_kind`       | (12,)      | kind of the play to beat, one-hot in the order of the action table; place 0 (pass) when leading |
| 740..752 | `table_key`        | (13,)      | its key, one-hot                                                                                |
| 753..765 | `table_length`     | (13,)      | its number of cards, unary                                                                      |
| 766..769 | `owner`            | (4,)       | who played it, or last won a trick                                                              |
| 770..773 | `to_move`          | (4,)       | whose turn it is                                                                                |
| 774..777 | `leader`           | (4,)       | who led the first trick                                                                         |
| 778..778 | `first_play`       | (1,)       | no play has been made yet                                                                       |
| 779..790 | `pending_kind`     | (12,)      | kind of the own play not yet complete, one-hot                                                  |
| 791..842 | `pending`          | (4, 13)    | its body and kickers by rank                                                                    |
| 843..894 | `pending_cards`    | (4, 13)    | those of its cards that are decided                                                             |
| 895..899 | `wanted`           | (5,)       | kicker pairs still to choose, unary                                                             |
| 900..912 | `asked`            | (13,)      | rank of which a suit is to be chosen, one-hot                                                   |
| 913..916 | `suits`            | (4,)       | the suits to choose from                                                                        |
| 917..917 | `pass_lockout`     | (1,)       | option                                                                                          |
| 918..918 | `lead_spade_three` | (1,)       | option                                                                                          |
| 919..919 | `distinct_wings`   | (1,)       | option                                                                                          |

## Observation with decks=2

The fields above, at the same places, and behind them:

| places     | field               | shape      | meaning                                                                             |
|------------|---------------------|------------|-------------------------------------------------------------------------------------|
| 920..971   | `hand_twice`        | (4, 13)    | own hand: the second copies                                                         |
| 972..1023  | `ranks_more`        | (4, 13)    | own hand: more than four of a rank; places (k, r): more than 4 + k                  |
| 1024..1027 | `jokers`            | (2, 2)     | own hand; places (k, j): more than k of x, X                                        |
| 1028..1079 | `live_twice`        | (4, 13)    | flush-live cards: the second copies                                                 |
| 1080..1131 | `unseen_more`       | (4, 13)    | unseen cards: more than four of a rank; places (k, r): more than 4 + k              |
| 1132..1135 | `unseen_jokers`     | (2, 2)     | unseen jokers                                                                       |
| 1136..1343 | `played_twice`      | (4, 4, 13) | cards played by each seat: the second copies                                        |
| 1344..1359 | `played_jokers`     | (4, 2, 2)  | jokers played by each seat                                                          |
| 1360..1567 | `latest_twice`      | (4, 4, 13) | cards of each seat's last turn: the second copies                                   |
| 1568..1583 | `latest_jokers`     | (4, 2, 2)  | jokers of each seat's last turn                                                     |
| 1584..1639 | `left_more`         | (4, 14)    | cards in hand beyond 13, unary                                                      |
| 1640..1641 | `table_key_joker`   | (2,)       | key of the play to beat, if a joker: x, X                                           |
| 1642..1655 | `table_length_more` | (14,)      | its cards beyond 13, unary                                                          |
| 1656..1707 | `pending_more`      | (4, 13)    | own play not yet complete: more than four of a rank; places (k, r): more than 4 + k |
| 1708..1711 | `pending_jokers`    | (2, 2)     | its jokers                                                                          |
| 1712..1763 | `pending_twice`     | (4, 13)    | those of its cards that are decided: the second copies                              |

## Rewards

The points of section 7 of the rules, given to all seats at once when the deal ends, zero before. They sum
to zero. At the end ``info`` has ``winner`` (a seat) and ``outcome`` ("out"). ``level_of(points)`` names the
level of cumulative points (section 8), from 蝸牛 to 追風.

## Versions

* v0: first version.
"""

from __future__ import annotations

from typing import Any

from .core.aec import TableEnv
from .core.wrapped import make_env, raw_table
from .zheng_shang_you import GAME
from .zheng_shang_you.rules import LEVELS, Level, level_of

__all__ = ["LEVELS", "Level", "env", "level_of", "raw_env"]


def env(render_mode: str | None = None, on_illegal: str = "raise", **options: Any) -> Any:
    """Zheng Shang You in PettingZoo's order-enforcing wrapper; see the module's page for the options."""
    return make_env(GAME, render_mode=render_mode, on_illegal=on_illegal, **options)


def raw_env(render_mode: str | None = None, **options: Any) -> TableEnv:
    """Zheng Shang You without a wrapper."""
    return raw_table(GAME, render_mode=render_mode, **options)
