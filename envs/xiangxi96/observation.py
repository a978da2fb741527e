"""Xiangxi 96: what a seat sees (``observe``), what it may not know (``blank``), what is counted (``stats``).

Seats in an observation are relative to the observer: 0 itself, 1 the next, and so on. Who is asked about
the card on offer, and who has passed, only the asked one sees.
"""

from __future__ import annotations

import numpy as np

from ..core.game import Field, lay_out
from ..core.jit import njit, part
from .claims import ASKED_CHI, ASKED_HU, ASKED_TIE, DISCARDING, WON, owes
from .kinds import COPIES, GROUP_SIZE, NO_KIND, NUM_CARDS, NUM_GROUPS, NUM_KINDS
from .melds import OWN, PENG, SHAO
from .rules import DEALT_TO_DEALER, MOST_SEATS, NUM_DEALT, Xiangxi96Rules, least_huxi, stock_size
from .shapes import KAN, LEFT, MOUTHS, SPARE
from .win import hand_huxi, read_win

NOT_ASKED = -1  # the turn, to who does not see whose it is

MOST_HUXI = 48
MOST_LACKING = 15
MOST_KOU = 4  # four dealt ban-zhao
MOST_CREDITS = 5
MOST_HAND = DEALT_TO_DEALER
MOST_SENTENCES = COPIES
PIG_POINTS = np.array([1, 2, 4, 8, 16, 32, 64, 128])
PHASES = (DISCARDING, ASKED_HU, ASKED_CHI, ASKED_TIE)

_SEATS = [
    ("melds_mouths", (MOUTHS, NUM_KINDS), "tie kou by the kind that they lack: more than k of them"),
    ("melds_sentences", (MOST_SENTENCES, NUM_GROUPS), "ju by group: more than k of them"),
    ("melds_pengs", (NUM_KINDS,), "peng"),
    ("melds_shaos", (NUM_KINDS,), "shao"),
    ("melds_fours", (NUM_KINDS,), "fours of a kind"),
    ("melds_own_fours", (NUM_KINDS,), "fours whose fourth card was the own one"),
    ("melds_company", (2, NUM_KINDS), "companions of a four: more than k (1 is a ban-zhao, 2 a man-zhao)"),
    ("melds_shuang", (NUM_GROUPS,), "groups whose two fours and third kind are a shuang long"),
    ("pile", (COPIES, NUM_KINDS), "unclaimed cards, discards and flips: more than k of a kind"),
    ("thrown", (NUM_KINDS,), "kinds discarded so far, claimed or not"),
    ("kou", (MOST_KOU,), "kou on the table, unary"),
    ("credits", (MOST_CREDITS,), "ren credits, unary"),
    ("hand_size", (MOST_HAND,), "cards in the hand, unary"),
    ("dealer", (1,), "the dealer"),
    ("owner", (1,), "whose flip or discard is on offer"),
    ("owes", (1,), "has taken a card, or opens the game, and has to discard"),
]


def _fields(num_players: int) -> dict[str, Field]:
    n = num_players
    own = [
        ("hand", (KAN, NUM_KINDS), "own hand: more than k of a kind"),
        (
            "unseen",
            (COPIES, NUM_KINDS),
            "cards neither in the own hand nor shown so far: more than k of a kind",
        ),
        ("card", (NUM_KINDS,), "the card on offer, one-hot"),
        ("is_flip", (1,), "it was flipped, not discarded"),
        ("asked", (len(PHASES),), "what the observer is asked: a discard, hu, chi, tie"),
        ("barred", (NUM_KINDS,), "kinds that it may not chi: discarded, or a chi was passed"),
        ("broken", (NUM_KINDS,), "own kinds whose company it broke: a zou may be a pig"),
        ("ban", (NUM_KINDS,), "the kind that it may not discard now, after a tie"),
        (
            "left",
            (MOST_HAND,),
            "own cards left over when the hand is cut best with the mouths allowed, unary",
        ),
        ("spare", (NUM_KINDS,), "discards after which fewer are left over"),
        (
            "wins_own",
            (NUM_KINDS,),
            "kinds that win now if the observer flips them (0 while it has to discard)",
        ),
        ("wins_other", (NUM_KINDS,), "kinds that win now if another turns them"),
        ("huxi", (MOST_HUXI,), "own huxi on the table, unary"),
        ("worth", (MOST_HUXI,), "own huxi on the table and of the hand if all of it is cut, unary"),
        ("lacking", (MOST_LACKING,), "huxi that are still lacking to the least, unary"),
    ]
    options = [
        ("big_small", (1,), "option scoring"),
        ("zhao_extra_all", (1,), "option zhao_extra"),
        ("red_face_is_red", (1,), "option"),
        ("split_table_sentence", (1,), "option"),
        ("pig_points", (len(PIG_POINTS),), f"option: at least {', '.join(map(str, PIG_POINTS))}"),
    ]
    seats = [(name, (n, *shape), meaning) for name, shape, meaning in _SEATS]
    stock = [("stock", (stock_size(n),), "cards left to flip, unary")]
    return lay_out(own + options + seats + stock)


