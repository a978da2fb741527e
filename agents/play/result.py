"""The score of a finished game, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envs.core.plays import plain_score, scores_of
from envs.guan_pai import rules as guan_pai
from envs.xiangxi96.rules import least_huxi
from envs.zheng_shang_you import rules as zheng_shang_you

from .settlement import settle, shares
from .table import Table
from .words import Text, say

Column = tuple[Text, Sequence[Any]]
PIGS = {
    "broken_company": say(
        "it had broken up the company of three of a kind, and the fourth card came (拆招)",
        "拆了坎的招，又走了第四张",
    ),
    "third_kou": say("its half zhao made a third mouth on the table (第三口)", "半招成了桌上的第三口"),
    "no_discard": say("it owed a discard and had none (无牌可打)", "该打牌而无牌可打"),
}


def _table(lines: list[Text], columns: Sequence[Column], scores: Sequence[Any]) -> dict[str, Any]:
    rows = [[str(values[seat]) for _, values in columns] for seat in range(len(scores))]
    return {
        "lines": lines,
        "head": [name for name, _ in columns],
        "rows": rows,
        "scores": [plain_score(score) for score in scores],
    }


def result(table: Table) -> dict[str, Any]:
    """Sentences, and a table of what was counted: a row a seat, a column a step, the scores at its end."""
    make = {
        "guan_pai": _guan_pai,
        "zheng_shang_you": _zheng_shang_you,
        "diao_xie": _diao_xie,
        "xiangxi96": _xiangxi96,
    }[table.game.name]
    return make(table, scores_of(table.info, table.now.t))


def _guan_pai(table: Table, scores: list[Any]) -> dict[str, Any]:
    t, n = table.now.t, table.info.num_players
    rules = table.rules
    assert isinstance(rules, guan_pai.GuanPaiRules)
    winner, liable = int(t["winner"]), int(t["liable"])
    left, bombs = t["left"][:n].tolist(), t["bombs"][:n].tolist()
    doubled = guan_pai.doublings(rules, bombs, winner)
    units = [0 if seat == winner else guan_pai.units(left[seat], rules.cards_each) for seat in range(n)]
    cap = rules.loss_cap
    full = [u * 2**doubled if cap is None else min(u * 2**doubled, cap) for u in units]
    lines = [
        say(f"{{p{winner}}} is out first and wins.", f"{{p{winner}}}先出完，获胜。"),
        say(
            "Cards left count once, double from 10, three times if none was played; up to five cost 5.",
            "剩牌每张一分，十张起双倍，一张未出三倍；五张以内算五分。",
        ),
    ]
    if sum(bombs):
        lines.append(
            say(
                f"Bombs played: {sum(bombs)}; losses are doubled {doubled} time(s): times {2**doubled}.",
                f"炸弹 {sum(bombs)} 个，翻倍 {doubled} 次：乘 {2**doubled}。",
            )
        )
    if cap is not None and any(u * 2**doubled > cap for u in units):
        lines.append(say(f"Nobody pays more than {cap} units.", f"每家最多付 {cap}。"))
    if liable >= 0:
        lines.append(
            say(
                f"{{p{liable}}} broke the top-card duty (dingda) and pays the others' plain loss too.",
                f"{{p{liable}}}没有顶大，包赔另一家未翻倍的部分。",
            )
        )
    if rules.base > 1:
        lines.append(say(f"A unit is {rules.base} points.", f"每分乘 {rules.base}。"))
    pays = [-int(score) // rules.base if score < 0 else 0 for score in scores]
    columns = [
        (say("Cards left", "剩牌"), left),
        (say("Units", "分"), units),
        (say(f"Times {2**doubled}", f"乘 {2**doubled}"), full),
        (say("Pays", "付出"), pays),
    ]
    return _table(lines, columns, scores)


def _zheng_shang_you(table: Table, scores: list[Any]) -> dict[str, Any]:
    t, n = table.now.t, table.info.num_players
    rules = table.rules
    assert isinstance(rules, zheng_shang_you.ZhengShangYouRules)
    winner, left = int(t["winner"]), t["left"][:n].tolist()
    times = [0 if s == winner else zheng_shang_you.multiplier(left[s], rules.hand_size) for s in range(n)]
    lines = [
        say(f"{{p{winner}}} is out first and wins.", f"{{p{winner}}}先出完，获胜。"),
        say(
            "A card left costs 4 if none was played, 3 below a quarter, 2 below half of the hand, else 1.",
            "一张未出每张四分，出牌不到四分之一三分，不到一半两分，其余一分。",
        ),
    ]
    if rules.base > 1:
        lines.append(say(f"All times {rules.base} (base).", f"全部乘底分 {rules.base}。"))
    columns = [
        (say("Cards left", "剩牌"), left),
        (say("Multiplier", "基数"), times),
        (say("Loss", "输分"), [n_left * m * rules.base for n_left, m in zip(left, times, strict=True)]),
    ]
    return _table(lines, columns, scores)


NAMES = {
    "stake": say("Stakes", "注"),
    "bonus": say("Bonus", "至尊"),
    "paid": say("Paid", "付出"),
    "won": say("Won", "赢得"),
}


def _diao_xie(table: Table, scores: list[Any]) -> dict[str, Any]:
    n = table.info.num_players
    lines: list[Text] = []
    columns: dict[str, list[Any]] = {"ante": [0] * n}
    is_limit = table.rules.as_dict()["betting"] == "limit"
    hands, pot, owed = 0, 0, [0] * n
    for before, after in zip(table.positions[:-1], table.positions[1:], strict=True):
        if not any(event == "wins" for _, event, _ in after.events):
            continue
        settled = settle(before, after)
        hands += 1
        if table.rules.as_dict()["hands"] > 1:
            lines.append(say(f"Hand {hands}:", f"第 {hands} 手："))
        lines += settled.lines
        if not is_limit:
            columns.setdefault("penalty", [0] * n)
            columns["penalty"] = [p - o for p, o in zip(columns["penalty"], owed, strict=True)]
            if pot + sum(owed) < n:
                columns["ante"] = [a - 1 for a in columns["ante"]]
        for name, amounts in settled.columns.items():
            columns[name] = [a + b for a, b in zip(columns.get(name, [0] * n), amounts, strict=True)]
        pot, owed = settled.pot, settled.owed
    if is_limit:
        del columns["ante"]
    else:
        columns["penalty"] = [p - o for p, o in zip(columns["penalty"], owed, strict=True)]
        pot += sum(owed)
        columns["share"] = [shares(pot, n)] * n
        if pot:
            lines.append(say(f"At the end {pot} b are shared by all {n}.", f"最后底池 {pot} 由 {n} 家平分。"))
        elif hands < table.rules.as_dict()["hands"]:
            lines.append(
                say(
                    f"The pot is empty and nobody owes a penalty: the game ends after hand {hands}.",
                    f"底池已空，也没有人欠赔底：第 {hands} 手后结束。",
                )
            )
    names = {**NAMES, "ante": say("Antes", "底"), "penalty": say("Penalty", "赔底")}
    names["share"] = say("Share", "分底")
    shown = [(names[name], values) for name, values in columns.items() if any(values) or name == "stake"]
    base = table.rules.as_dict()["base"]
    if base > 1:
        lines.append(say(f"All times {base} (base).", f"全部乘底分 {base}。"))
    return _table(lines, shown, scores)


def _xiangxi96(table: Table, scores: list[Any]) -> dict[str, Any]:
    how = table.game.text.outcome(table.now.t)
    base, n = table.rules.as_dict()["base"], table.info.num_players
    lines: list[Text] = []
    made: dict[str, Any] = {}
    if how["outcome"] == "hu":
        winner, needed = how["winner"], int(least_huxi(n))
        lines.append(say(f"{{p{winner}}} wins (hu 胡).", f"{{p{winner}}}胡了。"))
        units = zip(how["units"], how["unit_huxi"], strict=True)
        made["units"] = [{**unit, "huxi": huxi} for unit, huxi in units]
        lines.append(
            say(
                f"Together {how['huxi']} huxi ({needed} are needed): {how['points']} points from each other.",
                f"共 {how['huxi']} 胡息（{needed} 起胡）：每家付 {how['points']} 分。",
            )
        )
    elif how["outcome"] == "pig":
        pig, reason = how["pig"], PIGS[how["reason"]]
        paid = table.rules.as_dict()["pig_points"]
        lines.append(
            say(
                f"{{p{pig}}} is the pig (猪): {reason['en']}. It pays {paid} points to each other.",
                f"{{p{pig}}}被抓猪：{reason['zh']}。向每家付 {paid} 分。",
            )
        )
    else:
        lines.append(say("The stock is exhausted (荒庄): nobody pays.", "荒庄：没有人付分。"))
    if base > 1:
        lines.append(say(f"All times {base} (base).", f"全部乘底分 {base}。"))
    lines.append(
        say(f"{{p{how['next_dealer']}}} deals the next game.", f"下一局由{{p{how['next_dealer']}}}坐庄。")
    )
    melded = [int(worth) for worth in table.now.t["worth"][:n]]
    return _table(lines, [(say("Huxi on the table", "桌上胡息"), melded)], scores) | made
