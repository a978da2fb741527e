"""A slow, plain referee for Zheng Shang You (爭上游, struggle upstream), for checking a fast engine.

Written from the words of the rules page only; section numbers in the comments are those of the page. The
legal plays are found in two ways that share little. With one deck every subset of the hand is named by
`classify`, and those that spend the right cards are kept (`plays_from_subsets`). With two decks that is too
many, so each type is looked for by its own loop over ranks and windows, and then its cards are chosen
(`plays_from_types`).

A card is rank then suit, "3S", or a joker, "x" (small) or "X" (big). Hands are lists of cards sorted by
rank, then suit in the order S H D C. A play with suits ignored is (name, length, key, ranks), the ranks as
the page writes them: "A2345", "55577", "55566699JJ".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement, product
from typing import Any, NamedTuple

RANKS = "3456789TJQKA2xX"  # low to high
SUITS = "SHDC"  # never ranked; the order in which cards are written and spent
JOKERS = "xX"
PLACES = "A23456789TJQKA2"  # section 4: A and 2 stand at both ends

SEATS = 4
HAND_SIZE = {1: 13, 2: 27}  # by decks
SPADE_THREE = "3S"
LOWEST_CARD_SUITS = "DCHS"  # who leads a small deal that leaves out both 3S
SHORTEST_STRAIGHT = 5
SHORTEST_CHAIN = 2
SMALLEST_BOMB = 4
LARGEST_BOMB = {1: 4, 2: 8}  # by decks
MOST_WINGED = 5  # triples with as many pairs: a sixth would need 30 cards
JOKER_BOMB = "xxXX"
CHAIN_COPIES = {"pair_chain": 2, "triple_chain": 3}  # cards of each rank
STRAIGHTS = ("straight", "flush_straight")

# Section 8: (points from which, English, Chinese); level 1 has no lower end.
LEVELS = [
    (0, "Snail", "蝸牛"),
    (60, "Foal", "小馬駒"),
    (140, "Third-Class Horse", "三等馬"),
    (300, "Second-Class Horse", "二等馬"),
    (720, "First-Class Horse", "一等馬"),
    (1400, "Thousand-Li Horse", "千里馬"),
    (2000, "White Crane", "白鶴"),
    (3000, "Purple Chestnut", "紫騂"),
    (4500, "Startled Sail", "驚帆"),
    (6200, "Yellow-Hoofed Lightning", "爪黃飛電"),
    (8000, "Dark Cloud Treading Snow", "烏雲踏雪"),
    (12000, "Night-Shining Jade Lion", "照夜玉獅子"),
    (17000, "Dilu (White-Browed)", "的盧"),
    (22000, "Vanishing Shadow", "絕影"),
    (28000, "Red Hare", "赤兔"),
    (40000, "Black Dapple", "烏騅"),
    (60000, "Morning Duck", "晨鳧"),
    (90000, "Bronze Bird", "銅爵"),
    (140000, "Flying Pinion", "飛翩"),
    (300000, "Lightning Chaser", "追電"),
    (450000, "Shadow Treader", "躡景"),
    (600000, "White Hare", "白兔"),
    (1000000, "Wind Chaser", "追風"),
]

DEFAULTS: dict[str, Any] = {
    "decks": 1,
    "pass_lockout": False,
    "lead_spade_three": False,
    "distinct_wings": False,
    "base": 1,
    "cards_each": None,  # not of the rules page: deal only so many cards to each seat
}

RankPlay = tuple[str, int, str, str]


class Play(NamedTuple):
    """One play: its type, its number of cards, the rank that is compared, and its cards, sorted."""

    name: str
    length: int
    key: str
    cards: tuple[str, ...]


PASS = Play("pass", 0, "", ())


def sort_cards(cards: Iterable[str]) -> list[str]:
    """Return the cards by rank, then by suit."""
    return sorted(cards, key=lambda card: (RANKS.index(card[0]), SUITS.find(card[-1])))


def ranks_of(cards: Iterable[str]) -> str:
    """Return the rank characters of the cards, in the cards' order."""
    return "".join(card[0] for card in cards)


