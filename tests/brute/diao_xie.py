"""A slow, plain referee for Diao Xie (钓蟹, crab fishing), for checking a fast engine.

Written from the words of the rules page and of the seed rules only; section numbers in the comments are
those of the page. Hands are compared as the seed tells it: by the list of categories, the picture of the
pairs with its equal rows, the points, then card by card. There are no keys, tables of strength or floats,
so a person can read it beside the rules.

A card is rank then suit, "QH", or the joker "X". A hand is two cards in any order. Money is in points
(multiples of the base unit b, fractions only after the final split).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

Hand = Sequence[str]

# Section 1: the 32 cards.

RANKS_OF_SUIT = {"H": "23456789TJQ", "D": "2456789TJQ", "S": "4678T", "C": "4678T"}
JOKER = "X"
PACK = [rank + suit for suit, ranks in RANKS_OF_SUIT.items() for rank in ranks] + [JOKER]
IGNORED = (JOKER, "3H")  # the two cards without a partner
HAND_SIZE = 2

ACTIONS = (
    "fold",  # 弃
    "eat",  # 吃
    "touch1",  # 碰
    "touch2",
    "touch3",
    "touch4",
    "carry",  # 带
    "counter_carry",  # 头家反带
    "no_carry",
    "call",
    "raise",
)
TOUCHES = ("touch1", "touch2", "touch3", "touch4")
MOST_RAISES = 3  # section 6: the opening bet counts
RAISE_UNITS = 2  # section 6: a raise pays what is owed and two units

# Section 8. Of these, limit betting knows num_players, betting and base.
DEFAULTS: dict[str, Any] = {
    "num_players": 2,
    "betting": "pot",
    "hands": 1,
    "counter_carry": False,
    "fold_penalty": True,
    "supreme_bonus": True,
    "base": 1,
}
NUMBERS = {"num_players": (2, 5), "hands": (1, 8), "base": (1, 1000)}  # least and greatest
SWITCHES = ("counter_carry", "fold_penalty", "supreme_bonus")
POT_ONLY = ("hands", "counter_carry", "fold_penalty", "supreme_bonus")


# Hands: sections 2 and 3.

# The picture of the pairs in the seed rules, the best row first; the pairs of a row are equal.
ROWS_OF_PAIRS = (
    ("QH QD",),  # 对天
    ("2H 2D",),  # 对地
    ("8H 8D",),
    ("4H 4D",),
    ("6H 6D", "TH TD", "4S 4C"),
    ("JH JD", "7H 7D", "TS TC", "6S 6C"),
    ("9H 9D", "5H 5D", "7S 7C", "8S 8C"),
)
QUEENS, TWOS, NINES = ("QH", "QD"), ("2H", "2D"), ("9H", "9D")
EIGHTS = ("8H", "8D", "8S", "8C")

CATEGORIES = ("supreme", "pair", "heaven_nine", "heaven_eight", "earth_eight", "plain")  # strongest first
NAMED_HANDS = {
    "supreme": {frozenset((JOKER, "3H"))},  # 至尊宝
    "pair": {frozenset(pair.split()) for row in ROWS_OF_PAIRS for pair in row},  # 对子
    "heaven_nine": {frozenset(hand) for hand in product(QUEENS, NINES)},  # 天九
    "heaven_eight": {frozenset(hand) for hand in product(QUEENS, EIGHTS)},  # 天八
    "earth_eight": {frozenset(hand) for hand in product(TWOS, EIGHTS)},  # 地八
}

ROW_OF_CARD = {card: place for place, row in enumerate(ROWS_OF_PAIRS) for card in " ".join(row).split()}
FACE_POINTS = {JOKER: 6, "Q": 2, "J": 1, "T": 0}  # all others as printed


def category(hand: Hand) -> str:
    """Name the category of a hand; `plain` (杂牌) is every hand that is in no list."""
    cards = frozenset(hand)
    for name, hands in NAMED_HANDS.items():
        if cards in hands:
            return name
    return "plain"


def points(hand: Hand) -> int | None:
    """Return the points of a plain hand, 0 to 9; None for any other."""
    if category(hand) != "plain":
        return None
    total = sum(FACE_POINTS[card[0]] if card[0] in FACE_POINTS else int(card[0]) for card in hand)
    return total - 10 if total >= 10 else total


def rows_best_first(hand: Hand) -> list[int]:
    """Return the rows of the cards that count (X and 3H do not), the best (lowest number) first."""
    return sorted(ROW_OF_CARD[card] for card in hand if card not in IGNORED)


def eight_of(hand: Hand) -> str:
    """Return the eight of a heaven_eight or an earth_eight."""
    return next(card for card in hand if card in EIGHTS)


def stronger(a: Hand, b: Hand) -> bool:
    """Say whether hand `a` beats hand `b` by the cards alone, whoever spoke first."""
    name = category(a)
    if name != category(b):
        return CATEGORIES.index(name) < CATEGORIES.index(category(b))
    if name == "pair":
        return ROW_OF_CARD[a[0]] < ROW_OF_CARD[b[0]]
    if name in ("heaven_eight", "earth_eight"):  # the queen or the two never matters
        return ROW_OF_CARD[eight_of(a)] < ROW_OF_CARD[eight_of(b)]
    if name == "plain":
        return stronger_plain(a, b)
    return False  # all heaven_nine are equal; there is one supreme


def stronger_plain(a: Hand, b: Hand) -> bool:
    """Compare two plain hands: points, best card, second card; a card that counts beats one that does not."""
    points_a, points_b = points(a), points(b)
    assert points_a is not None and points_b is not None
    if points_a != points_b:
        return points_a > points_b
    rows_a, rows_b = rows_best_first(a), rows_best_first(b)
    for row_a, row_b in zip(rows_a, rows_b, strict=False):
        if row_a != row_b:
            return row_a < row_b
    return len(rows_a) > len(rows_b)


def equal(a: Hand, b: Hand) -> bool:
    """Say whether the cards of two hands are equal, so that the earlier speaker wins."""
    return not stronger(a, b) and not stronger(b, a)


# Stakes: section 5.


def touch_stake(k: int, pot: int, base: int) -> int:
    """Return x_k, about k fifths of the pot, at least b and at most P - b."""
    return min(pot - base, max(base, k * pot // (5 * base) * base))


def touch_levels(pot: int, base: int) -> dict[str, int]:
    """Return the legal touches and their stakes: a stake which a lower level has too is left out."""
    levels: dict[str, int] = {}
    for k, name in enumerate(TOUCHES, start=1):
        stake = touch_stake(k, pot, base)
        if stake not in levels.values():
            levels[name] = stake
    return levels


# Options: section 8.


def checked_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with the defaults filled in; TypeError or ValueError if something is wrong."""
    unknown = sorted(set(options) - set(DEFAULTS))
    if unknown:
        raise TypeError(f"unknown options {unknown}; there are {sorted(DEFAULTS)}")
    full = DEFAULTS | options
    for name, (least, most) in NUMBERS.items():
        number = full[name]
        if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
            raise ValueError(f"{name} must be a whole number from {least} to {most}, not {number!r}")
    for name in SWITCHES:
        if not isinstance(full[name], bool):
            raise ValueError(f"{name} must be True or False, not {full[name]!r}")
    if full["betting"] not in ("pot", "limit"):
        raise ValueError(f"betting must be 'pot' or 'limit', not {full['betting']!r}")
    for name in POT_ONLY:
        if full["betting"] == "limit" and full[name] != DEFAULTS[name]:
            raise ValueError(f"{name} does not apply to betting='limit': leave it at {DEFAULTS[name]!r}")
    return full


