"""Random numbers, cards, options and the sampler."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Any, Literal

import numpy as np
import pytest

from envs.core import cards, rng
from envs.core.game import Rules, record, whole_number
from envs.core.seeding import as_decks, as_seed, seeds_for
from envs.core.vector import sample_masks
from envs.guan_pai.rules import GuanPaiRules

from .games import is_allowed, options_of, pairwise

_64 = (1 << 64) - 1


def is_uniform(counts: np.ndarray) -> bool:
    """Chi-square test by the normal approximation of Wilson and Hilferty."""
    expected, freedom = counts.sum() / counts.size, counts.size - 1
    chi_square = ((counts - expected) ** 2 / expected).sum()
    spread = 2 / (9 * freedom)
    z = ((chi_square / freedom) ** (1 / 3) - (1 - spread)) / spread**0.5
    return abs(z) < 4.9  # missed once in a million times: these tests see other numbers every day


# --- random numbers, against plain Python with large integers ---------------------------------------


def splitmix64(state: int) -> int:
    z = (state + 0x9E3779B97F4A7C15) & _64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _64
    return z ^ (z >> 31)


def xoshiro256starstar(s: list[int]) -> int:
    def rotl(x: int, k: int) -> int:
        return ((x << k) | (x >> (64 - k))) & _64

    result = (rotl((s[1] * 5) & _64, 7) * 9) & _64
    t = (s[1] << 17) & _64
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = rotl(s[3], 45)
    return result


def stream_of(seed: int) -> np.ndarray:
    stream = np.zeros(4, np.uint64)
    rng.seed_stream(stream, np.uint64(seed))
    return stream


def test_splitmix64_published_values() -> None:
    wanted = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    seeds = [(1234567 + i * 0x9E3779B97F4A7C15) & _64 for i in range(4)]
    assert [splitmix64(seed) for seed in seeds] == wanted
    assert [int(rng.mix(np.uint64(seed))) for seed in seeds] == wanted


def test_xoshiro_published_values() -> None:
    stream = np.array([1, 2, 3, 4], np.uint64)
    wanted = [11520, 0, 1509978240, 1215971899390074240, 1216172134540287360]
    assert [int(rng.draw(stream)) for _ in wanted] == wanted


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**63, _64])
def test_streams_are_those_of_plain_python(seed: int) -> None:
    stream = stream_of(seed)
    plain = [splitmix64((seed + i * 0x9E3779B97F4A7C15) & _64) for i in range(4)]
    assert stream.tolist() == plain
    assert [int(rng.draw(stream)) for _ in range(500)] == [xoshiro256starstar(plain) for _ in range(500)]


def test_draw_below_is_lemires_and_uniform(rotate: int) -> None:
    for n in (1, 2, 3, 7, 48, 3 << 30):
        stream = stream_of(rotate)
        plain = stream.tolist()
        for _ in range(200):
            product = (xoshiro256starstar(plain) >> 32) * n
            while product % 2**32 < 2**32 % n:  # rejected, so that all are equally likely
                product = (xoshiro256starstar(plain) >> 32) * n
            assert rng.draw_below(stream, n) == product >> 32 < n
    stream = stream_of(rotate)
    assert is_uniform(np.bincount([rng.draw_below(stream, 7) for _ in range(20_000)], minlength=7))


def test_every_order_of_a_shuffle_is_equally_likely(rotate: int) -> None:
    stream, orders = stream_of(rotate), dict.fromkeys(permutations(range(4)), 0)
    for _ in range(24_000):
        deck = np.arange(4, dtype=np.int16)
        rng.shuffle(stream, deck)
        orders[tuple(deck.tolist())] += 1
    assert is_uniform(np.array(list(orders.values())))


def test_keys(rotate: int) -> None:
    keys = np.arange(20_000, dtype=np.uint64) + np.uint64(rotate)
    assert is_uniform(np.bincount([rng.pick_below(key, 5) for key in keys], minlength=5))
    numbers = np.array([rng.uniform(key) for key in keys])
    assert numbers.min() >= 0 and numbers.max() < 1
    assert is_uniform(np.bincount((numbers * 8).astype(int), minlength=8))


def test_the_sampler_is_uniform_over_the_mask(rotate: int) -> None:
    n, size = 20_000, 70
    legal = np.array([0, 3, 31, 32, 63, 64, 69])
    masks = np.zeros((n, size), np.int8)
    masks[:, legal] = 1
    masks[0] = 0
    keys, actions = np.arange(n, dtype=np.uint64) + np.uint64(rotate), np.zeros(n, np.int64)
    sample_masks(masks, keys, actions)
    assert actions[0] == -1
    counts = np.bincount(actions[1:], minlength=size)
    assert counts[legal].sum() == n - 1 and is_uniform(counts[legal])
    first = actions.copy()
    sample_masks(masks, keys, actions)
    assert (actions != first).any(), "keys move on"


def test_sampling_and_dealing_leave_the_global_generators_alone() -> None:
    import random

    from .games import new_table, play

    random.seed(1)
    np.random.seed(1)
    before = (random.getstate(), np.random.get_state()[1].tolist())
    play(new_table("guan_pai", {}, seed=3), np.random.default_rng(1))
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before


# --- cards ------------------------------------------------------------------------------------------


def test_lanes(rotate: int) -> None:
    counts = np.random.default_rng([rotate, 50]).integers(5, size=(200, 13))
    columns = cards.lane_columns(13)
    for held, lanes in zip(counts, cards.lanes_of(counts), strict=True):
        assert cards.counts_of(lanes, 13) == held.tolist()
        assert lanes == sum(int(columns[n]) << rank for rank, n in enumerate(held))
        bits = [int(n > k) for k in range(4) for n in held]
        flat, thermometer = np.zeros(52, np.uint8), np.zeros(52, np.uint8)
        cards.unpack_lanes(lanes, 52, flat)
        cards.thermometer(held, thermometer)
        assert flat.tolist() == thermometer.tolist() == bits
        needed = cards.lanes_of(counts[0])
        assert (needed & ~lanes == 0) == (counts[0] <= held).all()


def test_unary_and_one_hot() -> None:
    for value in range(-1, 5):
        unary, one_hot = np.ones(3, np.uint8), np.ones(3, np.uint8)
        cards.unary(value, 3, unary)
        cards.one_hot(value, 3, one_hot)
        assert unary.tolist() == [int(i < value) for i in range(3)]
        assert one_hot.tolist() == [int(i == value) for i in range(3)]


PACK = (*(rank + suit for rank in "56789T" for suit in cards.SUITS), "x")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x 5", ["x", "5"]), ("xS", "'xS' is no card"),
        ("5S 5H", ["5S", "5H"]), ("5S5H7D", ["5S", "5H", "7D"]), ("55577", list("55577")), ("", []),
        (["5S", "T"], ["5S", "T"]), ("5, 6S", ["5", "6S"]), ("1S", "'1S' is no card"),
        ("5X", "'5X' is no card"),
        (["5S", 8.5], "8.5 is no card"), ("s5", "is no card"),
    ],
)  # fmt: skip
def test_parse(text: Any, found: Any) -> None:
    if isinstance(found, str):
        with pytest.raises(ValueError, match=found):
            cards.parse(text, PACK)
    else:
        assert cards.parse(text, PACK) == found


# --- seeds, options, records ------------------------------------------------------------------------


def test_seeds() -> None:
    assert as_seed(np.int32(7)) == 7 and as_seed(2**64 + 3) == 3
    assert seeds_for(_64, 3).tolist() == [_64, 0, 1] and seeds_for([5, 1], 2).tolist() == [5, 1]
    for bad in (-1, 1.0, "1", None):
        with pytest.raises(ValueError, match="seed"):
            as_seed(bad)
    with pytest.raises(ValueError, match="2 seeds for 3 tables"):
        seeds_for([1, 2], 3)


def test_decks_keep_their_order() -> None:
    info = new_info()
    decks = np.stack([np.full(48, -1), np.roll(np.arange(48), 5)])
    assert np.array_equal(as_decks(decks, 2, info), decks)


def new_info() -> Any:
    from envs.guan_pai import info

    return info(GuanPaiRules())


@dataclass(frozen=True)
class Options(Rules):
    mode: Literal["a", "b", 2] = "a"
    flag: bool = False
    count: int = whole_number(5, 1, 9)
    cap: int | None = whole_number(None, 0, 9)


@pytest.mark.parametrize(
    ("option", "good", "bad"),
    [
        ("mode", ["a", "b", 2], ["c", None, 2.0, True]),
        ("flag", [True, False], [1, 0, None, "yes"]),
        ("count", [1, 9, np.int64(4)], [0, 10, None, 1.0, True, "5"]),
        ("cap", [0, 9, None], [-1, 10, 0.5, False]),
    ],
)
def test_option_values(option: str, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        assert getattr(Options.make({option: value}), option) == value
    for value in bad:
        with pytest.raises(ValueError, match=f"option {option} must be .*, not {value!r}"):
            Options.make({option: value})


def test_options_in_a_record() -> None:
    table = np.zeros(1, Options.dtype())
    Options("b", True, 7, None).write(table[0])
    assert table[0].tolist() == (1, 1, 7, -1)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"must_bet": "all"}, TypeError, "unknown option 'must_bet' of guan_pai; its options are must_"),
        ({"must_beat": "ALL"}, ValueError, "must_beat must be one of"),
        ({"base": 0}, ValueError, "1..1000"),
        ({"loss_cap": -1}, ValueError, "or None"),
        ({"cards_each": 17}, ValueError, "1..16"),
        ({"cards_each": 9, "lead_diamond_three": True}, ValueError, "nobody may hold 3D"),
    ],
)
def test_guan_pai_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        GuanPaiRules.make(options)


def test_records_have_no_gaps() -> None:
    dtype = record([("a", np.int16), ("b", np.int64), ("c", np.int16, (4,))])
    assert dtype.isalignedstruct and dtype.itemsize == sum(dtype[name].itemsize for name in dtype.names)
    one = np.zeros(1, dtype)
    one.view(np.uint8)[:] = 0xAB
    assert one.copy().tobytes() == one.tobytes()


def test_pairwise_sets_cover_every_pair() -> None:
    choices = {"x": [1, 2, 3], "lead_diamond_three": [False, True], "cards_each": [16, 9]}
    chosen = pairwise(choices, is_allowed)
    met = {(a, o[a], b, o[b]) for o in chosen for a in o for b in o if a < b}
    assert len(met) == 3 * 2 + 3 * 2 + 3 and all(map(is_allowed, chosen))
    assert len(options_of("guan_pai")) < 30
