"""How fast the trainers are on this machine: ``python -m training.bench [GAME ...]``.

Samples a second by the clock on the wall, acting and learning in turn under the options that a run has
without any, halfway through its budget, after an iteration that compiles. Acting is playing games, the
forwards of the network included (sb3 asks its critic then, too); learning is all the rest. A decision is one
of any seat among several actions; a sample is one that is learned from: with PPO and DMC each of them, with
sb3 those of one seat a table. The last two columns are decisions a second of acting and samples a second of
learning. Run it on a core of its own (taskset -c 1 python -m training.bench).

    python -m training.bench                                # all games, PPO and DMC
    python -m training.bench guan_pai --algo ppo --json     # JSON lines
    python -m training.bench guan_pai --soak 15 -- --processes 2
    python -m training.bench guan_pai --algo ppo rpi --workers 1 8 64    # what workers of Ray would give
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, get_args

import torch

from agents import Decisions
from envs.bench import label, show
from envs.core.commands import Parser, did_you_mean
from envs.core.game import NAMES, get
from envs.core.seat_tables import SeatTables

from . import cli, sizing, soak
from .config import Config
from .learning import new_learner
from .optimiser import has_fast_bfloat16
from .peers import rlcard_dmc

Algo = Literal["ppo", "dmc", "rpi", "sb3"]
Options = Mapping[str, Any]
Rows = list[dict[str, Any]]

PROGRESS = 0.5  # of a budget: rates of learning and exploring as they are halfway
PEER_GAME = "guan_pai"
PEER_NOTES = (
    "Ours, and sb3's MaskablePPO, are at Guan Pai and see no forced decisions. RLCard's trainer is at dou "
    "dizhu, counts forced decisions too, works out a 5x512 network for every legal action, in float32, and "
    "shares its cores among an actor and a learner."
)


class Stopwatch:
    """A function, and the seconds that have been spent in it."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call, self.seconds = call, 0.0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        try:
            return self._call(*args, **kwargs)
        finally:
            self.seconds += time.perf_counter() - start


def watch(owner: Any, method: str) -> Stopwatch:
    """Put a stopwatch in the place of a method of one object."""
    stopwatch = Stopwatch(getattr(owner, method))
    setattr(owner, method, stopwatch)
    return stopwatch


def count_answers(tables: SeatTables) -> list[int]:
    """A list that gets the number of decisions whenever the agents at ``tables`` are asked for some."""
    counts: list[int] = []
    for agent in tables._agents:
        answer = agent.act

        def act(decisions: Decisions, answer: Callable[[Decisions], Any] = answer) -> Any:
            counts.append(len(decisions))
            return answer(decisions)

        agent.act = act  # type: ignore[method-assign]
    return counts


def measure(game: str, options: Options, algo: Algo, seconds: float, processes: int = 1) -> dict[str, Any]:
    """The figures of one trainer, which iterates for so many seconds, at least once."""
    config = Config(game, algo, processes=processes)
    learner: Any = new_learner(config, get(game), get(game).rules.make(options))
    try:
        learner.iterate(PROGRESS)  # compiles
        if algo == "sb3":
            acting, answers = watch(learner.model, "collect_rollouts"), count_answers(learner.vec.tables)
        else:
            own = learner.own if processes > 1 else learner
            acting, answers = watch(own.rollout, "collect"), []
        samples, start, spent = 0, time.perf_counter(), 0.0
        while samples == 0 or spent < seconds:
            samples += learner.iterate(PROGRESS)["samples"]
            spent = time.perf_counter() - start
    finally:
        if processes > 1:
            learner.close()
    decisions, learning = samples + sum(answers), spent - acting.seconds
    return {
        "game": label(game, options),
        "algo": algo if processes == 1 else f"{algo}, {processes} processes",
        "samples": samples / spent,
        "decisions": decisions / spent,
        "acting_share": acting.seconds / spent,
        "learning_share": learning / spent,
        "acting_alone": decisions / acting.seconds,
        "learning_alone": samples / learning,
    }


def shared(game: str, options: Options, algo: Algo, arguments: argparse.Namespace) -> dict[str, Any]:
    """What ``--workers`` would give one trainer."""
    config = Config(game, algo, shard_games=arguments.shard_games)
    costs = sizing.measure(config, get(game).rules.make(options), arguments.seconds, PROGRESS)
    return {"game": label(game, options), "algo": algo, **sizing.row(costs, arguments.workers)}


def measure_peers(seconds: float, threads: int) -> Rows:
    """Other trainers in the same run, and how many times faster ours are; decisions a second."""
    algos: tuple[Algo, ...] = ("ppo", "dmc", "sb3")
    ppo, dmc, sb3 = (measure(PEER_GAME, {}, algo, seconds) for algo in algos)
    peers = {
        "RLCard DMC, dou dizhu": rlcard_dmc(seconds, threads),
        "MaskablePPO, samples": sb3["samples"],
        "MaskablePPO, decisions of all seats": sb3["decisions"],
    }
    return [
        {
            "game": PEER_GAME,
            "peer": peer,
            "rate": rate,
            "ppo": ppo["decisions"],
            "ppo_ratio": ppo["decisions"] / rate,
            "dmc": dmc["decisions"],
            "dmc_ratio": dmc["decisions"] / rate,
        }
        for peer, rate in peers.items()
    ]