def suits_of(cards: Iterable[str]) -> set[str]:
    """Return the suits that the cards show; jokers show none."""
    return {card[1] for card in cards if card not in JOKERS}


def without(cards: Iterable[str], spent: Iterable[str]) -> list[str]:
    """Return the cards in their order, less those spent."""
    left = list(cards)
    for card in spent:
        left.remove(card)
    return left


def higher(a: str, b: str) -> bool:
    """Say whether rank `a` is higher than rank `b`; equal is not higher."""
    return RANKS.index(a) > RANKS.index(b)


# Components and deal: section 1.


def pack(decks: int) -> list[str]:
    """Return the whole pack, rank by rank; with two decks each deck's jokers follow its own 52 cards."""
    deck = [rank + suit for rank in RANKS if rank not in JOKERS for suit in SUITS]
    return deck if decks == 1 else (deck + list(JOKERS)) * 2


def leader(deck: list[str], decks: int, cards_each: int | None = None) -> int:
    """Return the seat that is dealt 3S first or, where no dealt card is a 3S, the lowest card."""
    dealt = deck[: SEATS * (cards_each or HAND_SIZE[decks])]
    if SPADE_THREE in dealt:
        return dealt.index(SPADE_THREE) % SEATS
    lowest = min(dealt, key=lambda card: (RANKS.index(card[0]), LOWEST_CARD_SUITS.find(card[-1])))
    return dealt.index(lowest) % SEATS


# Combinations: sections 3 and 4.


@cache
def windows(groups: int) -> tuple[str, ...]:
    """Return every chain of so many neighbouring ranks, by rising key (the last rank)."""
    found = {}
    for start in range(len(PLACES) - groups + 1):
        window = PLACES[start : start + groups]
        stands_low = start < PLACES.index("3")
        if len(set(window)) == groups and (not stands_low or "3" in window):
            found[frozenset(window)] = window  # of thirteen ranks the strongest reading stays, 3...KA2
    return tuple(found.values())


def classify(cards: Iterable[str], options: dict[str, Any]) -> Play | None:
    """Name a set of cards by its strongest reading, or return None."""
    options = DEFAULTS | options
    ordered = sort_cards(cards)
    found = reading(ranks_of(ordered), options["distinct_wings"])
    if found is None:
        return None
    name, key = found
    if name == "straight" and len(suits_of(ordered)) == 1:
        name = "flush_straight"
    return Play(name, len(ordered), key, tuple(ordered))


@lru_cache(maxsize=2**17)
def reading(ranks: str, distinct_wings: bool) -> tuple[str, str] | None:
    """Name ranks, given in ascending order, as (name, key); a flush is not told from a straight."""
    if ranks == JOKER_BOMB:
        return ("joker_bomb", "X")
    if len(set(ranks)) == 1:
        name = name_of_equals(ranks[0], len(ranks))
        return (name, ranks[0]) if name else None
    return chain_reading(ranks) or full_house_reading(ranks) or winged_reading(ranks, distinct_wings)


def name_of_equals(rank: str, copies: int) -> str | None:
    """Name so many cards of one rank."""
    if rank in JOKERS and copies > 2:
        return None
    return {1: "single", 2: "pair", 3: "triple"}.get(copies, "bomb")


def chain_reading(ranks: str) -> tuple[str, str] | None:
    """Read neighbouring ranks of one, two or three cards each."""
    held = Counter(ranks)
    for name, copies, shortest in (
        ("straight", 1, SHORTEST_STRAIGHT),
        ("pair_chain", 2, SHORTEST_CHAIN),
        ("triple_chain", 3, SHORTEST_CHAIN),
    ):
        if len(held) >= shortest and all(n == copies for n in held.values()):
            for window in windows(len(held)):
                if set(window) == set(ranks):
                    return (name, window[-1])
    return None


def full_house_reading(ranks: str) -> tuple[str, str] | None:
    """Read three of one rank with two of another."""
    held = Counter(ranks)
    if sorted(held.values()) != [2, 3]:
        return None
    triple = next(rank for rank in held if held[rank] == 3)
    return None if triple in JOKERS else ("full_house", triple)


