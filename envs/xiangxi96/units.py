"""Xiangxi 96: melds and the cut of a won hand, in the words of the cases file (rules, 13.4), from a record.

A unit is ``{"type": "tie" | "chi" | "kou" | "ju", "cards": [...]}``, ``{"type": "peng" | "shao" | "kan",
"card": ...}``, ``{"type": "zou" | "ban" | "man", "card": ..., "own": bool, "with": [companions]}`` or
``{"type": "shuang", "cards": [two], "own": [two], "with": [one]}``.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from .kinds import GROUP_SIZE, GROUPS, HUN, KINDS, NO_KIND, NUM_GROUPS, NUM_KINDS, OTHERS
from .melds import (
    BAO_ZHU_BONUS,
    NOTHING,
    OTHER,
    OWN,
    PENG,
    SHAO,
    companion_huxi,
    four_huxi,
    triple_huxi,
)
from .shapes import KAN, LOOSE, MOUTHS, Counts, cuts, without
from .win import (
    FILL_HALF,
    FILL_MOUTH,
    FOUR,
    FOUR_WITH_HALF,
    FOUR_WITH_MOUTH,
    LOOSE_CARD,
    SPLIT_SENTENCE,
    TRIPLE,
    read_win,
)

Unit = dict[str, Any]
ZHAO = ("zou", "ban", "man")  # by the number of companions


LAID = ("mouths", "sentences", "triples", "fours", "company", "lacks", "joined")  # fields: see melds.py


def melds_of(t: Any, seat: int) -> list[Unit]:
    """What lies on the table before ``seat``, group by group."""
    laid = {name: t[name][seat].tolist() for name in LAID}  # lists: NumPy's scalars are slow
    return [meld for group in range(NUM_GROUPS) for meld in _melds_of_group(laid, group)]


def _melds_of_group(laid: dict[str, list[int]], group: int) -> list[Unit]:
    kinds = range(GROUP_SIZE * group, GROUP_SIZE * (group + 1))
    melds: list[Unit] = []
    for kind in kinds:
        for _ in range(laid["mouths"][kind]):
            melds.append({"type": "tie", "cards": [KINDS[other] for other in kinds if other != kind]})
    melds += [{"type": "chi", "cards": list(GROUPS[group])} for _ in range(laid["sentences"][group])]
    for kind in kinds:
        if laid["triples"][kind] != NOTHING:
            melds.append({"type": "peng" if laid["triples"][kind] == PENG else "shao", "card": KINDS[kind]})
    fours = [kind for kind in kinds if laid["fours"][kind] != NOTHING]
    own = [bool(laid["fours"][kind] == OWN) for kind in fours]
    if laid["joined"][group]:
        third = next(kind for kind in kinds if kind not in fours)
        cards = [KINDS[kind] for kind in fours]
        return [*melds, {"type": "shuang", "cards": cards, "own": own, "with": [KINDS[third]]}]
    for kind, is_own in zip(fours, own, strict=True):
        has_company = laid["company"][kind] > 0
        company = [KINDS[o] for o in kinds if o != kind and has_company and o != laid["lacks"][group]]
        melds.append({"type": ZHAO[len(company)], "card": KINDS[kind], "own": is_own, "with": company})
    return melds


def companions(kind: int, bits: int) -> list[str]:
    """The companions of a four, by the bits of ``company``."""
    return [KINDS[other] for i, other in enumerate(OTHERS[kind]) if bits >> i & 1]


def huxi_of(t: Any, unit: Unit) -> int:
    """What a unit is worth under the options of the table (section 10)."""
    if "own" in unit:
        fours = unit["cards"] if unit["type"] == "shuang" else [unit["card"]]
        own = unit["own"] if unit["type"] == "shuang" else [unit["own"]]
        kinds = [KINDS.index(card) for card in fours]
        huxi = sum(int(four_huxi(t, kind, OWN if o else OTHER)) for kind, o in zip(kinds, own, strict=True))
        huxi += sum(int(companion_huxi(t, KINDS.index(card))) for card in unit["with"])
        is_bao_zhu = unit["type"] == "shuang" and all(own) and bool(HUN[kinds[0]])
        return huxi + BAO_ZHU_BONUS * is_bao_zhu
    if "cards" in unit:
        return int(sum(HUN[KINDS.index(card)] for card in unit["cards"]))
    mark = PENG if unit["type"] == "peng" else SHAO
    return int(triple_huxi(t, KINDS.index(unit["card"]), mark))


def won_cut(t: Any) -> list[Unit]:
    """The best cut of the winner's hand: melds, kans, sentences and mouths that cover every card once."""
    seat, card = int(t["winner"]), int(t["won_with"])
    _, _, way = read_win(int(t["win"]))
    after, added = _use_card(t, seat, card, way)
    mouths = MOUTHS - int(after["kou"][seat])
    hand = after["hand"][seat]
    kans = [{"type": "kan", "card": KINDS[kind]} for kind in range(NUM_KINDS) if hand[kind] == KAN]
    loose = [int(LOOSE[count]) for count in hand]
    if way == LOOSE_CARD:
        loose[card] += 1
    return [*melds_of(after, seat), *added, *kans, *_cut(tuple(loose), mouths)]


