"""Xiangxi 96 湘西96扑克: melds from a pack of 96, a draw-and-claim game of west Hunan for two to four players.

The pack is two decks without jokers and tens, of which only the colours count: 24 kinds, red (``r``) and black
(``b``) A to K, four cards each. Cards of one group (A23, 456, 789, JQK of a colour) make sentences and mouths;
three and four of a kind are worth most. In turn a card is flipped from the stock; its owner and the others may
or must take it, and who takes one discards one. A hand wins when all of it can be cut into melds with exactly
two mouths and is worth at least 15 huxi (10 with two or four players). The full rules with examples:
``docs/pages/rules/xiangxi96.md``.

>>> from envs import xiangxi96_v0
>>> env = xiangxi96_v0.env()
>>> env.reset(seed=0, options={"dealer": 0})
>>> raw = env.unwrapped
>>> env.agent_selection, [play.cards for play in raw.legal_plays()][:3]
('player_0', [('rA',), ('r3',), ('r5',)])
>>> env.step(raw.actions_for("rA")[0])
>>> raw.events()
[(0, 1, 'flip', ('r5',)), (0, 1, 'shao', ('r5', 'r5', 'r5'))]
>>> env.agent_selection, raw.melds(1)
('player_1', [{'type': 'shao', 'card': 'r5'}])

## In numbers

| what                     | default                      | num_players=2               | num_players=4                          |
|--------------------------|------------------------------|-----------------------------|----------------------------------------|
| agents                   | player_0, player_1, player_2 | player_0, player_1          | player_0, player_1, player_2, player_3 |
| cards in the pack        | 96                           | 96                          | 96                                     |
| actions                  | Discrete(30)                 | Discrete(30)                | Discrete(30)                           |
| observation              | Box(0, 1, (1676,), uint8)    | Box(0, 1, (1311,), uint8)   | Box(0, 1, (2041,), uint8)              |
| action mask              | Box(0, 1, (30,), int8)       | Box(0, 1, (30,), int8)      | Box(0, 1, (30,), int8)                 |
| most decisions a game    | 257                          | 372                         | 598                                    |
| a seat's score is within | -16 .. +20 points, zero-sum  | -10 .. +10 points, zero-sum | -24 .. +30 points, zero-sum            |
| rules version            | 0                            | 0                           | 0                                      |

## Options

| option                 | values                    | default      | meaning                                                                           |
|------------------------|---------------------------|--------------|-----------------------------------------------------------------------------------|
| `num_players`          | 2..4                      | 3            | Players. With 4, discards may be claimed; with 2 or 4, 10 huxi win instead of 15. |
| `scoring`              | 'feng_sheng', 'big_small' | 'feng_sheng' | A point more for every five huxi (逢升), or two levels (大小胡).                       |
| `zhao_extra`           | 'hun', 'all'              | 'hun'        | Companions of a zhao or a shuang long add 1 huxi if they are hun, or always.      |
| `red_face_is_red`      | True, False               | True         | Threes and fours of red J, Q, K are worth what red ones are.                      |
| `split_table_sentence` | True, False               | False        | A sentence on the table may be read, with the winning card, as two mouths.        |
| `pig_points`           | 0..1000                   | 8            | Points that a pig pays to each other player.                                      |
| `base`                 | 1..1000                   | 1            | Multiplies every payment.                                                         |

``reset(options={"dealer": seat})`` names the dealer, who takes the first 22 cards of the ``deck``; each next
seat takes 21, and the rest is the stock from its first card on. Without it the dealer is drawn for every game
(the next dealer of the rules is in ``info`` and in the record).

## Words

| word | | meaning |
|---|---|---|
| ju | 句 | sentence: one card of each kind of a group |
| kou | 口 | mouth: two different kinds of a group |
| kan | 坎 | three of a kind in the hand; it stays together |
| tie | 贴 | lay a kou with the card on offer |
| chi | 吃 | lay or complete a ju with it |
| peng | 碰 | three of a kind with another's card |
| shao | 勺 | three of a kind with one's own flip |
| zou | 走 | four of a kind; with companions of its group ban-zhao 半招 (one) or man-zhao 满招 (two) |
| shuang long | 双龙 | two fours of a group and its third kind |
| ren | 忍 | a credit of a lone dealt four, which saves one discard |
| hun, su | 荤, 素 | counting cards, red A to 9; plain cards, all others |
| huxi | 胡息 | what a hand is worth |
| pig | 抓猪 | a lost game: whoever has to discard and cannot, breaks a company or gets a third mouth |

## Actions

Every action is a whole play. A discard is named by its card, ``actions_for("r7")``, the others by their name.
What the rules force is no action: it happens by itself and is listed by ``events()`` and in records as
(index of the decision that led to it, -1 for the deal; seat; event; cards). The events are ``dragon`` (a four
that was dealt), ``flip``, ``zou`` (zou and zhao), ``shao``, ``peng``, ``chi_hand``, ``chi_table``, ``chi_half``
(a chi without a choice), ``credit`` (spent instead of a discard), ``pig`` and ``exhausted``.

| ids   | number | kind      | first .. last |
|-------|--------|-----------|---------------|
| 0..23 | 24     | discard   | rA .. bK      |
| 24    | 1      | hu        | hu 胡          |
| 25    | 1      | pass      | pass 过        |
| 26    | 1      | chi_hand  | chi_hand 吃    |
| 27    | 1      | chi_table | chi_table 吃   |
| 28    | 1      | chi_half  | chi_half 吃    |
| 29    | 1      | tie       | tie 贴         |

## Observation

``{"observation": uint8 (O,), "action_mask": int8 (A,)}``, all zeros and ones. Seats are relative to the
observer: 0 is itself, 1 the next. Kinds are in the order of the actions, groups A23, 456, 789, JQK, red first.
Who is asked about the card on offer and who has passed is hidden: the observation of a waiting seat does not
change meanwhile. The mask of a seat that is not to act is all zeros; ``info["action_mask"]`` mirrors it.

| places     | field                  | shape      | meaning                                                                      |
|------------|------------------------|------------|------------------------------------------------------------------------------|
| 0..71      | `hand`                 | (3, 24)    | own hand: more than k of a kind                                              |
| 72..167    | `unseen`               | (4, 24)    | cards neither in the own hand nor shown so far: more than k of a kind        |
| 168..191   | `card`                 | (24,)      | the card on offer, one-hot                                                   |
| 192..192   | `is_flip`              | (1,)       | it was flipped, not discarded                                                |
| 193..196   | `asked`                | (4,)       | what the observer is asked: a discard, hu, chi, tie                          |
| 197..220   | `barred`               | (24,)      | kinds that it may not chi: discarded, or a chi was passed                    |
| 221..244   | `broken`               | (24,)      | own kinds whose company it broke: a zou may be a pig                         |
| 245..268   | `ban`                  | (24,)      | the kind that it may not discard now, after a tie                            |
| 269..290   | `left`                 | (22,)      | own cards left over when the hand is cut best with the mouths allowed, unary |
| 291..314   | `spare`                | (24,)      | discards after which fewer are left over                                     |
| 315..338   | `wins_own`             | (24,)      | kinds that win now if the observer flips them (0 while it has to discard)    |
| 339..362   | `wins_other`           | (24,)      | kinds that win now if another turns them                                     |
| 363..410   | `huxi`                 | (48,)      | own huxi on the table, unary                                                 |
| 411..458   | `worth`                | (48,)      | own huxi on the table and of the hand if all of it is cut, unary             |
| 459..473   | `lacking`              | (15,)      | huxi that are still lacking to the least, unary                              |
| 474..474   | `big_small`            | (1,)       | option scoring                                                               |
| 475..475   | `zhao_extra_all`       | (1,)       | option zhao_extra                                                            |
| 476..476   | `red_face_is_red`      | (1,)       | option                                                                       |
| 477..477   | `split_table_sentence` | (1,)       | option                                                                       |
| 478..485   | `pig_points`           | (8,)       | option: at least 1, 2, 4, 8, 16, 32, 64, 128                                 |
| 486..629   | `melds_mouths`         | (3, 2, 24) | tie kou by the kind that they lack: more than k of them                      |
| 630..725   | `melds_sentences`      | (3, 4, 8)  | ju by group: more than k of them                                             |
| 726..797   | `melds_pengs`          | (3, 24)    | peng                                                                         |
| 798..869   | `melds_shaos`          | (3, 24)    | shao                                                                         |
| 870..941   | `melds_fours`          | (3, 24)    | fours of a kind                                                              |
| 942..1013  | `melds_own_fours`      | (3, 24)    | fours whose fourth card was the own one                                      |
| 1014..1157 | `melds_company`        | (3, 2, 24) | companions of a four: more than k (1 is a ban-zhao, 2 a man-zhao)            |
| 1158..1181 | `melds_shuang`         | (3, 8)     | groups whose two fours and third kind are a shuang long                      |
| 1182..1469 | `pile`                 | (3, 4, 24) | unclaimed cards, discards and flips: more than k of a kind                   |
| 1470..1541 | `thrown`               | (3, 24)    | kinds discarded so far, claimed or not                                       |
| 1542..1553 | `kou`                  | (3, 4)     | kou on the table, unary                                                      |
| 1554..1568 | `credits`              | (3, 5)     | ren credits, unary                                                           |
| 1569..1634 | `hand_size`            | (3, 22)    | cards in the hand, unary                                                     |
| 1635..1637 | `dealer`               | (3, 1)     | the dealer                                                                   |
| 1638..1640 | `owner`                | (3, 1)     | whose flip or discard is on offer                                            |
| 1641..1643 | `owes`                 | (3, 1)     | has taken a card, or opens the game, and has to discard                      |
| 1644..1675 | `stock`                | (32,)      | cards left to flip, unary                                                    |

With other numbers of players the places before the first one in these tables stay as they are.

## Observation with num_players=2

| places     | field             | shape      | meaning                                                           |
|------------|-------------------|------------|-------------------------------------------------------------------|
| 486..581   | `melds_mouths`    | (2, 2, 24) | tie kou by the kind that they lack: more than k of them           |
| 582..645   | `melds_sentences` | (2, 4, 8)  | ju by group: more than k of them                                  |
| 646..693   | `melds_pengs`     | (2, 24)    | peng                                                              |
| 694..741   | `melds_shaos`     | (2, 24)    | shao                                                              |
| 742..789   | `melds_fours`     | (2, 24)    | fours of a kind                                                   |
| 790..837   | `melds_own_fours` | (2, 24)    | fours whose fourth card was the own one                           |
| 838..933   | `melds_company`   | (2, 2, 24) | companions of a four: more than k (1 is a ban-zhao, 2 a man-zhao) |
| 934..949   | `melds_shuang`    | (2, 8)     | groups whose two fours and third kind are a shuang long           |
| 950..1141  | `pile`            | (2, 4, 24) | unclaimed cards, discards and flips: more than k of a kind        |
| 1142..1189 | `thrown`          | (2, 24)    | kinds discarded so far, claimed or not                            |
| 1190..1197 | `kou`             | (2, 4)     | kou on the table, unary                                           |
| 1198..1207 | `credits`         | (2, 5)     | ren credits, unary                                                |
| 1208..1251 | `hand_size`       | (2, 22)    | cards in the hand, unary                                          |
| 1252..1253 | `dealer`          | (2, 1)     | the dealer                                                        |
| 1254..1255 | `owner`           | (2, 1)     | whose flip or discard is on offer                                 |
| 1256..1257 | `owes`            | (2, 1)     | has taken a card, or opens the game, and has to discard           |
| 1258..1310 | `stock`           | (53,)      | cards left to flip, unary                                         |

## Observation with num_players=4

| places     | field             | shape      | meaning                                                           |
|------------|-------------------|------------|-------------------------------------------------------------------|
| 486..677   | `melds_mouths`    | (4, 2, 24) | tie kou by the kind that they lack: more than k of them           |
| 678..805   | `melds_sentences` | (4, 4, 8)  | ju by group: more than k of them                                  |
| 806..901   | `melds_pengs`     | (4, 24)    | peng                                                              |
| 902..997   | `melds_shaos`     | (4, 24)    | shao                                                              |
| 998..1093  | `melds_fours`     | (4, 24)    | fours of a kind                                                   |
| 1094..1189 | `melds_own_fours` | (4, 24)    | fours whose fourth card was the own one                           |
| 1190..1381 | `melds_company`   | (4, 2, 24) | companions of a four: more than k (1 is a ban-zhao, 2 a man-zhao) |
| 1382..1413 | `melds_shuang`    | (4, 8)     | groups whose two fours and third kind are a shuang long           |
| 1414..1797 | `pile`            | (4, 4, 24) | unclaimed cards, discards and flips: more than k of a kind        |
| 1798..1893 | `thrown`          | (4, 24)    | kinds discarded so far, claimed or not                            |
| 1894..1909 | `kou`             | (4, 4)     | kou on the table, unary                                           |
| 1910..1929 | `credits`         | (4, 5)     | ren credits, unary                                                |
| 1930..2017 | `hand_size`       | (4, 22)    | cards in the hand, unary                                          |
| 2018..2021 | `dealer`          | (4, 1)     | the dealer                                                        |
| 2022..2025 | `owner`           | (4, 1)     | whose flip or discard is on offer                                 |
| 2026..2029 | `owes`            | (4, 1)     | has taken a card, or opens the game, and has to discard           |
| 2030..2040 | `stock`           | (11,)      | cards left to flip, unary                                         |

## Rewards

The points of section 11, to all seats at once when the game ends, zero before. They sum to zero; all are zero
when the stock is exhausted, which is most games of weak players. At the end ``info`` and the record have
``outcome`` ("hu", "pig" or "exhausted"), ``winner`` (None without one) and ``next_dealer``; of a win also
``huxi``, ``points`` (before ``base``), and ``units``, the best cut of the winner's hand in the form of
``raw.melds(seat)``, with their ``unit_huxi``; of a pig also ``pig`` (the seat) and ``reason``
("broken_company", "third_kou" or "no_discard").

## Versions

* v0: first version.
"""

from __future__ import annotations

from typing import Any

from .core.wrapped import make_env
from .xiangxi96 import GAME, Xiangxi96Env

__all__ = ["env", "raw_env"]


def env(render_mode: str | None = None, on_illegal: str = "raise", **options: Any) -> Any:
    """Xiangxi 96 in PettingZoo's order-enforcing wrapper; see the module's page for the options."""
    return make_env(GAME, render_mode=render_mode, on_illegal=on_illegal, **options)


def raw_env(render_mode: str | None = None, **options: Any) -> Xiangxi96Env:
    """Xiangxi 96 without a wrapper."""
    return Xiangxi96Env(GAME, render_mode=render_mode, **options)
