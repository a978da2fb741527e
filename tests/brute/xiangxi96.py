"""A slow, plain referee for Xiangxi 96 (湘西96扑克), for checking a fast engine.

Written from the words of the rules page only; section numbers in the comments are those of the page. The
turn loop has a method for each procedure of section 3, claims are one list made when the card appears, and
a win is found by trying every way to take the card and every way to cut the rest. There are no tables, so
a person can read it beside the rules.

A card is colour then rank, "r7", and is the name of its kind as well. A meld is a dict as in section 13.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

Meld = dict[str, Any]
Hand = Mapping[str, int]  # how many of each kind; a Counter, so that a kind not held counts 0
Win = dict[str, Any]

# Section 1: the cards.

RANKS = "A23456789JQK"
KINDS = [colour + rank for colour in "rb" for rank in RANKS]
COPIES = 4
PACK = [kind for kind in KINDS for _ in range(COPIES)]
GROUPS = [tuple(KINDS[i : i + 3]) for i in range(0, len(KINDS), 3)]
GROUP_OF = {kind: group for group in GROUPS for kind in group}
HUN = ["r" + rank for rank in "A23456789"]  # 荤; all others are su, 素
RED_FACES = ["rJ", "rQ", "rK"]
HAND_SIZE = 21  # the dealer has one more

KAN = 3
KOU_TO_WIN = 2
MOST_KOU = 2  # on the table: a third is a pig, and no tie is offered with two

# Section 12.
DEFAULTS: dict[str, Any] = {
    "num_players": 3,
    "scoring": "feng_sheng",
    "zhao_extra": "hun",
    "red_face_is_red": True,
    "split_table_sentence": False,
    "pig_points": 8,
    "base": 1,
}
ALLOWED: dict[str, Any] = {
    "num_players": (2, 3, 4),
    "scoring": ("feng_sheng", "big_small"),
    "zhao_extra": ("hun", "all"),
    "red_face_is_red": (True, False),
    "split_table_sentence": (True, False),
    "pig_points": range(1001),
    "base": range(1, 1001),
}


def checked_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with the defaults filled in; TypeError or ValueError if something is wrong."""
    unknown = sorted(set(options) - set(DEFAULTS))
    if unknown:
        raise TypeError(f"unknown options {unknown}; there are {sorted(DEFAULTS)}")
    for name, value in options.items():
        if type(value) is not type(DEFAULTS[name]) or value not in ALLOWED[name]:
            raise ValueError(f"{name} must be one of {ALLOWED[name]}, not {value!r}")
    return DEFAULTS | dict(options)


# Melds.


def in_order(kinds: Iterable[str]) -> list[str]:
    """Sort cards into kind order."""
    return sorted(kinds, key=KINDS.index)


def others(kind: str) -> list[str]:
    """Return the other two kinds of the group."""
    return [k for k in GROUP_OF[kind] if k != kind]


def four(card: str, own: bool, companions: Iterable[str]) -> Meld:
    """Return the lone zou (走), ban-zhao (半招) or man-zhao (满招) of a kind."""
    taken = in_order(companions)
    return {"type": ("zou", "ban", "man")[len(taken)], "card": card, "own": own, "with": taken}


def filled(ban: Meld) -> Meld:
    """Return the man-zhao of a ban-zhao that gets its missing kind; the own mark is kept."""
    return four(ban["card"], ban["own"], others(ban["card"]))


def shuang(ban: Meld, card: str, own: bool) -> Meld:
    """Return the double dragon (双龙) of a ban-zhao and four of another kind of its group."""
    marks = {ban["card"]: ban["own"], card: own}
    fours = in_order(marks)
    return {"type": "shuang", "cards": fours, "own": [marks[k] for k in fours], "with": list(ban["with"])}


def cards_of(meld: Meld) -> tuple[str, ...]:
    """Return all cards of a meld: of a zou, zhao or shuang the fours first, then the companions."""
    if meld["type"] in ("tie", "kou", "chi", "ju"):
        return tuple(in_order(meld["cards"]))
    if meld["type"] in ("peng", "shao", "kan"):
        return (meld["card"],) * KAN
    fours = meld["cards"] if meld["type"] == "shuang" else [meld["card"]]
    return tuple(kind for kind in in_order(fours) for _ in range(COPIES)) + tuple(in_order(meld["with"]))


