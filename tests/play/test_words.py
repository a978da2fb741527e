"""What the web table says: why cards are no play, how the score came about, in both languages."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import agents.play
import envs
from agents.play.catalogue import games, make_rules
from agents.play.choosing import choose, find, places_of
from agents.play.folders import Folders
from agents.play.reasons import PATTERNS, in_chinese
from agents.play.result import result
from agents.play.table import Table
from agents.play.words import RefusedError
from envs.core.game import get
from envs.xiangxi96.text import EVENT_NAMES

STATIC = Path(agents.play.__file__).parent / "static"


def guan_pai(hands: list[str], **options: Any) -> Table:
    """A table where the seats hold these ranks first; suits as they come."""
    table = Table("guan_pai", options, ["you"] * 3, 0, Folders())
    pack = list(table.info.cards)
    dealt: list[list[str]] = []
    for hand in [*hands, ""]:
        dealt.append([])
        for rank in hand:
            card = next(card for card in pack if card[0] == rank)
            pack.remove(card)
            dealt[-1].append(card)
    for one in dealt:
        while len(one) < 16:
            one.append(pack.pop())
    table.raw.reset(seed=0, options={"deck": [dealt[i % 3][i // 3] for i in range(48)]})
    table.positions = [table._position(None, None)]
    return table


def why(table: Table, cards: str) -> str:
    """Why the seat to act may not play these ranks, in English."""
    hand = [card[0] for card in table.game.text.hand(table.now.t, table.now.turn)]
    places: list[int] = []
    for rank in cards:
        places.append(next(i for i, r in enumerate(hand) if r == rank and i not in places))
    with pytest.raises(RefusedError) as refused:
        find(table.now, places, None if cards else "pass")
    assert refused.value.text["zh"] != refused.value.text["en"]
    return refused.value.text["en"]


def led(table: Table, cards: str) -> Table:
    """The leader plays these ranks."""
    table.play(table.raw.actions_for(cards))
    return table


LEADER = "3334456789TJQKA2"  # it gets 3S 3H 3D, so it leads
FOLLOWER = "4455566677788899"


@pytest.mark.parametrize(
    ("led_cards", "cards", "told"),
    [
        (None, "", "The seat that leads must play."),
        (None, "35", "These cards are no combination."),
        ("5", "4", "Single 4 is not higher than single 5."),
        ("5", "44", "Pair of 4s does not follow single 5: it takes the same kind, or a bomb."),
        ("34567", "456", "These cards are no combination."),
        ("3456789", "45678", "Straight to 8 has another length than straight to 9: they must be equal."),
        (
            "33344",
            "555",
            "Triple of 5s does not follow triple with two, 3s: it takes the same kind, or a bomb.",
        ),
    ],
)
def test_why_cards_are_no_play_in_guan_pai(led_cards: str | None, cards: str, told: str) -> None:
    table = guan_pai([LEADER, FOLLOWER])
    if led_cards:
        led(table, led_cards)
    assert why(table, cards) == told


def test_the_options_reasons_are_told() -> None:
    assert "must contain 3D" in why(guan_pai([LEADER, FOLLOWER], lead_diamond_three=True), "4")
    assert (
        "whoever can beat the table must"
        in why(led(guan_pai([LEADER, FOLLOWER], must_beat="all"), "5"), "").lower()
    )


def test_cards_light_up_while_they_can_become_a_play() -> None:
    table = guan_pai([LEADER, FOLLOWER])
    hand = table.game.text.hand(table.now.t, 0)
    place = {card: i for i, card in enumerate(hand)}
    threes = [i for i, card in enumerate(hand) if card[0] == "3"]
    answer = choose(table.now, threes)
    assert [play["name"] for play in answer["ready"]] == ["triple"]
    assert "triple_with_two" in answer["becomes"] and answer["why"] is None
    answer = choose(table.now, [*threes, place["2S"]])
    assert answer["ready"] == [] and answer["why"]["en"] == "Choose more cards." and len(answer["lit"]) == 12
    assert choose(table.now, [place["2S"], place["KS"]])["becomes"] == ["triple_with_two"]


def test_every_reason_of_the_rules_has_its_chinese() -> None:
    source = "".join(
        (Path(envs.__file__).parent / game / "text.py").read_text(encoding="utf-8") for game in envs.games()
    )
    told = re.findall(r'return f?"((?:the |whoever|these |they |three |no cards|a card)[^"]*)"', source)
    assert len(told) >= 15
    for reason in told:
        filled = re.sub(r"\{[^}]*\}", "5", reason)
        assert in_chinese(filled) != filled, reason
    assert all(chinese for _, chinese in PATTERNS)


@pytest.mark.parametrize(
    ("game", "options", "chinese"),
    [("guan_pai", {"lead_diamond_three": True, "cards_each": 5}, "首出方块三要发完整副牌"),
     ("guan_pai", {"cards_each": 99}, "是 1 到 16 的整数"), ("guan_pai", {"must_beat": "x"}, "没有这个值"),
     ("zheng_shang_you", {"lead_spade_three": True, "cards_each": 5}, "首出黑桃三要发完整副牌"),
     ("zheng_shang_you", {"cards_each": 20}, "每家最多 13 张"),
     ("diao_xie", {"betting": "limit", "hands": 3}, "只用于对底池下注")],
)  # fmt: skip
def test_options_that_do_not_go_together_are_refused_in_both_languages(
    game: str, options: dict[str, Any], chinese: str
) -> None:
    with pytest.raises(RefusedError) as refused:
        make_rules(game, options)
    assert chinese in refused.value.text["zh"] and "do not go together" in refused.value.text["en"]


def play_out(table: Table, chance: random.Random) -> None:
    while not table.now.is_over:
        table.play(chance.choice(table.now.plays).actions)


@pytest.mark.parametrize("options", [
    {}, {"num_players": 5}, {"num_players": 3, "hands": 8}, {"counter_carry": True, "hands": 4},
    {"betting": "limit", "num_players": 3}, {"base": 7},
    {"fold_penalty": False, "supreme_bonus": False, "hands": 3},
])  # fmt: skip
def test_the_steps_of_diao_xie_add_up_to_the_score(options: dict[str, Any], rotate: int) -> None:
    n = options.get("num_players", 2)
    for deal in range(15):
        table = Table("diao_xie", options, ["you"] * n, 1000 * rotate + deal, Folders())
        play_out(table, random.Random(deal))
        told = result(table)
        for cells, score in zip(told["rows"], table.raw.scores(), strict=True):
            assert sum(map(Fraction, cells)) * options.get("base", 1) == score, told


def test_the_steps_of_the_other_games_end_in_the_score(rotate: int) -> None:
    for game, n in (("guan_pai", 3), ("zheng_shang_you", 4), ("xiangxi96", 3)):
        seen = set()
        for deal in range(6):
            table = Table(game, {}, ["you"] * n, 100 * rotate + deal, Folders())
            play_out(table, random.Random(deal))
            told = result(table)
            assert told["scores"] == table.raw.scores()
            if game == "guan_pai":
                assert sum(int(row[3]) for row in told["rows"]) == max(told["scores"])
            if game == "zheng_shang_you":
                assert sum(int(row[2]) for row in told["rows"]) == max(told["scores"])
            if "units" in told:
                huxi = sum(unit["huxi"] for unit in told["units"])
                assert f"Together {huxi} huxi" in told["lines"][1]["en"]
            seen.add(len(told["lines"]))
        assert seen


def test_kickers_and_readings_are_found_from_cards() -> None:
    """Every legal play of many positions is what its own cards are."""
    for game, n, options in (
        ("guan_pai", 3, {}),
        ("zheng_shang_you", 4, {}),
        ("zheng_shang_you", 4, {"decks": 2}),
    ):
        chance, checked = random.Random(5), 0
        table = Table(game, options, ["you"] * n, 6, Folders())
        while not table.now.is_over and checked < 400:
            for play in chance.sample(table.now.plays, min(12, len(table.now.plays))):
                if not play.cards:
                    continue
                places = places_of(table.now, play.cards)
                found = find(table.now, places, play.name, play.key)
                assert found[:4] == play[:4]
                assert play.name in [one["name"] for one in choose(table.now, places)["ready"]]
                checked += 1
            table.play(chance.choice(table.now.plays).actions)
        assert checked > 50


# --- the page's own words -----------------------------------------------------------------------


def script(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def test_every_sentence_is_there_in_both_languages_with_the_same_places() -> None:
    words = script("words.js")
    known = dict(re.findall(r"^  (\w+): \[(.*?)\],$", words, re.MULTILINE | re.DOTALL))
    assert len(known) > 100
    for key, both in known.items():
        english, chinese = re.findall(r'"((?:[^"\\]|\\.)*)"', both)
        assert set(re.findall(r"\{\w+\}", english)) == set(re.findall(r"\{\w+\}", chinese)), key
    used = set()
    for path in STATIC.glob("*.js"):
        used |= set(re.findall(r'\bt\("(\w+)"', path.read_text(encoding="utf-8")))
    assert used <= known.keys()


def test_every_option_play_and_event_has_a_name() -> None:
    names = script("names.js")
    for game in games():
        for option in game["options"]:
            assert re.search(rf"^  {option['name']}: \[", names, re.MULTILINE), option["name"]
            for value in option.get("values", []):
                assert isinstance(value, int) or re.search(rf"\b{value}: \[", names), value
        info = get(game["name"]).info(get(game["name"]).rules())
        kinds = {name.split()[0] for name in info.action_names} - {"suit", "kicker", "bomb_with_one"}
        if game["name"] == "xiangxi96":
            kinds = {kind for kind in kinds if len(kind) > 2 or kind == "hu"}
        for kind in kinds:
            assert re.search(rf"\b{kind}: \[", names), kind
    for event in {*EVENT_NAMES, "shows", "wins"}:
        assert re.search(rf"\b{event}: \[", names), event


def test_the_page_loads_nothing_from_elsewhere() -> None:
    for path in STATIC.iterdir():
        addresses = set(re.findall(r"https?://[^\s\"'`$]+", path.read_text(encoding="utf-8")))
        assert addresses <= {"http://www.w3.org/2000/svg"}, path.name
        assert "innerHTML" not in path.read_text(encoding="utf-8")