FIELDS = {n: _fields(n) for n in range(2, MOST_SEATS + 1)}

(
    _HAND, _UNSEEN, _CARD, _IS_FLIP, _ASKED, _BARRED, _BROKEN, _BAN, _LEFT, _SPARE, _WINS_OWN, _WINS_OTHER,
    _HUXI, _WORTH, _LACKING, _BIG_SMALL, _EXTRA, _RED_FACE, _SPLIT, _PIG_POINTS, _FIRST_SEAT,
) = (field.start for field in list(FIELDS[2].values())[:21])  # fmt: skip

_SIZES = [int(np.prod(shape)) for _, shape, _ in _SEATS]
# Where the fields of the seats begin, in places of one seat: times the number of players.
(
    _MOUTHS, _SENTENCES, _PENGS, _SHAOS, _FOURS, _OWN_FOURS, _COMPANY, _SHUANG, _PILE, _THROWN, _KOU,
    _CREDITS, _HAND_SIZE, _DEALER, _OWNER, _OWES, _ALL_SEATS,
) = (sum(_SIZES[:i]) for i in range(len(_SIZES) + 1))  # fmt: skip

COUNTED = ("decisions", "winner", "outcome", "huxi", "points", "pig", "reason", "flips")


def stats_of(num_players: int) -> tuple[str, ...]:
    """Names of the columns that ``stats`` writes; -1 stands for nobody."""
    return COUNTED


def fields_of(rules: Xiangxi96Rules) -> tuple[Field, ...]:
    """The fields under these rules."""
    return tuple(FIELDS[rules.num_players].values())


@part
def observe(t, seat, out):
    """Write what ``seat`` sees into ``out`` (O,) uint8; ``FIELDS`` says where things stand."""
    out[:] = 0
    seat = np.int64(seat)  # of one type with what claims.py calls with
    see_cards(t, seat, out)
    see_chances(t, seat, out)
    see_options(t, out)
    n = t.num_players
    for i in range(n):
        see_seat(t, np.int64((seat + i) % n), i, out[_FIRST_SEAT:])
    for at in range(NUM_CARDS - t.dealt):
        out[_FIRST_SEAT + n * _ALL_SEATS + at] = 1


@njit
def see_cards(t, seat, out):
    for k in range(KAN):
        for kind in range(NUM_KINDS):
            out[_HAND + k * NUM_KINDS + kind] = t.hand[seat, kind] > k
    for k in range(COPIES):
        for kind in range(NUM_KINDS):
            out[_UNSEEN + k * NUM_KINDS + kind] = COPIES - t.shown[kind] - t.hand[seat, kind] > k
    for kind in range(NUM_KINDS):
        out[_BARRED + kind] = t.thrown[seat, kind] | t.passed_chi[seat, kind]
    for kind in range(NUM_KINDS):
        out[_BROKEN + kind] = t.broken[seat, kind]
    if t.card != NO_KIND:
        out[_CARD + t.card] = 1
        out[_IS_FLIP] = t.is_flip
    if t.ban[seat] != NO_KIND:
        out[_BAN + t.ban[seat]] = 1
    if t.turn == seat and not t.over:
        out[_ASKED + t.phase] = 1


@njit
def see_options(t, out):
    out[_BIG_SMALL] = t.scoring
    out[_EXTRA] = t.zhao_extra
    out[_RED_FACE] = t.red_face_is_red
    out[_SPLIT] = t.split_table_sentence
    for k in range(len(PIG_POINTS)):
        out[_PIG_POINTS + k] = t.pig_points >= PIG_POINTS[k]


@njit
def see_seat(t, who, i, out):
    """What everybody sees of a seat, the i-th one from the observer on."""
    # With bounds that the compiler knows, no place below can be negative: it need not check each one.
    n, i = min(max(t.num_players, 2), MOST_SEATS), min(max(i, 0), MOST_SEATS - 1)
    at = n * _MOUTHS + i * MOUTHS * NUM_KINDS
    for k in range(MOUTHS):
        for kind in range(NUM_KINDS):
            out[at + k * NUM_KINDS + kind] = t.mouths[who, kind] > k
    at = n * _SENTENCES + i * MOST_SENTENCES * NUM_GROUPS
    for k in range(MOST_SENTENCES):
        for group in range(NUM_GROUPS):
            out[at + k * NUM_GROUPS + group] = t.sentences[who, group] > k
    pengs, shaos = n * _PENGS + i * NUM_KINDS, n * _SHAOS + i * NUM_KINDS
    fours, own_fours = n * _FOURS + i * NUM_KINDS, n * _OWN_FOURS + i * NUM_KINDS
    thrown, company = n * _THROWN + i * NUM_KINDS, n * _COMPANY + i * 2 * NUM_KINDS
    for kind in range(NUM_KINDS):
        out[pengs + kind] = t.triples[who, kind] == PENG
    for kind in range(NUM_KINDS):
        out[shaos + kind] = t.triples[who, kind] == SHAO
    for kind in range(NUM_KINDS):
        out[fours + kind] = t.fours[who, kind] != 0
    for kind in range(NUM_KINDS):
        out[own_fours + kind] = t.fours[who, kind] == OWN
    for kind in range(NUM_KINDS):
        out[thrown + kind] = t.thrown[who, kind]
    for k in range(2):
        for kind in range(NUM_KINDS):
            out[company + k * NUM_KINDS + kind] = t.company[who, kind] > k
    at = n * _SHUANG + i * NUM_GROUPS
    for group in range(NUM_GROUPS):
        out[at + group] = t.joined[who, group]
    at = n * _PILE + i * COPIES * NUM_KINDS
    for k in range(COPIES):
        for kind in range(NUM_KINDS):
            out[at + k * NUM_KINDS + kind] = t.piles[who, kind] > k
    at = n * _KOU + i * MOST_KOU
    for k in range(MOST_KOU):
        out[at + k] = t.kou[who] > k
    at = n * _CREDITS + i * MOST_CREDITS
    for k in range(MOST_CREDITS):
        out[at + k] = t.credit[who] > k
    at = n * _HAND_SIZE + i * MOST_HAND
    for k in range(MOST_HAND):
        out[at + k] = t.held[who] > k
    out[n * _DEALER + i] = t.dealer == who
    out[n * _OWNER + i] = t.card != NO_KIND and t.owner == who
    out[n * _OWES + i] = owes(t, who)