class Referee:
    """Play one episode: `decks` holds a deck of 32 cards for each hand that may be played.

    Attributes: `turn` (seat to act, None after the end), `head` (头家, of the hand being played; after the
    end of the last one), `pot` (during pot betting the P of section 5, in limit what has been paid so far, 0
    after the end), `stakes` (by seat, 0 while none; in limit what each seat has paid, the ante too),
    `extra` (what the head added by counter_carry, not in `stakes`), `folded` (seats), `hand_number` (from
    0), `scores` (received less paid so far), `owed` (penalties by seat that are still to be paid), `over`,
    `hands` (two cards by seat), `log` (a dict for each finished hand).
    """

    def __init__(self, decks: list[list[str]], options: dict[str, Any]) -> None:
        self.options = checked_options(options)
        self.seats: int = self.options["num_players"]
        self.base: int = self.options["base"]
        if len(decks) < self.options["hands"]:
            raise ValueError(f"give a deck for each of the {self.options['hands']} hands, not {len(decks)}")
        for deck in decks:
            if sorted(deck) != sorted(PACK):
                raise ValueError("a deck must hold each of the 32 cards of PACK once")
        self.decks = decks
        self.head = 0
        self.pot = 0
        self.scores = [Fraction(0)] * self.seats
        self.owed = [0] * self.seats
        self.hand_number = 0
        self.over = False
        self.log: list[dict[str, Any]] = []
        self._begin_hand()

    # Money. Every coin goes through these two, except the bonus, which never touches the pot.

    def _pay(self, seat: int, amount: int) -> None:
        self.scores[seat] -= amount
        self.pot += amount

    def _take(self, seat: int, amount: int) -> None:
        self.scores[seat] += amount
        self.pot -= amount

    def _pay_penalties(self) -> None:
        for seat in range(self.seats):
            self._pay(seat, self.owed[seat])
        self.owed = [0] * self.seats

    # The hand.

    def _begin_hand(self) -> None:
        """Collect penalties and antes, then deal: section 5, steps 1 to 4, and section 6, step 1."""
        self._pay_penalties()
        if self.pot < self.seats * self.base:
            for seat in range(self.seats):
                self._pay(seat, self.base)
        deck = self.decks[self.hand_number]
        self.hands = [(deck[HAND_SIZE * s], deck[HAND_SIZE * s + 1]) for s in range(self.seats)]
        self.folded: set[int] = set()
        self.extra = 0
        self.head_again = False  # the second turn of the head (counter_carry)
        self.acted: list[int] = []  # seats, in order; in limit since the last raise
        self.raises = 0
        self.stakes = [self.base if self.options["betting"] == "limit" else 0] * self.seats
        self.turn: int | None = self.head

    def speaking_order(self) -> list[int]:
        """Return the seats from the head on: section 4."""
        return [(self.head + i) % self.seats for i in range(self.seats)]

    def live(self) -> list[int]:
        """Return the seats that have not folded, in speaking order."""
        return [seat for seat in self.speaking_order() if seat not in self.folded]

    def owes(self, seat: int) -> int:
        """Return what a seat owes in limit betting: section 6, step 2."""
        return max(self.stakes) - self.stakes[seat]

    def legal(self) -> list[str]:
        """Return the legal actions of the seat to act, in the order of ACTIONS; none after the end."""
        if self.turn is None:
            return []
        if self.options["betting"] == "limit":
            legal = {"call"}
            if self.owes(self.turn) > 0:
                legal.add("fold")
            if self.raises < MOST_RAISES:
                legal.add("raise")
        elif self.head_again:
            legal = {"counter_carry", "no_carry"}
        else:
            legal = {"fold", "eat", *touch_levels(self.pot, self.base)}
            if sum(self.stakes) > 0:
                legal.add("carry")
        return [action for action in ACTIONS if action in legal]

    def stake_of(self, action: str) -> int:
        """Return what a legal action stakes (counter_carry: adds), or in limit betting pays."""
        assert self.turn is not None and action in self.legal(), f"{action} is not legal: {self.legal()}"
        if action in TOUCHES:
            return touch_levels(self.pot, self.base)[action]
        if action in ("carry", "counter_carry"):
            return self.pot + sum(self.stakes)
        if action == "call":
            return self.owes(self.turn)
        if action == "raise":
            return self.owes(self.turn) + RAISE_UNITS * self.base
        return self.pot if action == "eat" else 0

    def play(self, action: str) -> None:
        """Make one action; settle the hand and begin the next one where it was the last."""
        assert action in self.legal(), f"{action} is not legal; legal: {self.legal()}"
        if self.options["betting"] == "limit":
            self._play_limit(action)
        else:
            self._play_pot(action)

    def winner(self) -> int:
        """Return the best live hand, of equals the earliest speaker: section 3."""
        live = self.live()
        best = live[0]
        for seat in live[1:]:
            if stronger(self.hands[seat], self.hands[best]):
                best = seat
        return best

    # Pot betting: sections 5 and 7.

    def _play_pot(self, action: str) -> None:
        assert self.turn is not None
        if self.head_again:
            self.extra = self.stake_of(action)
            self._settle_pot()
            return
        if action == "fold":
            self.folded.add(self.turn)
        else:
            self.stakes[self.turn] = self.stake_of(action)
        self.acted.append(self.turn)
        last = self.speaking_order()[-1]
        waiting = [seat for seat in self.speaking_order() if seat not in self.acted]
        if self.live() == [last]:  # step 5; the last seat has not acted then
            self._settle_pot()
        elif waiting:
            self.turn = waiting[0]
        elif self.options["counter_carry"] and self.head in self.live() and len(self.live()) > 1:  # step 6
            self.head_again = True
            self.turn = self.head
        else:
            self._settle_pot()

    def _settle_pot(self) -> None:
        pot = self.pot
        # Step 1.
        w = self.winner()
        others = [seat for seat in self.live() if seat != w]
        total = list(self.stakes)
        total[self.head] += self.extra
        # Step 2.
        win = total[w]
        lost_extra = 0
        if w not in self.acted:
            win = pot
        tied = any(equal(self.hands[seat], self.hands[w]) for seat in others)
        if w == self.head and self.extra > 0 and tied:
            win, lost_extra = self.stakes[w], self.extra
        # Step 3.
        loss = sum(total[seat] for seat in others)
        received = win if loss >= win else min(win, pot + loss)
        # Step 4: the losers' stakes go through the pot, so it becomes P + L - r + e.
        for seat in others:
            self._pay(seat, total[seat])
        self._take(w, received)
        self._pay(w, lost_extra)
        pot_after = self.pot
        bonus = self._pay_bonus()
        self.owed = self._penalties(w, win, pot)
        self.log.append(
            {
                "head": self.head,
                "P": pot,
                "stakes": [
                    None if seat == w and w not in self.acted else s for seat, s in enumerate(self.stakes)
                ],
                "extra": self.extra,
                "winner": w,
                "W": win,
                "L": loss,
                "r": received,
                "lost_extra": lost_extra,
                "pot_after": pot_after,
                "penalties": list(self.owed),
                "bonus": bonus,
            }
        )
        # Step 7.
        played = self.hand_number + 1
        if played == self.options["hands"] or (self.pot == 0 and not any(self.owed)):
            self._split()
        else:
            self.hand_number = played
            self.head = w
            self._begin_hand()

    def _pay_bonus(self) -> list[int]:
        """Let each other player pay the holder of X 3H: step 5. Return what each seat got."""
        bonus = [0] * self.seats
        for holder in range(self.seats):
            if self.options["supreme_bonus"] and category(self.hands[holder]) == "supreme":
                for seat in range(self.seats):
                    if seat != holder:
                        bonus[holder] += self.seats * self.base
                        bonus[seat] -= self.seats * self.base
        self.scores = [score + got for score, got in zip(self.scores, bonus, strict=True)]
        return bonus

    def _penalties(self, w: int, win: int, pot: int) -> list[int]:
        """Return what each seat owes for a bad fold (赔底): step 6."""
        owed = [0] * self.seats
        if not self.options["fold_penalty"] or win < pot:
            return owed
        order = self.speaking_order()
        for seat in self.folded:
            hand, best = self.hands[seat], self.hands[w]
            spoke_before = order.index(seat) < order.index(w)
            if stronger(hand, best) or (equal(hand, best) and spoke_before and points(best) != 0):
                owed[seat] = win
        return owed

    def _split(self) -> None:
        """End the episode: penalties owed go into the pot, which is shared equally."""
        self._pay_penalties()
        share = Fraction(self.pot, self.seats)
        self.scores = [score + share for score in self.scores]
        self.pot = 0
        self._end()

    # Limit betting: section 6. What a seat pays is in the pot at once.

    def _play_limit(self, action: str) -> None:
        assert self.turn is not None
        seat = self.turn
        amount = self.stake_of(action)
        if action == "fold":
            self.folded.add(seat)
        else:
            self._pay(seat, amount)
            self.stakes[seat] += amount
        if action == "raise":
            self.raises += 1
            self.acted = []  # everybody else must act again
        self.acted.append(seat)
        done = all(s in self.acted and self.owes(s) == 0 for s in self.live())
        if len(self.live()) == 1 or done:
            w = self.winner()
            self.log.append({"head": self.head, "winner": w, "stakes": list(self.stakes), "r": self.pot})
            self._take(w, self.pot)
            self._end()
            return
        following = [(seat + i) % self.seats for i in range(1, self.seats)]
        self.turn = next(s for s in following if s not in self.folded)

    # The end.

    def _end(self) -> None:
        self.over = True
        self.turn = None

    def rewards(self) -> list[Fraction]:
        """Return the rewards by seat, which sum to zero; only after the end."""
        assert self.over, "the episode is not over: play on until turn is None"
        return list(self.scores)