def winged_reading(ranks: str, distinct_wings: bool) -> tuple[str, str] | None:
    """Read g neighbouring triples with g pairs: five cards for each group."""
    groups, odd = divmod(len(ranks), 5)
    if odd or groups < SHORTEST_CHAIN:
        return None
    held = Counter(ranks)
    for window in windows(groups):
        if all(held[rank] >= 3 for rank in window):
            wings = held - Counter(window * 3)
            pairs = all(n % 2 == 0 for n in wings.values())
            distinct = all(n == 2 and rank not in window for rank, n in wings.items())
            if pairs and (distinct or not distinct_wings):
                return ("triple_chain_with_pairs", window[-1])
    return None


def body_of(name: str, length: int, key: str) -> str:
    """Return the ranks of a play but its kickers, in the order of its chain."""
    if name == "joker_bomb":
        return JOKER_BOMB
    copies = CHAIN_COPIES.get(name, 3 if name == "triple_chain_with_pairs" else 1)
    if name in STRAIGHTS or name in CHAIN_COPIES:
        groups = length // copies
    elif name == "triple_chain_with_pairs":
        groups = length // 5
    else:  # one rank; of a full house the triple
        return key * (3 if name == "full_house" else length)
    (window,) = [window for window in windows(groups) if window[-1] == key]
    return "".join(rank * copies for rank in window)


def without_suits(play: Play) -> RankPlay:
    """Return the play with its ranks, body before kickers, in place of its cards."""
    name, length, key, cards = play
    if name == "pass":
        return ("pass", 0, "", "")
    body = body_of(name, length, key)
    return (name, length, key, body + "".join(without(ranks_of(cards), body)))


# Comparison: section 5.


def beats(new: Play, table: Play) -> bool:
    """Say whether a play beats the one on the table."""
    return reading_beats(new[:3], table[:3])


def reading_beats(new: tuple[str, int, str], table: tuple[str, int, str]) -> bool:
    """Compare two plays by type, number of cards and key: nothing else counts."""
    name, length, key = new
    table_name, table_length, table_key = table
    if name == "joker_bomb":
        return table_name != "joker_bomb"
    if name == "bomb":
        if table_name == "bomb":
            return length > table_length or (length == table_length and higher(key, table_key))
        return table_name != "joker_bomb"
    if length != table_length:
        return False
    if name in STRAIGHTS and table_name in STRAIGHTS and name != table_name:
        return name == "flush_straight"
    return name == table_name and higher(key, table_key)


# Suits: section 6.


def live_cards(hand: Iterable[str]) -> Counter[str]:
    """Count the flush-live copies, none to two, of each card of the hand."""
    return live_cards_of(tuple(hand)).copy()


@lru_cache(maxsize=2**10)
def live_cards_of(hand: tuple[str, ...]) -> Counter[str]:
    live: Counter[str] = Counter()
    for suit in SUITS:
        held = Counter(card[0] for card in hand if card[1:] == suit)
        covered = [window for window in windows(5) if all(rank in held for rank in window)]
        for rank in held:
            around = [window for window in covered if rank in window]
            if around:
                live[rank + suit] = 1
            # A second copy is live if two windows, or one twice, can be made at once.
            if held[rank] == 2 and any(
                all(held[r] >= n for r, n in Counter(first + second).items())
                for first, second in combinations_with_replacement(around, 2)
            ):
                live[rank + suit] = 2
    return live