def kou_of(melds: Iterable[Meld]) -> int:
    """Count the kou: ties, hand kou and ban-zhao, one each (section 9)."""
    return sum(meld["type"] in ("tie", "kou", "ban") for meld in melds)


def table_kou(melds: Iterable[Meld], kinds: Iterable[str]) -> Meld | None:
    """Return a tie of these two kinds."""
    return next((m for m in melds if m["type"] == "tie" and set(m["cards"]) == set(kinds)), None)


def bans_beside(melds: Iterable[Meld], card: str) -> list[Meld]:
    """Return the ban-zhao of the other kinds of the card's group."""
    return [m for m in melds if m["type"] == "ban" and m["card"] in others(card)]


def ban_missing(melds: Iterable[Meld], card: str) -> Meld | None:
    """Return a ban-zhao made of both other kinds of the card's group."""
    return next((m for m in bans_beside(melds, card) if {m["card"], *m["with"]} == set(others(card))), None)


def table_shao(melds: Iterable[Meld], card: str) -> Meld | None:
    return next((m for m in melds if m["type"] == "shao" and m["card"] == card), None)


def without(melds: Iterable[Meld], gone: Meld | None) -> list[Meld]:
    """Return the melds less one (nothing less for None)."""
    left = list(melds)
    if gone is not None:
        left.remove(gone)
    return left


# Hands: sections 4, 5 and 8.


def loose(hand: Hand) -> Counter[str]:
    """Return the counts after setting every kan to 0."""
    return Counter({kind: hand[kind] for kind in KINDS if hand[kind] and hand[kind] != KAN})


def companions_in(hand: Hand, card: str) -> list[str]:
    """Return the other kinds of the card's group that are held once or twice: a kan stays."""
    return [kind for kind in others(card) if hand[kind] in (1, 2)]


def legal_discards(hand: Hand, banned: Iterable[str] = ()) -> list[str]:
    """Return the kinds with a surplus over kan and complete ju, less the banned ones: section 5."""
    free = loose(hand)
    surplus = [k for k in KINDS if free[k] - min(free[other] for other in GROUP_OF[k]) > 0]
    return [kind for kind in surplus if kind not in set(banned)]


def broken_by(hand: Hand, kind: str) -> list[str]:
    """Return the kan which lose their full company when this kind is discarded: section 8.1."""
    kans = [a for a in others(kind) if hand[a] == KAN]
    return [a for a in kans if len(companions_in(hand, a)) == 2 and hand[kind] == 1]


def dealt_dragons(hand: Hand) -> tuple[list[Meld], Counter[str], int]:
    """Return the melds laid at the deal, the hand that is left and the credits: section 2."""
    left, melds, credit = Counter(hand), list[Meld](), 0
    for group in GROUPS:
        dragons = [kind for kind in group if left[kind] == COPIES]
        if len(dragons) == 1:
            laid = [four(dragons[0], True, companions_in(left, dragons[0]))]
        else:
            laid = [four(kind, True, []) for kind in dragons]
        if len(dragons) == 2:
            third = next(kind for kind in group if kind not in dragons)
            if left[third] in (1, 2):
                laid = [shuang(four(dragons[0], True, [third]), dragons[1], True)]
        for meld in laid:
            left -= Counter(cards_of(meld))
            credit += meld["type"] == "zou"
        melds += laid
    return melds, left, credit


# Huxi and points: sections 10 and 11.

VALUE_OF_TRIPLE = {
    "peng": {"red": 3, "black": 2},
    "shao": {"red": 6, "black": 4},
    "kan": {"red": 6, "black": 4},
}
VALUE_OF_FOUR = {"red": {False: 10, True: 12}, "black": {False: 6, True: 8}}  # fourth card other, own
BAO_ZHU = 28
MOST_POINTS = 10


def colour_of(kind: str, options: Mapping[str, Any]) -> str:
    """Return the colour in which three or four of a kind are valued."""
    if kind[0] == "b" or (kind in RED_FACES and not options["red_face_is_red"]):
        return "black"
    return "red"


def is_bao_zhu(meld: Meld) -> bool:
    """Say whether a meld is a shuang long bao zhu (双龙抱柱)."""
    return meld["type"] == "shuang" and all(meld["own"]) and meld["cards"][0] in HUN


