"""Xiangxi 96: what lies on the table, how it gets there and what it is worth (rules, sections 4, 7 and 10).

Of each seat the record ``t`` has

- ``mouths``: tie kou, counted by the kind that they lack;
- ``sentences``: ju, by group;
- ``triples``: by kind, ``PENG`` or ``SHAO``;
- ``fours``: by kind, ``OTHER`` or ``OWN`` by whose card the fourth one was;
- ``company``: how many companions a four has: none is a lone zou, one a ban-zhao, two a man-zhao;
- ``lacks``: by group, the kind that its ban-zhao lacks (no group has two: a second four joins the first), or
  ``NO_KIND``;
- ``joined``: by group, whether its two fours and the third kind are one shuang long;
- ``kou``, ``worth`` and ``bao_zhu``: how many kou, huxi and shuang long bao zhu these are.
"""

from __future__ import annotations

import numpy as np

from ..core.jit import njit
from .kinds import COPIES, GROUP_SIZE, HUN, NO_KIND, NUM_GROUPS, OTHERS, RED_FACES
from .rules import EXTRA_ALL
from .shapes import KAN, LOOSE

NOTHING = 0
UNKNOWN = -1  # in ``wins``: the hand or the table has changed
# Constants that kernels are called with are of one type with what is computed: else all compiles again.
ONE, PAIR, TRIPLE, FOUR = np.arange(1, COPIES + 1)
PENG, SHAO = OTHER, OWN = np.array([1, 2])
NO_COMPANY, BOTH = np.array([0, 3])  # companions of a four: bit i for OTHERS[kind, i]
NO_CARD = NO_COMPANY  # of an event about none
COMPANIONS = np.array([0, 1, 1, 2])  # how many these are
SHUANG = np.int64(4)  # what `lay_four` returns instead of them

# Huxi by colour (black, red) and by what it is.
TRIPLE_HUXI = np.array([[0, 2, 4], [0, 3, 6]])
FOUR_HUXI = np.array([[0, 6, 8], [0, 10, 12]])
BAO_ZHU_BONUS = 3  # 28 in place of 25

(
    FLIP, DRAGON, ZOU_EVENT, SHUANG_EVENT, SHAO_EVENT, PENG_EVENT, CHI_HAND_EVENT, CHI_TABLE_EVENT,
    CHI_HALF_EVENT, CREDIT_EVENT, PIG_EVENT, EXHAUSTED_EVENT, SHUANG_DRAGON,
) = np.arange(13)  # fmt: skip
# An event in one number: its kind, its seat, the kind of card it is about, and companions.
EVENT_UNIT, SEAT_UNIT, KIND_UNIT = 512, 128, 4


@njit
def tell(t, event, seat, kind, company):
    """Note what happened by itself; everybody saw it."""
    t.events[t.num_events] = EVENT_UNIT * event + SEAT_UNIT * seat + KIND_UNIT * kind + company
    t.num_events += 1


@njit
def counts_as_red(t, kind):
    """Whether a triple or four of this kind is worth what a red one is: 1 or 0."""
    return HUN[kind] or (RED_FACES[kind] and t.red_face_is_red)


@njit
def triple_huxi(t, kind, mark):
    return TRIPLE_HUXI[np.int64(counts_as_red(t, kind)), mark]


@njit
def four_huxi(t, kind, mark):
    return FOUR_HUXI[np.int64(counts_as_red(t, kind)), mark]


@njit
def companion_huxi(t, kind):
    """What a companion of a zhao or a shuang long adds."""
    return 1 if t.zhao_extra == EXTRA_ALL else HUN[kind]


@njit
def loose_of(t, seat, kind):
    """Cards of a kind in the hand that are not in a kan."""
    return LOOSE[t.hand[seat, kind]]


@njit
def is_half(t, seat, kind):
    """Whether the four of this kind is a ban-zhao, which is a kou."""
    return t.company[seat, kind] == 1