def copies_of(rank: str, hand: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the hand's cards of one rank: those that are not flush-live, and those that are."""
    live = live_cards(hand)
    held = Counter(card for card in hand if card[0] == rank)
    idle = [card for card in held for _ in range(held[card] - live[card])]
    return sort_cards(idle), sort_cards(card for card in held for _ in range(live[card]))


def has_order(play: Play, hand: list[str], three_due: bool) -> bool:
    """Say whether a play spends, of each rank, cards that are not live first.

    `three_due`: the play has to contain a 3S, which is then the first card of its rank.
    """
    for rank in set(ranks_of(play.cards)):
        taken = [card for card in play.cards if card[0] == rank]
        idle, _ = copies_of(rank, hand)
        if three_due and rank == "3":
            taken.remove(SPADE_THREE)
            if SPADE_THREE in idle:
                idle.remove(SPADE_THREE)
        if len(taken) <= len(idle):
            if taken != idle[: len(taken)]:
                return False
        elif Counter(idle) - Counter(taken):
            return False
    return True


def plays_from_subsets(
    hand: list[str], table: Play | None, options: dict[str, Any], three_due: bool
) -> set[Play]:
    """Name every subset of the hand that can answer the table, and keep those that spend the right cards.

    A flush straight has no order to keep. A plain straight keeps it unless it could then not be made.
    """
    sizes = {*range(1, len(hand) + 1)}
    if table is not None:  # sets of the table's size, and bombs
        sizes = {table.length, *range(SMALLEST_BOMB, LARGEST_BOMB[options["decks"]] + 1)}
    plays = set()
    for size in sizes:
        for cards in set(combinations(hand, size)):
            play = classify(cards, options)
            if play and (SPADE_THREE in cards or not three_due) and (table is None or beats(play, table)):
                plays.add(play)
    kept = {play for play in plays if play.name == "flush_straight" or has_order(play, hand, three_due)}
    made = {without_suits(play) for play in kept}
    return kept | {play for play in plays if play.name == "straight" and without_suits(play) not in made}


# The same by types: section 3 again, as loops over the ranks and windows that a hand can hold.


def rank_plays(hand: list[str], options: dict[str, Any]) -> set[RankPlay]:
    """Return every play that the hand holds, suits ignored."""
    held = Counter(ranks_of(hand))
    plays = set(plays_of_one_rank(held)) | set(straights(hand)) | set(chains(held))
    return plays | set(full_houses(held)) | set(winged(held, (DEFAULTS | options)["distinct_wings"]))


def plays_of_one_rank(held: Counter[str]) -> Iterator[RankPlay]:
    """Yield singles, pairs, triples and bombs."""
    for rank in held:
        for copies in range(1, held[rank] + 1):
            name = name_of_equals(rank, copies)
            if name:
                yield (name, copies, rank, rank * copies)
    if all(held[rank] >= JOKER_BOMB.count(rank) for rank in JOKERS):
        yield ("joker_bomb", 4, "X", JOKER_BOMB)


def straights(hand: list[str]) -> Iterator[RankPlay]:
    """Yield plain straights, where two suits show, and flush straights, where one suit is enough."""
    for groups in range(SHORTEST_STRAIGHT, 14):
        for window in windows(groups):
            cards = [card for card in hand if card[0] in window]
            if len(set(ranks_of(cards))) == groups and len(suits_of(cards)) >= 2:
                yield ("straight", groups, window[-1], window)
            if any(covers(hand, window, suit) for suit in SUITS):
                yield ("flush_straight", groups, window[-1], window)


def covers(hand: list[str], window: str, suit: str) -> bool:
    """Say whether one suit has every rank of a window."""
    return all(rank + suit in hand for rank in window)


def chains(held: Counter[str]) -> Iterator[RankPlay]:
    """Yield pair chains and triple chains."""
    for name, copies in CHAIN_COPIES.items():
        for groups in range(SHORTEST_CHAIN, 14):
            for window in windows(groups):
                if all(held[rank] >= copies for rank in window):
                    ranks = "".join(rank * copies for rank in window)
                    yield (name, len(ranks), window[-1], ranks)


def full_houses(held: Counter[str]) -> Iterator[RankPlay]:
    """Yield a triple with a pair of another rank."""
    for triple in held:
        for kicker in held:
            if triple not in JOKERS and kicker != triple and held[triple] >= 3 and held[kicker] >= 2:
                yield ("full_house", 5, triple, triple * 3 + kicker * 2)


def winged(held: Counter[str], distinct_wings: bool) -> Iterator[RankPlay]:
    """Yield g neighbouring triples with g pairs out of what is left."""
    for groups in range(SHORTEST_CHAIN, MOST_WINGED + 1):
        for window in windows(groups):
            if all(held[rank] >= 3 for rank in window):
                body = "".join(rank * 3 for rank in window)
                for wings in wing_choices(held - Counter(body), window, groups, distinct_wings):
                    kickers = "".join(rank * 2 for rank in wings)
                    yield ("triple_chain_with_pairs", 5 * groups, window[-1], body + kickers)


def wing_choices(
    left: Counter[str], window: str, groups: int, distinct_wings: bool
) -> Iterator[tuple[str, ...]]:
    """Yield the ranks of `groups` pairs out of the cards left beside the body, in ascending order."""
    ranks = [rank for rank in RANKS if left[rank] >= 2]
    if distinct_wings:
        yield from combinations([rank for rank in ranks if rank not in window], groups)
        return
    for wings in combinations_with_replacement(ranks, groups):
        if all(2 * wings.count(rank) <= left[rank] for rank in wings):
            yield wings


def plays_from_types(
    hand: list[str], table: Play | None, options: dict[str, Any], three_due: bool
) -> set[Play]:
    """Find the plays with suits ignored, then choose the cards of each."""
    plays = set()
    for name, length, key, ranks in rank_plays(hand, options):
        if three_due and "3" not in ranks:
            continue
        if table is None or reading_beats((name, length, key), table[:3]):
            for cards in card_choices(name, ranks, hand, three_due):
                plays.add(Play(name, length, key, tuple(sort_cards(cards))))
    return plays


def card_choices(name: str, ranks: str, hand: list[str], three_due: bool) -> Iterator[list[str]]:
    """Yield the sets of cards that a play may spend."""
    if name == "flush_straight":
        for suit in "S" if three_due else SUITS:
            if covers(hand, ranks, suit):
                yield [rank + suit for rank in ranks]
        return
    by_rank = [cards_of_rank(rank, ranks.count(rank), hand, three_due) for rank in dict.fromkeys(ranks)]
    if name == "straight":
        ways = [[card for (card,) in choices] for choices in by_rank]
        if len(suits_of(card for way in ways for card in way)) < 2:  # then the order is lifted
            held = [sorted({card for card in hand if card[0] == rank}) for rank in ranks]
            ways = [[SPADE_THREE] if three_due and cards[0][0] == "3" else cards for cards in held]
        yield from (list(cards) for cards in product(*ways) if len(suits_of(cards)) >= 2)
        return
    for parts in product(*by_rank):
        yield [card for part in parts for card in part]


def cards_of_rank(rank: str, number: int, hand: list[str], three_due: bool) -> list[tuple[str, ...]]:
    """Return the ways to spend so many cards of one rank: those not live first, then any live ones."""
    idle, live = copies_of(rank, hand)
    if three_due and rank == "3":
        source = idle if SPADE_THREE in idle else live
        source.remove(SPADE_THREE)
        return [(SPADE_THREE, *cards) for cards in ways_to_spend(idle, live, number - 1)]
    return ways_to_spend(idle, live, number)


def ways_to_spend(idle: list[str], live: list[str], number: int) -> list[tuple[str, ...]]:
    """Return the ways to spend so many of these cards."""
    if number <= len(idle):
        return [tuple(idle[:number])]
    return [(*idle, *cards) for cards in sorted(set(combinations(live, number - len(idle))))]


def legal_plays(
    hand: list[str], table: Play | None, options: dict[str, Any], first_play: bool = False
) -> set[Play]:
    """Return every legal play, card for card, after the reduction of section 6.

    `table` is the play to beat, None on a free lead; PASS is one of the plays unless the lead is free.
    `first_play` says that this opens the deal: `lead_spade_three` then asks for a 3S, if the hand has one.
    """
    options = DEFAULTS | options
    hand = sort_cards(hand)
    three_due = first_play and options["lead_spade_three"] and SPADE_THREE in hand
    find = plays_from_subsets if options["decks"] == 1 else plays_from_types
    plays = find(hand, table, options, three_due)
    return plays if table is None else plays | {PASS}


# Scoring: section 7. Levels: section 8.


def multiplier(left: int, hand_size: int) -> int:
    """Return by what a loser's cards left count, from the part of the hand that was played."""
    played = hand_size - left
    if played == 0:
        return 4
    if 4 * played < hand_size:
        return 3
    return 2 if 2 * played < hand_size else 1


def scores(left: list[int], options: dict[str, Any], hand_size: int | None = None) -> list[int]:
    """Return the scores by seat, which sum to zero, from the cards left by seat."""
    options = DEFAULTS | options
    size = hand_size or HAND_SIZE[options["decks"]]
    losses = [n * multiplier(n, size) * options["base"] for n in left]
    winner = left.index(0)  # who loses nothing, and wins the rest
    return [sum(losses) if seat == winner else -loss for seat, loss in enumerate(losses)]


def level_of(points: int) -> tuple[int, str, str]:
    """Return the level of so many points, with its English and Chinese titles."""
    level = max([n for n, (threshold, _, _) in enumerate(LEVELS, 1) if threshold <= points], default=1)
    _, english, chinese = LEVELS[level - 1]
    return level, english, chinese


# The deal: section 2.


class Referee:
    """Play one deal from a whole deck in dealing order: card i goes to seat i mod 4.

    Attributes: `turn` (seat to act; after the end the winner), `table` and `owner` (play to beat and whose
    it is; both None on a free lead), `hands` (sorted lists of cards), `out` (seats locked out of the trick),
    `passes` (in a row since the play on the table), `winner`, `first_play` (nothing has been played yet),
    `hand_size`.
    """

    def __init__(self, deck: list[str], options: dict[str, Any]) -> None:
        self.options = DEFAULTS | options
        decks, cards_each = self.options["decks"], self.options["cards_each"]
        assert sort_cards(deck) == sort_cards(pack(decks)), f"not a whole pack of {decks} deck(s)"
        self.hand_size: int = cards_each or HAND_SIZE[decks]
        dealt = deck[: SEATS * self.hand_size]
        self.hands = [sort_cards(dealt[seat::SEATS]) for seat in range(SEATS)]
        self.turn = leader(deck, decks, cards_each)
        self.table: Play | None = None
        self.owner: int | None = None
        self.out: set[int] = set()
        self.passes = 0
        self.winner: int | None = None
        self.first_play = True
        self._legal: set[Play] | None = None

    def legal(self) -> set[Play]:
        """Return the legal plays of the seat to act; none after the end."""
        if self.winner is not None:
            return set()
        if self._legal is None:
            self._legal = legal_plays(self.hands[self.turn], self.table, self.options, self.first_play)
        return self._legal

    def play(self, play: Play) -> None:
        """Make one play, or pass."""
        assert play in self.legal(), f"{play} is not legal; legal: {sorted(self.legal())}"
        self._legal = None
        if play == PASS:
            self._pass()
        else:
            self._put_down(play)

    def _pass(self) -> None:
        assert self.owner is not None
        self.passes += 1
        if self.options["pass_lockout"]:
            self.out.add(self.turn)
            over = len(self.out) == SEATS - 1
        else:
            over = self.passes == SEATS - 1
        if over:  # whoever made the last play leads
            self.turn = self.owner
            self.table, self.owner, self.out, self.passes = None, None, set(), 0
        else:
            self._next_turn()

    def _put_down(self, play: Play) -> None:
        seat = self.turn
        self.hands[seat] = without(self.hands[seat], play.cards)
        self.table, self.owner, self.passes, self.first_play = play, seat, 0, False
        if self.hands[seat]:
            self._next_turn()
        else:
            self.winner = seat

    def _next_turn(self) -> None:
        self.turn = (self.turn + 1) % SEATS
        while self.turn in self.out:
            self.turn = (self.turn + 1) % SEATS

    def scores(self) -> list[int]:
        """Return the scores by seat; only after the end."""
        assert self.winner is not None, "the deal is not over: some seat must go out first"
        return scores([len(hand) for hand in self.hands], self.options, self.hand_size)