def meld_huxi(meld: Meld, options: Mapping[str, Any]) -> int:
    """Return the huxi of a meld, or of a ju, kou or kan in the hand."""
    name = meld["type"]
    if name in ("tie", "kou", "chi", "ju"):
        return sum(kind in HUN for kind in meld["cards"])
    if name in VALUE_OF_TRIPLE:
        return VALUE_OF_TRIPLE[name][colour_of(meld["card"], options)]
    if is_bao_zhu(meld):
        return BAO_ZHU
    fours = (
        zip(meld["cards"], meld["own"], strict=True) if name == "shuang" else [(meld["card"], meld["own"])]
    )
    extra = sum(kind in HUN or options["zhao_extra"] == "all" for kind in meld["with"])
    return extra + sum(VALUE_OF_FOUR[colour_of(kind, options)][own] for kind, own in fours)


def least_huxi(options: Mapping[str, Any]) -> int:
    return 15 if options["num_players"] == 3 else 10


def ladder(huxi: int, options: Mapping[str, Any]) -> int:
    """Return the points of so much huxi, 0 below the minimum."""
    three = options["num_players"] == 3
    if huxi < least_huxi(options):
        return 0
    if options["scoring"] == "big_small":
        if three:
            return 10 if huxi >= 32 else 1
        return 2 if huxi >= 24 else 1
    steps = (15, 16, 21, 26, 31, 36, 41, 46, 51, 56) if three else (10, 11, 16, 21, 26, 31, 36, 41, 46, 51)
    return sum(huxi >= step for step in steps)


def win_points(huxi: int, su: bool, baozhu: bool, options: Mapping[str, Any]) -> int:
    """Return the points of a valid win, before `base`."""
    points = ladder(huxi, options)
    if su:
        points = max(points, MOST_POINTS)
    if baozhu:
        few = options["scoring"] == "big_small" and options["num_players"] != 3
        points = max(points, 2 if few else MOST_POINTS)
    return points


def payment(outcome: str, seat: int | None, points: int, options: Mapping[str, Any]) -> list[int]:
    """Return the scores when `seat` wins so many points or is the pig (抓猪)."""
    n, base = options["num_players"], options["base"]
    if outcome == "exhausted":
        return [0] * n
    each = points * base if outcome == "hu" else -options["pig_points"] * base
    return [each * (n - 1) if p == seat else -each for p in range(n)]


# Winning: section 9.


@cache
def cuts(group: tuple[str, ...], counts: tuple[int, ...]) -> list[list[Meld]]:
    """Return every way to cut loose cards of a group into ju and kou with nothing left over.

    The first card that is left goes into a ju or a kou, and the rest is cut in every way.
    """
    if not any(counts):
        return [[]]
    first = next(i for i in range(3) if counts[i])
    ways = []
    for taken in ((0, 1, 2), (0, 1), (0, 2), (1, 2)):
        if first in taken and all(counts[i] for i in taken):
            left = tuple(counts[i] - (i in taken) for i in range(3))
            unit = {"type": "ju" if len(taken) == 3 else "kou", "cards": [group[i] for i in taken]}
            ways += [[unit, *rest] for rest in cuts(group, left)]
    return ways


def cut_everything(free: Hand, kou: int) -> Iterator[list[Meld]]:
    """Yield every way to cut the loose cards of all groups with so many kou in total."""
    ways = []
    for group in GROUPS:
        counts = tuple(free[kind] for kind in group)
        of_group = [way for way in cuts(group, counts) if kou_of(way) <= kou]
        if not of_group:
            return
        ways.append(of_group)
    for choice in product(*ways):
        units = [unit for way in choice for unit in way]
        if kou_of(units) == kou:
            yield units