def conditions(threads: int) -> str:
    """What a table is measured in."""
    numbers = "bfloat16" if has_fast_bfloat16() else "float32"
    return f"by the clock on the wall, {numbers}, {threads} thread{'s' * (threads > 1)} of torch"


def read(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """The arguments, and those behind ``--``, which are for the run that is watched."""
    own, rest = argv, []
    if "--" in argv:
        own, rest = argv[: argv.index("--")], argv[argv.index("--") + 1 :]
    about = (__doc__ or "").split("\n\n")[1]
    parser = Parser(
        prog="python -m training.bench", description=about, epilog=f"Peers: {PEER_NOTES}", about=__doc__
    )
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"any of {', '.join(NAMES)} (default: all)")
    parser.add_argument(
        "--algo", nargs="+", choices=get_args(Algo), default=["ppo", "dmc"], help="default: ppo dmc"
    )
    parser.add_argument("--peers", action="store_true", help="also RLCard's trainer and sb3's, as ratios")
    parser.add_argument("--seconds", type=float, default=20, help="of each measurement, about; default 20")
    parser.add_argument("--threads", type=int, default=1, help="of torch; default 1")
    parser.add_argument(
        "--processes", type=int, default=1, help="also PPO with so many, a core for each; default 1"
    )
    parser.add_argument(
        "--workers",
        nargs="+",
        type=int,
        metavar="N",
        help="instead: what so many workers of Ray would give, by processor time that a shard and learning "
        "take here",
    )
    parser.add_argument(
        "--shard-games", type=int, default=Config().shard_games, help="of these workers; default %(default)s"
    )
    parser.add_argument("--json", action="store_true", help="print JSON lines instead of tables")
    parser.add_argument(
        "--soak",
        type=float,
        metavar="MINUTES",
        help=f"learn for so long instead (default: {PEER_GAME}) and watch memory and speed; what stands "
        "behind a -- goes to training.selfplay: --soak 10 -- --algo dmc",
    )
    arguments = parser.parse_args(own)
    unknown = [game for game in arguments.games if game not in NAMES]
    if unknown:
        parser.error(f"no game {unknown[0]!r}; {did_you_mean(unknown[0], NAMES)}")
    if arguments.workers and "sb3" in arguments.algo:
        parser.error("sb3 plays its games itself: --workers is for ppo, dmc and rpi")
    for name in ("seconds", "threads", "processes", "soak", "workers", "shard_games"):
        given = getattr(arguments, name)
        for number in given if isinstance(given, list) else [given]:
            if number is not None and not 0 < number < math.inf:
                parser.error(f"--{name.replace('_', '-')} is above 0, not {number}")
    if rest and arguments.soak is None:
        parser.error("what stands behind -- is for the run of --soak MINUTES")
    return arguments, rest


def tables(arguments: argparse.Namespace, rest: list[str]) -> Iterator[tuple[str, Rows]]:
    """What was asked for, as it is measured: titles and rows."""
    seconds, how = arguments.seconds, conditions(arguments.threads)
    trainers = [(algo, 1) for algo in arguments.algo]
    if arguments.processes > 1:
        trainers.append(("ppo", arguments.processes))
    if arguments.workers:
        numbers = "bfloat16" if has_fast_bfloat16() else "float32"
        yield (
            f"Workers of Ray, shards of {arguments.shard_games} games, by processor time, {numbers}: samples "
            "a second with so many, if sending took no time",
            [
                shared(game, options, algo, arguments)
                for game in arguments.games or NAMES
                for options in get(game).variants
                for algo in arguments.algo
            ],
        )
    elif arguments.soak is None:
        yield (
            f"Samples a second acting and learning, {how}",
            [
                measure(game, options, algo, seconds, processes)
                for game in arguments.games or NAMES
                for options in get(game).variants
                for algo, processes in trainers
            ],
        )
    else:
        for game in arguments.games or [PEER_GAME]:
            yield from soak.watch(game, arguments.soak, rest)
    if arguments.peers:
        rows = measure_peers(seconds, arguments.threads)
        yield f"Peers: ours is so many times faster, {how}. {PEER_NOTES}", rows


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    arguments, rest = read(sys.argv[1:] if argv is None else argv)
    torch.set_num_threads(arguments.threads)
    try:
        for title, rows in tables(arguments, rest):
            if arguments.json:
                for row in rows:
                    print(json.dumps({"table": title, **row}))
            else:
                show(title, rows)
    except ImportError as error:
        cli.fail(f"{error}; the peers come with pip install -c constraints.txt -e '.[peers]'")
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        return cli.FAILED
    except KeyboardInterrupt:
        return cli.INTERRUPTED
    return 0


if __name__ == "__main__":
    cli.run(main)
