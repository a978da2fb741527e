"""A slow, plain referee for Guan Pai (關牌, shut-out), for checking a fast engine.

Written from the words of the rules page only. To find the legal plays it takes every
sub-multiset of the hand by rank, names it with `readings`, and keeps what beats the
table. There are no tables of actions and no bit tricks, so a person can read it
beside the rules; section numbers in the comments are those of the rules page.

Ranks are characters of `RANKS`, low to high. A play's cards are a rank string in
that order, so the lowest straight is "345A2". A reading is (name, length, key) and a
play is (name, length, key, ranks).
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any

Reading = tuple[str, int, str]
Play = tuple[str, int, str, str]

RANKS = "3456789TJQKA2"
SUITS = "SHDC"
RUN_RANKS = "3456789TJQKA"  # the deuce is never part of a run
LOW_STRAIGHT = "345A2"  # the one exception
REMOVED = ("2H", "2D", "2C", "AD")
PACK = [rank + suit for rank in RANKS for suit in SUITS if rank + suit not in REMOVED]

SEATS = 3
HAND_SIZE = 16
DIAMOND_THREE = "3D"
SHORTEST_STRAIGHT = 5
SHORTEST_CHAIN = 2
WINGED_LENGTHS = (2, 3)  # full form
SHORT_WINGED_LENGTHS = (2, 3, 4, 5)  # last-hand form; a sixth triple would need 18 cards
WINGS_PER_TRIPLE = 2
DOUBLE_FROM, PLAIN_FROM, LEAST_UNITS = 10, 6, 5  # cards left, cards left, units
PASS: Play = ("pass", 0, "", "")

DEFAULTS: dict[str, Any] = {
    "must_beat": "off",
    "lead_diamond_three": False,
    "short_plane_follow": False,
    "dingda": "liability",
    "bomb_doubling": "every_bomb",
    "loss_cap": 100,
    "base": 1,
}


def sort_ranks(ranks: str) -> str:
    """Return the rank characters in ascending order of strength."""
    return "".join(sorted(ranks, key=RANKS.index))


def higher(a: str, b: str) -> bool:
    """Say whether rank `a` is higher than rank `b`; equal is not higher."""
    return RANKS.index(a) > RANKS.index(b)


# Combinations: sections 3 to 5.


@lru_cache(maxsize=2**17)
def readings(ranks: str, last_hand: bool) -> tuple[frozenset[Reading], frozenset[Reading]]:
    """Name a set of cards, given in ascending order, in every way the rules allow.

    Returns two sets: the full forms and triple_with_one; then the last-hand stand-ins
    of section 5 (a bare triple as triple_with_two, and triples with too few wings).
    """
    bomb = bomb_reading(ranks)
    if bomb is not None:  # exclusive: what can be a bomb is nothing else
        return frozenset([bomb]), frozenset()
    full = same_rank(ranks) | straights(ranks) | chains(ranks)
    full |= with_kickers(ranks, last_hand) | winged(ranks, short=False)
    short: set[Reading] = set()
    if last_hand:
        short |= {("triple_with_two", 1, key) for name, _, key in full if name == "triple"}
        short |= winged(ranks, short=True)
    return frozenset(full), frozenset(short)


def bomb_reading(ranks: str) -> Reading | None:
    """Read four of a rank, or three aces, either with at most one more card."""
    for rank in RANKS:
        body = 3 if rank == "A" else 4
        if ranks.count(rank) >= body and len(ranks) <= body + 1:
            return ("bomb", 1, rank)
    return None


def same_rank(ranks: str) -> set[Reading]:
    """Read a single, a pair or a triple."""
    names = {1: "single", 2: "pair", 3: "triple"}
    if len(ranks) in names and len(set(ranks)) == 1:
        return {(names[len(ranks)], 1, ranks[0])}
    return set()


def straights(ranks: str) -> set[Reading]:
    """Read five or more consecutive single cards, or 345A2, whose key is 5."""
    if ranks == LOW_STRAIGHT:
        return {("straight", 5, "5")}
    if len(ranks) >= SHORTEST_STRAIGHT and ranks in RUN_RANKS:
        return {("straight", len(ranks), ranks[-1])}
    return set()


def chains(ranks: str) -> set[Reading]:
    """Read two or more consecutive pairs, or two or more consecutive triples."""
    found = set()
    for name, copies in (("pair_chain", 2), ("triple_chain", 3)):
        run = ranks[::copies]  # one card of each rank, if this is such a chain
        shape = "".join(rank * copies for rank in run)
        if len(run) >= SHORTEST_CHAIN and run in RUN_RANKS and ranks == shape:
            found.add((name, len(run), run[-1]))
    return found


def with_kickers(ranks: str, last_hand: bool) -> set[Reading]:
    """Read three or four of a rank with any two others, or as last hand three with one."""
    names = {5: ("triple_with_two", 3), 6: ("four_with_two", 4)}
    if last_hand:
        names[4] = ("triple_with_one", 3)
    if len(ranks) not in names:
        return set()
    name, body = names[len(ranks)]
    return {(name, 1, rank) for rank in RANKS if ranks.count(rank) >= body}


def triple_runs(ranks: str, length: int) -> Iterator[str]:
    """Yield each run of `length` ranks of which the cards hold three or more."""
    for start in range(len(RUN_RANKS) - length + 1):
        run = RUN_RANKS[start : start + length]
        if all(ranks.count(rank) >= 3 for rank in run):
            yield run


def winged(ranks: str, short: bool) -> set[Reading]:
    """Read k consecutive triples with exactly 2k other cards, or `short` with fewer."""
    found = set()
    for k in SHORT_WINGED_LENGTHS if short else WINGED_LENGTHS:
        wings = len(ranks) - 3 * k
        if 0 <= wings < WINGS_PER_TRIPLE * k if short else wings == WINGS_PER_TRIPLE * k:
            found |= {("triple_chain_with_wings", k, run[-1]) for run in triple_runs(ranks, k)}
    return found


def beats(new: Reading, new_is_short: bool, table: Reading, options: dict[str, Any]) -> bool:
    """Say whether a reading beats the one on the table.

    `new_is_short` marks a last-hand stand-in, from the second set of `readings`.
    """
    name, length, key = new
    table_name, table_length, table_key = table
    if name == "bomb":
        return table_name != "bomb" or higher(key, table_key)
    if name == "triple_with_one":
        return table_name == "triple_with_two" and higher(key, table_key)
    short_plane = new_is_short and name == "triple_chain_with_wings"
    if short_plane and not (DEFAULTS | options)["short_plane_follow"]:
        return False
    return name == table_name and length == table_length and higher(key, table_key)


# Legal plays: sections 2, 5, 6 and 8.


def sub_multisets(hand: str) -> Iterator[str]:
    """Yield every non-empty set of cards of the hand, by rank, each once."""
    piles = [[rank * n for n in range(hand.count(rank) + 1)] for rank in RANKS if rank in hand]
    for parts in product(*piles):
        ranks = "".join(parts)
        if ranks:
            yield ranks


def open_readings(
    ranks: str, last_hand: bool, table: Reading | None, options: dict[str, Any]
) -> set[Reading]:
    """Return the readings under which these cards may be played now.

    A bare last-hand body that is led is just a triple or a triple_chain, so its
    stand-in reading is left out. When following the two never meet, since a
    stand-in beats only a triple_with_two or a triple_chain_with_wings.
    """
    full, short = readings(ranks, last_hand)
    if table is None:
        return set(full) | {reading for reading in short if len(ranks) > 3 * reading[1]}
    opened = {reading for reading in full if beats(reading, False, table, options)}
    return opened | {reading for reading in short if beats(reading, True, table, options)}


def legal_plays(
    hand: str,
    table: Reading | None,
    options: dict[str, Any],
    next_has_one: bool = False,
    first_play: bool = False,
) -> set[Play]:
    """Return every legal action as (name, length, key, ranks), one for each reading.

    `table` is the reading to beat, None when leading; `next_has_one` says that the next
    player holds one card, `first_play` that this opens the deal and the hand holds 3D.
    """
    options = DEFAULTS | options
    hand = sort_ranks(hand)
    plays = {
        (*reading, ranks)
        for ranks in sub_multisets(hand)
        for reading in open_readings(ranks, ranks == hand, table, options)
    }
    if first_play and options["lead_diamond_three"]:
        # Suits never matter otherwise, so a play with a three can hold the 3D itself.
        plays = {play for play in plays if "3" in play[3]}
    if table is not None and may_pass(plays, options):
        plays.add(PASS)
    if options["dingda"] == "forced":
        plays = {play for play in plays if not is_breach(hand, play[3], play == PASS, table, next_has_one)}
    return plays


def may_pass(beating: set[Play], options: dict[str, Any]) -> bool:
    """Say whether a follower with these beating plays may pass (`must_beat`)."""
    if options["must_beat"] == "all":
        return not beating
    if options["must_beat"] == "non_bomb":
        return all(play[0] == "bomb" for play in beating)
    return True


def is_breach(hand: str, play_ranks: str, is_pass: bool, table: Reading | None, next_has_one: bool) -> bool:
    """Say whether an action from this hand fails the top-card duty (頂大), section 6."""
    if not next_has_one:
        return False
    top = max(hand, key=RANKS.index)
    if is_pass:
        return table is not None and table[0] == "single" and higher(top, table[2])
    return len(play_ranks) == 1 and play_ranks != top and len(hand) > 1


# Scoring: section 7.


def units(n: int, hand_size: int = HAND_SIZE) -> int:
    """Return what n cards left cost, in units, before bombs and the cap."""
    if n == hand_size:  # not one card played
        return 3 * n
    if n >= DOUBLE_FROM:
        return 2 * n
    return n if n >= PLAIN_FROM or n == 0 else LEAST_UNITS


def multiplier(winner: int, bombs_by: list[int], options: dict[str, Any]) -> int:
    """Return 2 to the number of bombs that count; the same for both losers."""
    counted = {
        "every_bomb": len(bombs_by),
        "once": min(1, len(bombs_by)),
        "winner_only": bombs_by.count(winner),
        "off": 0,
    }
    return 1 << counted[(DEFAULTS | options)["bomb_doubling"]]


def score(
    winner: int,
    left: list[int],
    bombs_by: list[int],
    liable: int | None,
    options: dict[str, Any],
    hand_size: int = HAND_SIZE,
) -> list[int]:
    """Return the scores by seat, which sum to zero.

    `left` holds the cards left by seat, `bombs_by` the seat of each bomb played,
    `liable` the loser who covers the other one (頂大), `hand_size` the cards dealt.
    """
    options = DEFAULTS | options
    cap = float("inf") if options["loss_cap"] is None else options["loss_cap"]
    times = multiplier(winner, bombs_by, options)
    losers = [seat for seat in range(SEATS) if seat != winner]
    pay = {seat: min(units(left[seat], hand_size) * times, cap) for seat in losers}
    if liable is not None:
        other = next(seat for seat in losers if seat != liable)
        plain = min(units(left[other], hand_size), cap)
        pay[liable] += plain
        pay[other] -= plain
    scores = [0] * SEATS
    for seat in losers:
        amount = options["base"] * min(pay[seat], cap)
        scores[seat] -= amount
        scores[winner] += amount
    return scores


class Referee:
    """Play one deal from hands of cards with suits; leader None means the holder of 3D.

    Attributes: `turn` (seat to act; after the end the winner), `table` and `owner`
    (reading to beat and whose it is; both None when leading), `hands` (rank strings,
    ascending), `passes` (in a row since the play on the table), `winner`, `liable`
    (None when nobody is), `bombs_by` (seats in order), `last_was_breach` (of the
    latest action; never true with dingda "off").
    """

    def __init__(
        self,
        hands: list[list[str]],
        leader: int | None,
        options: dict[str, Any],
        hand_size: int = HAND_SIZE,
    ) -> None:
        if leader is None:
            leader = next((s for s in range(SEATS) if DIAMOND_THREE in hands[s]), None)
        if leader is None:
            raise ValueError("nobody holds 3D: give the leader's seat, 0, 1 or 2")
        self.options = DEFAULTS | options
        self.hand_size = hand_size
        self.hands = [sort_ranks("".join(card[0] for card in cards)) for cards in hands]
        self.turn: int = leader
        self.table: Reading | None = None
        self.owner: int | None = None
        self.passes = 0
        self.winner: int | None = None
        self.liable: int | None = None
        self.bombs_by: list[int] = []
        self.last_was_breach = False
        # A small deal may leave 3D out, or be led by another seat: then nothing to show.
        self.diamond_three_due = DIAMOND_THREE in hands[leader]
        self._legal: set[Play] | None = None

    def next_has_one(self) -> bool:
        """Say whether the player after the one to act holds exactly one card."""
        return len(self.hands[(self.turn + 1) % SEATS]) == 1

    def legal(self) -> set[Play]:
        """Return the legal actions of the seat to act; none after the end."""
        if self.winner is not None:
            return set()
        if self._legal is None:
            flags = (self.next_has_one(), self.diamond_three_due)
            self._legal = legal_plays(self.hands[self.turn], self.table, self.options, *flags)
        return self._legal

    def play(self, name: str, length: int = 0, key: str = "", ranks: str = "") -> None:
        """Make one action; `play("pass")` passes."""
        action = (name, length, key, ranks)
        assert action in self.legal(), f"{action} is not legal; legal: {sorted(self.legal())}"
        breach = self.options["dingda"] != "off" and is_breach(
            self.hands[self.turn], ranks, action == PASS, self.table, self.next_has_one()
        )
        if action == PASS:
            self._pass()
        else:
            self._put_down(action)
        self.last_was_breach = breach
        self.diamond_three_due = False
        self._legal = None

    def _pass(self) -> None:
        self.passes += 1
        self.turn = (self.turn + 1) % SEATS
        if self.passes == SEATS - 1:  # the turn is back with the owner, who leads
            self.table, self.owner, self.passes = None, None, 0

    def _put_down(self, action: Play) -> None:
        name, length, key, ranks = action
        seat = self.turn
        for rank in ranks:
            self.hands[seat] = self.hands[seat].replace(rank, "", 1)
        if name == "bomb":
            self.bombs_by.append(seat)
        self.table, self.owner, self.passes = (name, length, key), seat, 0
        if self.hands[seat]:
            self.turn = (seat + 1) % SEATS
            return
        self.winner = seat
        # `last_was_breach` still speaks of the action just before this winning play.
        if self.options["dingda"] == "liability" and self.last_was_breach:
            self.liable = (seat - 1) % SEATS

    def scores(self) -> list[int]:
        """Return the scores by seat; only after the end."""
        assert self.winner is not None, "the deal is not over: some seat must go out first"
        left = [len(hand) for hand in self.hands]
        ending = (self.winner, left, self.bombs_by, self.liable)
        return score(*ending, self.options, self.hand_size)