def ways_to_take(
    hand: Hand, melds: list[Meld], card: str, own: bool, split: bool
) -> Iterator[tuple[list[Meld], list[str], Counter[str]]]:
    """Yield table melds, kinds of kan and loose counts for each use of the winning card: options a to f."""
    kans = [kind for kind in KINDS if hand[kind] == KAN]
    free = loose(hand)
    y, z = others(card)
    kou = table_kou(melds, (y, z))
    if card not in kans:  # a
        yield melds, kans, free + Counter([card])
    if free[card] == 2:  # b
        triple = {"type": "shao" if own else "peng", "card": card}
        yield melds + [triple], kans, free - Counter([card] * 2)
    shao = table_shao(melds, card)
    if card in kans or shao is not None:  # c
        table = without(melds, shao)
        fewer = [kind for kind in kans if kind != card]
        for companions in ([], [y], [z], [y, z]):
            if all(free[kind] for kind in companions):
                yield table + [four(card, own, companions)], fewer, free - Counter(companions)
        if kou is not None:
            yield without(table, kou) + [four(card, own, [y, z])], fewer, free
        for ban in bans_beside(melds, card):
            yield without(table, ban) + [shuang(ban, card, own)], fewer, free
    if kou is not None:  # d
        yield without(melds, kou) + [{"type": "chi", "cards": list(GROUP_OF[card])}], kans, free
    ban_to_fill = ban_missing(melds, card)
    if ban_to_fill is not None:  # e
        yield without(melds, ban_to_fill) + [filled(ban_to_fill)], kans, free
    chi = next((m for m in melds if m["type"] == "chi" and card in m["cards"]), None)
    if split and chi is not None:  # f
        two = [{"type": "tie", "cards": in_order([card, kind])} for kind in (y, z)]
        yield without(melds, chi) + two, kans, free


NAME_IN_A_CUT = {"tie": "kou", "chi": "ju"}


def best_win(
    hand: Hand, melds: list[Meld], card: str, own_flip: bool, options: Mapping[str, Any]
) -> Win | None:
    """Return the best cut with the winning card, None without one; points are those before `base`."""
    options = DEFAULTS | dict(options)
    held = [kind for kind in KINDS if hand[kind]]
    su = not any(kind in HUN for kind in [card, *held, *(k for meld in melds for k in cards_of(meld))])
    best: Win | None = None
    for table, kans, free in ways_to_take(hand, melds, card, own_flip, options["split_table_sentence"]):
        laid = [meld | {"type": NAME_IN_A_CUT.get(meld["type"], meld["type"])} for meld in table]
        laid += [{"type": "kan", "card": kind} for kind in kans]
        for cut in cut_everything(free, KOU_TO_WIN - kou_of(laid)):
            units = laid + cut
            huxi = sum(meld_huxi(unit, options) for unit in units)
            if huxi < least_huxi(options) and not su:
                continue
            baozhu = any(is_bao_zhu(unit) for unit in units)
            points = win_points(huxi, su, baozhu, options)
            if best is None or (points, huxi) > (best["points"], best["huxi"]):
                best = {"huxi": huxi, "points": points, "su": su, "baozhu": baozhu, "units": units}
    return best