@njit
def see_chances(t, seat, out):
    """How far the hand is from a win, as far as the own cards tell."""
    huxi = np.int64(t.worth[seat])
    worth = huxi + hand_huxi(t, seat)
    for k in range(MOST_HUXI):
        out[_HUXI + k] = huxi > k
        out[_WORTH + k] = worth > k
    lacking = least_huxi(t.num_players) - worth
    for k in range(MOST_LACKING):
        out[_LACKING + k] = lacking > k
    see_left(t, seat, out)
    if not owes(t, seat) and not t.over:
        for kind in range(NUM_KINDS):
            is_left = COPIES - t.shown[kind] - t.hand[seat, kind] > 0
            out[_WINS_OWN + kind] = is_left and t.wins[seat, 0] >> kind & 1
            out[_WINS_OTHER + kind] = is_left and t.wins[seat, 1] >> kind & 1


@njit
def see_left(t, seat, out):
    """Cards left over, and the discards that are of them.

    Groups share the mouths that the hand may still have. ``after[g, m]`` is the least left over of the
    groups from g on with m mouths; the last row is that of the groups before the one looked at.
    """
    mouths = max(0, MOUTHS - t.kou[seat])
    before = NUM_GROUPS + 1
    after = np.zeros((NUM_GROUPS + 2, MOUTHS + 1), np.int64)
    for i in range(NUM_GROUPS):
        g = NUM_GROUPS - 1 - i
        left = left_of(LEFT, t, seat, g)
        for m in range(MOUTHS + 1):
            after[g, m] = after[g + 1, m] + left[0]
            for own in range(1, m + 1):
                after[g, m] = min(after[g, m], after[g + 1, m - own] + left[own])
    fewest = after[0, mouths]
    for k in range(MOST_HAND):
        out[_LEFT + k] = fewest > k
    for g in range(NUM_GROUPS):
        left, spare = left_of(LEFT, t, seat, g), left_of(SPARE, t, seat, g)
        bits = np.int64(0)
        for own in range(mouths + 1):
            for earlier in range(mouths - own + 1):
                if left[own] + after[before, earlier] + after[g + 1, mouths - own - earlier] == fewest:
                    bits |= spare[own]
        for i in range(GROUP_SIZE):
            out[_SPARE + GROUP_SIZE * g + i] = bits >> i & 1
        for i in range(MOUTHS + 1):
            m = MOUTHS - i
            least = after[before, m] + left[0]
            for own in range(1, m + 1):
                least = min(least, after[before, m - own] + left[own])
            after[before, m] = least


@njit
def left_of(table, t, seat, group):
    """The row of a table of ``shapes.py`` for what the hand holds of a group."""
    k = GROUP_SIZE * group
    return table[t.hand[seat, k], t.hand[seat, k + 1], t.hand[seat, k + 2]]


@njit
def blank(t, seat):
    """Zero what ``seat`` may not know: other hands, the stock, who was asked and passed."""
    t.chance[:] = 0
    t.deck[:] = 0
    t.decisions = 0  # it counts hidden passes
    for other in range(t.num_players):
        if other != seat:
            t.hand[other, :] = 0
            t.passed_chi[other, :] = 0
            t.broken[other, :] = 0
            t.wins[other, :] = 0
    if t.turn != seat and t.phase != DISCARDING:
        t.turn = NOT_ASKED
        t.phase = DISCARDING


@njit
def stats(t, out):
    """Write the columns of ``stats_of(n)`` into ``out`` (K,) int64."""
    out[0] = t.decisions
    out[1] = t.winner
    out[2] = t.outcome
    if t.outcome == WON:
        out[4], out[3], _ = read_win(t.win)
    else:
        out[3] = 0
        out[4] = 0
    out[5] = t.pig
    out[6] = t.reason
    out[7] = t.dealt - NUM_DEALT[t.num_players]
