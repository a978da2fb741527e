"""Why cards are no legal play, in the words of the rules and in both languages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from envs.core import plays
from envs.core.game import Play
from envs.guan_pai.rules import DINGDA_OFF

from .position import Position, lead_of
from .words import Text, say

NAMES = {
    "pass": "不出", "single": "单张", "pair": "对子", "triple": "三张", "triple_with_one": "三带一",
    "triple_with_two": "三带二", "straight": "顺子", "flush_straight": "同花顺", "pair_chain": "连对",
    "triple_chain": "三顺", "triple_chain_with_wings": "飞机带翅膀", "four_with_two": "四带二",
    "bomb": "炸弹", "full_house": "三带二", "triple_chain_with_pairs": "飞机带翅膀", "joker_bomb": "天王炸弹",
}  # fmt: skip

PATTERNS = (
    (r"the seat that leads must play", "领出的一家必须出牌"),
    (r"whoever can beat the table must \(must_beat\)", "有大必出：管得上就必须出牌"),
    (
        r"the next seat has one card, so a single must be beaten with the highest rank \(dingda\)",
        "顶大：下家只剩一张，必须用最大的牌压这张单牌",
    ),
    (
        r"the next seat has one card, so a single must be the highest rank, (\w) \(dingda\)",
        "顶大：下家只剩一张，出单张必须出最大的 {0}",
    ),
    (r"the first play of the deal must contain 3D \(lead_diamond_three\)", "首轮出牌必须含方块三"),
    (r"the first play of the deal must contain 3S \(lead_spade_three\)", "首轮出牌必须含黑桃三"),
    (r"they would break up a flush straight; (.+) is the same play and would not",
     "这样会拆掉同花顺；出 {0} 效果相同而不会拆"),
    (r"these cards are no combination", "这些牌不成牌型"),
    (r"these cards do not beat .+", "这些牌管不上桌上的牌"),
    (r"(\w+) is on offer: (.+)", "正在问 {0}：请先选择吃、贴、胡或过"),
    (r"a card has to be discarded, one, .+", "请打出一张牌"),
    (r"the kind of the last tie may not be discarded right after it", "刚贴的牌不能马上打出"),
    (r"three of a kind \(坎\) stay together", "坎（三张相同）不能拆开"),
    (r"the cards of a sentence \(句\) stay together: (.+)", "成句的牌 {0} 不能拆开"),
    (r"no cards are played here: .+", "这里不出牌，请选择一种叫法"),
    (r"lead_diamond_three needs the whole pack dealt: .+", "首出方块三要发完整副牌，不能同时改每家张数"),
    (r"lead_spade_three needs the whole pack dealt: .+", "首出黑桃三要发完整副牌，不能同时改每家张数"),
    (r"cards_each is at most (\d+) with decks=(\d+), not \d+", "{1} 副牌时每家最多 {0} 张"),
    (r"option (\w+) is one of betting='pot': .+", "选项 {0} 只用于对底池下注，限注时不能改"),
    (r"option (\w+) must be an integer of (\d+)\.\.(\d+).*, not .+", "选项 {0} 是 {1} 到 {2} 的整数"),
    (r"option (\w+) must be (?:one of|True or False).+", "选项 {0} 没有这个值"),
)  # fmt: skip
"""What the rules say of plays (``why_not``) and options, as patterns, and the same in Chinese."""


def in_chinese(reason: str) -> str:
    """A reason of the rules in Chinese; as it is where no pattern fits."""
    for pattern, chinese in PATTERNS:
        match = re.fullmatch(pattern, reason)
        if match:
            return chinese.format(*match.groups())
    return reason


def name_of(play: Play) -> Text:
    """A play's name and key, ``pair of 5s``."""
    key = play.key.replace("T", "10")
    spoken = play.name.replace("_", " ")
    chinese = f"{NAMES.get(play.name, play.name)}{key}"
    if play.name == "single" or not key:
        return say(f"{spoken} {key}".strip(), chinese)
    if play.name.endswith(("straight", "chain", "wings", "pairs")):
        return say(f"{spoken} to {key}", chinese)
    return say(f"{spoken}{',' if '_' in play.name else ' of'} {key}s", chinese)


def why_not(position: Position, cards: Sequence[str]) -> Text:
    """Why the seat to act may not play ``cards`` (none for a pass)."""
    reason = position.game.text.why_not(position.t, cards, position.plays)
    if reason.startswith("these cards do not beat") and cards:
        return _too_weak(position, cards)
    if reason.startswith("a card has to be discarded"):
        return say("One card has to be discarded.", "请打出一张牌。")
    if "is on offer" in reason:
        return say("A card is on offer: answer with the buttons first.", "有牌待选：请先用按钮回答。")
    return say(f"{reason[0].upper()}{reason[1:]}.", f"{in_chinese(reason)}。")


def as_lead(position: Position, cards: Sequence[str]) -> Play | None:
    """What these cards would be if nothing were to beat, None if they are no combination."""
    tables = position.tables.copy()
    tables["last"] = lead_of(position.game)
    for rule in ("must_beat", "lead_diamond_three", "lead_spade_three"):
        if rule in (tables.dtype.names or ()):
            tables[rule] = 0
    if "dingda" in (tables.dtype.names or ()):
        tables["dingda"] = DINGDA_OFF
    found = plays.legal_plays(position.game, position.info, tables)
    same = [play for play in found if position.game.text.same_cards(tables[0], play, cards)]
    return min(same, key=position.game.text.prefer) if same else None


def _too_weak(position: Position, cards: Sequence[str]) -> Text:
    """Why cards do not beat what lies on the table: no combination, another one, or too low."""
    own, last = as_lead(position, cards), position.last
    if own is None or last is None:
        return say("These cards are no combination.", "这些牌不成牌型。")
    told, table = name_of(own), name_of(last.play)
    if "bomb" in last.play.name and "bomb" not in own.name:
        return say(
            f"{told['en'].capitalize()} does not beat {table['en']}: only a higher bomb does.",
            f"{told['zh']}管不上{table['zh']}：只有更大的炸弹才行。",
        )
    if own.name != last.play.name and {own.name, last.play.name} != {"straight", "flush_straight"}:
        return say(
            f"{told['en'].capitalize()} does not follow {table['en']}: it takes the same kind, or a bomb.",
            f"{told['zh']}不能跟{table['zh']}：牌型要相同，或出炸弹。",
        )
    if len(own.cards) != len(last.play.cards) and own.name.endswith(("straight", "chain", "wings", "pairs")):
        return say(
            f"{told['en'].capitalize()} has another length than {table['en']}: they must be equal.",
            f"{told['zh']}与{table['zh']}长度不同：必须一样长。",
        )
    return say(
        f"{told['en'].capitalize()} is not higher than {table['en']}.", f"{told['zh']}不比{table['zh']}大。"
    )