def _use_card(t: Any, seat: int, card: int, way: int) -> tuple[Any, list[Unit]]:
    """The record in which the winning card has been used by ``way`` (``win.py``), and units added beside."""
    after = np.array([t])[0]
    after["hand"][seat, card] -= 1
    mark = OWN if t["is_flip"] and t["owner"] == seat else OTHER
    if way == TRIPLE:
        after["hand"][seat, card] = 0
        after["triples"][seat, card] = SHAO if mark == OWN else PENG
    elif FOUR <= way <= FOUR_WITH_HALF:
        after["hand"][seat, card] = 0
        after["triples"][seat, card] = NOTHING
        if way == FOUR_WITH_HALF:
            after["fours"][seat, card] = mark
            after["company"][seat, OTHERS[card]] = 0
            after["joined"][seat, card // GROUP_SIZE] = 1
            after["kou"][seat] -= 1
        elif way == FOUR_WITH_MOUTH:
            after["fours"][seat, card] = mark
            after["mouths"][seat, card] -= 1
            after["company"][seat, card] = 2
            after["kou"][seat] -= 1
        else:  # beside the table: a group there has no two ban-zhao
            taken = [int(other) for i, other in enumerate(OTHERS[card]) if way - FOUR >> i & 1]
            after["kou"][seat] += len(taken) == 1
            after["hand"][seat, taken] -= 1
            company = [KINDS[other] for other in taken]
            return after, [
                {"type": ZHAO[len(taken)], "card": KINDS[card], "own": bool(mark == OWN), "with": company}
            ]
    elif way == FILL_MOUTH:
        after["mouths"][seat, card] -= 1
        after["sentences"][seat, card // GROUP_SIZE] += 1
        after["kou"][seat] -= 1
    elif way == FILL_HALF:
        after["company"][seat, OTHERS[card]] *= 2
        after["lacks"][seat, card // GROUP_SIZE] = NO_KIND
        after["kou"][seat] -= 1
    elif way == SPLIT_SENTENCE:
        after["sentences"][seat, card // GROUP_SIZE] -= 1
        after["kou"][seat] += 2
        pairs = [sorted((card, int(other))) for other in OTHERS[card]]
        return after, [{"type": "kou", "cards": [KINDS[kind] for kind in pair]} for pair in pairs]
    return after, []


def _cut(loose: Counts, mouths: int) -> list[Unit]:
    """Loose cards by kind (24,) cut into ju and so many kou."""
    parts = [loose[GROUP_SIZE * g : GROUP_SIZE * (g + 1)] for g in range(NUM_GROUPS)]
    for numbers in _shares([cuts(part) for part in parts], mouths):
        return [unit for g, part in enumerate(parts) for unit in _cut_group(g, part, numbers[g])]
    raise ValueError(f"{loose} cannot be cut into ju and {mouths} kou")


def _shares(possible: list[frozenset[int]], mouths: int) -> list[tuple[int, ...]]:
    """All ways to share so many mouths among groups, each of which can have the numbers given."""
    if not possible:
        return [()] if mouths == 0 else []
    return [
        (own, *others) for own in sorted(possible[0]) if own <= mouths
        for others in _shares(possible[1:], mouths - own)
    ]  # fmt: skip


def _cut_group(group: int, counts: Counts, mouths: int) -> list[Unit]:
    """Ju as many as can be, and so many kou."""
    if not any(counts):
        return []
    kinds = range(GROUP_SIZE)
    pieces = [("ju", tuple(kinds))] + [("kou", pair) for pair in combinations(kinds, 2) if mouths]
    for name, places in pieces:
        left = without(counts, *places)
        still = mouths - (name == "kou")
        if still in cuts(left):
            unit = {"type": name, "cards": [GROUPS[group][place] for place in places]}
            return [unit, *_cut_group(group, left, still)]
    raise ValueError(f"{counts} cannot be cut into ju and {mouths} kou")