@njit
def fills_half(t, seat, kind):
    """Whether a ban-zhao lacks this kind; no other kind can become a four beside it."""
    return t.lacks[seat, kind // GROUP_SIZE] == kind


@njit
def may_take_four(t, seat, kind):
    """Whether three of this kind wait for the fourth: a kan in the hand, or a shao."""
    return t.hand[seat, kind] == KAN or t.triples[seat, kind] == SHAO


@njit
def lay_from_hand(t, seat, kind, count):
    """Cards of the hand that everybody sees from now on."""
    t.hand[seat, kind] -= count
    t.held[seat] -= count
    t.wins[seat, 0] = UNKNOWN
    t.shown[kind] += count


@njit
def lay_triple(t, seat, kind, mark):
    """Peng or shao: two cards of the hand with the one on offer."""
    lay_from_hand(t, seat, kind, PAIR)
    t.triples[seat, kind] = mark
    t.worth[seat] += triple_huxi(t, kind, mark)


@njit
def lay_sentence(t, seat, kind):
    """chi_hand: a ju of the card on offer and two of the hand."""
    for i in range(2):
        lay_from_hand(t, seat, OTHERS[kind, i], ONE)
    t.sentences[seat, kind // GROUP_SIZE] += 1
    t.worth[seat] += GROUP_SIZE * HUN[kind]


@njit
def complete_mouth(t, seat, kind):
    """chi_table: the kou that lacks this kind becomes a ju."""
    t.wins[seat, 0] = UNKNOWN
    t.mouths[seat, kind] -= 1
    t.kou[seat] -= 1
    t.sentences[seat, kind // GROUP_SIZE] += 1
    t.worth[seat] += HUN[kind]


@njit
def complete_half(t, seat, kind):
    """chi_half: the ban-zhao that lacks this kind becomes a man-zhao."""
    t.wins[seat, 0] = UNKNOWN
    t.lacks[seat, kind // GROUP_SIZE] = NO_KIND
    for i in range(2):
        t.company[seat, OTHERS[kind, i]] *= 2  # of the only four beside this kind
    t.kou[seat] -= 1
    t.worth[seat] += companion_huxi(t, kind)


@njit
def lay_mouth(t, seat, kind, partner):
    """tie: a kou of the card on offer and its partner in the hand."""
    lay_from_hand(t, seat, partner, ONE)
    i = np.int64(OTHERS[kind, 0] == partner)  # where the third kind is
    t.mouths[seat, OTHERS[kind, i]] += 1
    t.kou[seat] += 1
    t.worth[seat] += 2 * HUN[kind]


@njit
def lay_four(t, seat, kind, mark):
    """ZOU (section 7): four of a kind, of a kan or a shao. Returns its companions, or SHUANG."""
    if t.triples[seat, kind] == SHAO:
        t.triples[seat, kind] = NOTHING
        t.wins[seat, 0] = UNKNOWN
        t.worth[seat] -= triple_huxi(t, kind, SHAO)
    else:
        lay_from_hand(t, seat, kind, TRIPLE)
    t.fours[seat, kind] = mark
    t.worth[seat] += four_huxi(t, kind, mark)
    if fills_half(t, seat, kind):
        t.lacks[seat, kind // GROUP_SIZE] = NO_KIND
        for i in range(2):
            t.company[seat, OTHERS[kind, i]] = 0  # the companion belongs to both fours now
        t.kou[seat] -= 1
        join(t, seat, kind // GROUP_SIZE)
        return SHUANG
    if t.mouths[seat, kind] > 0:
        t.mouths[seat, kind] -= 1
        t.kou[seat] -= 1
        t.company[seat, kind] = 2
        for i in range(2):
            t.worth[seat] += companion_huxi(t, OTHERS[kind, i]) - HUN[kind]
        return BOTH
    return take_companions(t, seat, kind)


@njit
def join(t, seat, group):
    """The two fours of a group become a shuang long, whose companion's huxi is there already."""
    t.joined[seat, group] = 1
    own = 0
    for kind in range(GROUP_SIZE * group, GROUP_SIZE * (group + 1)):
        own += t.fours[seat, kind] == OWN
    if own == 2 and HUN[GROUP_SIZE * group]:
        t.bao_zhu[seat] += 1
        t.worth[seat] += BAO_ZHU_BONUS


@njit
def take_companions(t, seat, kind):
    """A four takes one card of each other kind that the hand holds once or twice; returns which."""
    company = NO_COMPANY
    for i in range(2):
        companion = OTHERS[kind, i]
        if loose_of(t, seat, companion) > 0:
            lay_from_hand(t, seat, companion, ONE)
            t.worth[seat] += companion_huxi(t, companion)
            company |= 1 << i
    t.company[seat, kind] = COMPANIONS[company]
    if is_half(t, seat, kind):
        t.kou[seat] += 1
        t.lacks[seat, kind // GROUP_SIZE] = OTHERS[kind, 1] if company == 1 else OTHERS[kind, 0]
    return company


@njit
def lay_dragons(t, seat):
    """The fours that were dealt (section 2)."""
    for group in range(NUM_GROUPS):
        start = GROUP_SIZE * group
        num_fours = 0
        third = start
        for kind in range(start, start + GROUP_SIZE):
            if t.hand[seat, kind] == COPIES:
                num_fours += 1
            else:
                third = kind
        if num_fours == 0:
            continue
        is_shuang = num_fours == 2 and loose_of(t, seat, third) > 0
        for kind in range(start, start + GROUP_SIZE):
            if t.hand[seat, kind] == COPIES:
                lay_from_hand(t, seat, kind, FOUR)
                t.fours[seat, kind] = OWN
                t.worth[seat] += four_huxi(t, kind, OWN)
                if not is_shuang:
                    company = take_companions(t, seat, kind) if num_fours == 1 else NO_COMPANY
                    t.credit[seat] += company == NO_COMPANY
                    tell(t, DRAGON, seat, kind, company)
        if is_shuang:
            lay_from_hand(t, seat, third, ONE)
            t.worth[seat] += companion_huxi(t, third)
            join(t, seat, group)
            tell(t, SHUANG_DRAGON, seat, third, NO_COMPANY)