class Referee:
    """Play one game; the procedures of section 3 are `_discard`, `_flip`, `_show` (CLAIMS), `_zou`, `_entry`.

    Attributes, by seat where they are lists: `turn` (seat to act, None after the end), `phase` ("discard",
    "hu", "chi", "tie", "over"; "flip" only while flips are held, see `set_position`), `hands` (Counters; the
    winner's gets the winning card), `melds`, `piles`, `stock` (next card first), `card`, `owner` and `source`
    of the card on offer (None when it has been taken), `offers` (seats and actions for that card, assuming
    all earlier ones pass), `flipper` (who flipped last or, held, flips next), `credits`, `thrown`,
    `passed_chi`, `broken` (sets), `ban` (kind or None), `dealer`, `events` (decision number, seat, event,
    cards; all that happened by itself). After the end `outcome` ("hu", "pig", "exhausted"), `winner`, `pig`,
    `reason`, `huxi`, `points` (before `base`), `units`, `scores`, `next_dealer`; None where not meant.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = checked_options(options)
        self.n: int = self.options["num_players"]
        self._clear()

    def _clear(self) -> None:
        self.hold_flips = False
        self.dealer = 0
        self.turn: int | None = None
        self.phase = "over"
        self._asked: list[str] = []  # actions of the question
        self.hands = [Counter[str]() for _ in range(self.n)]
        self.melds: list[list[Meld]] = [[] for _ in range(self.n)]
        self.piles: list[list[str]] = [[] for _ in range(self.n)]
        self.stock: list[str] = []
        self.card: str | None = None
        self.owner: int | None = None
        self.source: str | None = None
        self.offers: list[tuple[int, list[str]]] = []
        self._waiting: list[tuple[int, list[str]]] = []  # offers not yet answered
        self.flipper: int | None = None
        self.credits = [0] * self.n
        self.thrown: list[set[str]] = [set() for _ in range(self.n)]
        self.passed_chi: list[set[str]] = [set() for _ in range(self.n)]
        self.broken: list[set[str]] = [set() for _ in range(self.n)]
        self.ban: list[str | None] = [None] * self.n
        self.decision = -1  # number of the last one
        self.events: list[tuple[int, int, str, tuple[str, ...]]] = []
        self.outcome: str | None = None
        self.winner: int | None = None
        self.pig: int | None = None
        self.reason: str | None = None
        self.huxi: int | None = None
        self.points: int | None = None
        self.units: list[Meld] | None = None
        self.scores: list[int] | None = None
        self.next_dealer: int | None = None

    def seats_from(self, seat: int) -> list[int]:
        """Return all seats in turn order."""
        return [(seat + i) % self.n for i in range(self.n)]

    def next(self, seat: int) -> int:
        """Return the next seat (下家)."""
        return (seat + 1) % self.n

    def _happens(self, seat: int, event: str, cards: Iterable[str] = ()) -> None:
        self.events.append((self.decision, seat, event, tuple(cards)))

    # Ways to begin.

    def deal(self, deck: list[str], dealer: int) -> None:
        """Deal and play all that is automatic: the dealer's cards come first, then each next seat's."""
        if Counter(deck) != Counter(PACK):
            raise ValueError("a deck must hold the 96 cards of PACK")
        hands: list[list[str]] = [[] for _ in range(self.n)]
        left = list(deck)
        for seat in self.seats_from(dealer):
            size = HAND_SIZE + (seat == dealer)
            hands[seat], left = left[:size], left[size:]
        self.start(hands, left, dealer)

    def start(self, hands: list[list[str]], stock: list[str], dealer: int, hold_flips: bool = False) -> None:
        """START of section 3 with these hands; `hold_flips` stops before the first flip."""
        self._clear()
        self.hold_flips = hold_flips
        self.dealer, self.stock = dealer, list(stock)
        self.hands = [Counter(hand) for hand in hands]
        for seat in self.seats_from(dealer):
            self.melds[seat], self.hands[seat], self.credits[seat] = dealt_dragons(self.hands[seat])
            for meld in self.melds[seat]:
                self._happens(seat, "dragon", cards_of(meld))
        if legal_discards(self.hands[dealer]):
            self._ask(dealer, "discard")
        elif self.credits[dealer] > 0:
            self._spend_credit(dealer)
        else:
            self._pig(dealer, "no_discard")

    def set_position(self, case: Mapping[str, Any], hold_flips: bool = True) -> None:
        """Set up a `claims` case (section 13.4) and run CLAIMS on its card.

        The stock is what is left of the pack, in the order of PACK. With `hold_flips` the game stops where a
        card would be flipped: `phase` is then "flip" and `flipper` the seat; `resume` goes on.
        """
        if case["num_players"] != self.n:
            raise ValueError(f"the case is for {case['num_players']} players, the referee for {self.n}")
        self._clear()
        self.hold_flips = hold_flips
        self.dealer = case["dealer"]
        self.hands = [Counter(hand) for hand in case["hands"]]
        self.melds = [[dict(meld) for meld in melds] for melds in case["melds"]]
        self.piles = [list(pile) for pile in case.get("piles", [[]] * self.n)]
        self.thrown = [set(kinds) for kinds in case["thrown"]]
        self.passed_chi = [set(kinds) for kinds in case["passed_chi"]]
        self.broken = [set(kinds) for kinds in case["broken"]]
        self.credits = list(case["credits"])
        seen = Counter([case["card"]])
        for hand, melds, pile in zip(self.hands, self.melds, self.piles, strict=True):
            seen += hand + Counter(pile) + Counter(card for meld in melds for card in cards_of(meld))
        self.stock = list((Counter(PACK) - seen).elements())
        self._show(case["card"], case["owner"], case["source"])

    def resume(self) -> None:
        """Flip the card that was held."""
        if self.phase != "flip" or self.flipper is None:
            raise ValueError(f"no flip is held in phase {self.phase}")
        self.hold_flips = False
        self._flip(self.flipper)

    # Decisions.

    def legal(self) -> list[str]:
        """Return the names of the legal actions of the seat to act; none after the end."""
        if self.phase == "discard":
            assert self.turn is not None
            return self._legal_discards(self.turn)
        return list(self._asked) if self.phase in ("hu", "chi", "tie") else []

    def play(self, action: str) -> None:
        """Make a decision and play all that is automatic after it; ValueError if it is not legal."""
        if action not in self.legal():
            raise ValueError(f"{action!r} is not legal in phase {self.phase}; legal: {self.legal()}")
        seat, phase = self.turn, self.phase
        assert seat is not None
        self.decision += 1
        if phase == "discard":
            self._discard(seat, action)
        elif action == "pass":
            if phase == "chi":
                assert self.card is not None
                self.passed_chi[seat].add(self.card)
            self._next_offer()
        else:
            self._claim(seat, action)

    def _ask(self, seat: int, phase: str, actions: Iterable[str] = ()) -> None:
        self.turn, self.phase, self._asked = seat, phase, list(actions)

    def _legal_discards(self, seat: int) -> list[str]:
        ban = self.ban[seat]
        return legal_discards(self.hands[seat], [] if ban is None else [ban])

    # The turn loop: section 3.

    def _discard(self, p: int, kind: str) -> None:
        self.broken[p].update(broken_by(self.hands[p], kind))
        self.hands[p] -= Counter([kind])
        self.thrown[p].add(kind)
        self.ban[p] = None
        self._show(kind, p, "discard")

    def _flip(self, p: int) -> None:
        self.flipper = p
        if self.hold_flips:
            self._ask(p, "flip")
        elif not self.stock:
            self._happens(p, "exhausted")
            self._end("exhausted", None)
        else:
            card = self.stock.pop(0)
            self._happens(p, "flip", [card])
            self._show(card, p, "flip")

    def _show(self, card: str, owner: int, source: str) -> None:
        """Turn a card up and ask for it: CLAIMS."""
        self.card, self.owner, self.source = card, owner, source
        self.offers = self._claim_list(card, owner, source)
        self._waiting = list(self.offers)
        self._next_offer()

    def _claim_list(self, c: str, o: int, source: str) -> list[tuple[int, list[str]]]:
        """Return who is asked what, in order; an entry without `pass` is forced and ends the list."""
        list_: list[tuple[int, list[str]]] = []
        flip = source == "flip"
        rest = self.seats_from(o)[1:]
        if not flip and self.n < 4:  # 0
            return []
        if flip:
            if self._win(o, c, own=True) is not None:  # 1
                list_.append((o, ["hu", "pass"]))
            if self._has_three(o, c):  # 2
                return [*list_, (o, ["zou"])]
            if self.hands[o][c] == 2:
                return [*list_, (o, ["shao"])]
        list_ += [(q, ["hu", "pass"]) for q in rest if self._win(q, c, own=False) is not None]  # 3
        for q in rest:  # 4
            if self._has_three(q, c):
                return [*list_, (q, ["zou"])]
        for q in rest:  # 5
            if self.hands[q][c] == 2:
                return [*list_, (q, ["peng"])]
        near = [o, self.next(o)] if flip else [self.next(o)]
        for q in near:  # 6
            ways, forced = self._chi_ways(q, c)
            if forced:
                return [*list_, (q, ways)]
            if ways:
                list_.append((q, [*ways, "pass"]))
        list_ += [(q, ["tie", "pass"]) for q in near if self._tie_card(q, c) is not None]  # 7
        return list_

    def _next_offer(self) -> None:
        """Go on with the claim list; at its end REST."""
        if self._waiting:
            seat, actions = self._waiting.pop(0)
            if len(actions) == 1:
                self._claim(seat, actions[0], automatic=True)
            else:
                self._ask(seat, actions[0].split("_")[0], actions)
            return
        assert self.card is not None and self.owner is not None
        owner = self.owner
        self.piles[owner].append(self.card)
        self._taken()
        self._flip(self.next(owner))

    def _taken(self) -> None:
        self.card = self.owner = self.source = None

    def _claim(self, p: int, action: str, automatic: bool = False) -> None:
        c, own = self.card, self.source == "flip" and self.owner == p
        assert c is not None
        if action == "hu":
            self._hu(p, c, own)
            return
        self._taken()
        if action == "zou":
            self._zou(p, c, own)
            return
        meld = self._lay(p, c, action)
        if action == "tie":
            self.ban[p] = c
        if automatic:
            self._happens(p, action, cards_of(meld))
        self._entry(p)

    def _lay(self, p: int, c: str, action: str) -> Meld:
        """Lay the meld of a shao, peng, chi or tie: section 4."""
        meld: Meld
        from_hand: list[str] = []
        from_table: Meld | None = None
        if action in ("shao", "peng"):
            meld, from_hand = {"type": action, "card": c}, [c, c]
        elif action == "tie":
            partner = self._tie_card(p, c)
            assert partner is not None
            meld, from_hand = {"type": "tie", "cards": in_order([c, partner])}, [partner]
        elif action == "chi_half":
            from_table = ban_missing(self.melds[p], c)
            assert from_table is not None
            meld = filled(from_table)
        else:
            meld = {"type": "chi", "cards": list(GROUP_OF[c])}
            if action == "chi_hand":
                from_hand = others(c)
            else:
                from_table = table_kou(self.melds[p], others(c))
        self.hands[p] -= Counter(from_hand)
        self.melds[p] = without(self.melds[p], from_table) + [meld]
        return meld

    def _zou(self, p: int, c: str, own: bool) -> None:
        """ZOU, with the companions of section 7."""
        shao = table_shao(self.melds[p], c)
        table = without(self.melds[p], shao)
        if shao is None:
            self.hands[p] -= Counter([c] * KAN)
        bans, kou = bans_beside(table, c), table_kou(table, others(c))
        if bans:
            meld = shuang(bans[0], c, own)
            table = without(table, bans[0])
        elif kou is not None:
            meld = four(c, own, others(c))
            table = without(table, kou)
        else:
            meld = four(c, own, companions_in(self.hands[p], c))
            self.hands[p] -= Counter(meld["with"])
        self.melds[p] = table + [meld]
        self._happens(p, "zou", cards_of(meld))
        if c in self.broken[p] and meld["type"] in ("zou", "ban"):
            self._pig(p, "broken_company")
        elif meld["type"] == "ban" and kou_of(self.melds[p]) > MOST_KOU:
            self._pig(p, "third_kou")
        elif meld["type"] == "zou":
            self.ban[p] = None
            self._flip(self.next(p))
        else:
            self._entry(p)

    def _entry(self, p: int) -> None:
        if self.credits[p] > 0:
            self._spend_credit(p)
        elif self._legal_discards(p):
            self._ask(p, "discard")
        else:
            self._pig(p, "no_discard")

    def _spend_credit(self, p: int) -> None:
        self.credits[p] -= 1
        self.ban[p] = None
        self._happens(p, "credit")
        self._flip(self.next(p))

    # Claims: section 4.

    def _win(self, p: int, c: str, own: bool) -> Win | None:
        return best_win(self.hands[p], self.melds[p], c, own, self.options)

    def _has_three(self, p: int, c: str) -> bool:
        return self.hands[p][c] == KAN or table_shao(self.melds[p], c) is not None

    def _chi_ways(self, p: int, c: str) -> tuple[list[str], bool]:
        """Return the ways to chi, and whether one of them must be taken."""
        free = loose(self.hands[p])
        barred = c in self.thrown[p] or c in self.passed_chi[p]
        ways = []
        if table_kou(self.melds[p], others(c)) is not None and not barred:
            ways.append("chi_table")
        if ban_missing(self.melds[p], c) is not None:
            ways.append("chi_half")
        forced = bool(ways)
        if all(free[kind] >= 1 for kind in others(c)) and not barred:
            ways.append("chi_hand")
            forced = forced or free[c] == 0
        return ways, forced

    def _tie_card(self, p: int, c: str) -> str | None:
        """Return the hand card that would be laid with the card in a tie."""
        free = loose(self.hands[p])
        partners = [kind for kind in others(c) if free[kind] >= 1]
        if kou_of(self.melds[p]) >= MOST_KOU or len(partners) != 1:
            return None
        partner = partners[0]
        if free[c] == 0 or (free[c] == 1 and free[partner] == 2):
            return partner
        return None

    # The end: sections 8 and 11.

    def _hu(self, p: int, c: str, own: bool) -> None:
        win = self._win(p, c, own)
        assert win is not None
        self.hands[p] += Counter([c])
        self._taken()
        self.winner = p
        self.huxi, self.points, self.units = win["huxi"], win["points"], win["units"]
        self._end("hu", p, win["points"])

    def _pig(self, p: int, reason: str) -> None:
        self._happens(p, "pig")
        self.pig, self.reason = p, reason
        self._end("pig", p)

    def _end(self, outcome: str, seat: int | None, points: int = 0) -> None:
        self.outcome = outcome
        self.scores = payment(outcome, seat, points, self.options)
        self.next_dealer = self.dealer if seat is None else seat
        self.turn, self.phase = None, "over"
