"""A run of learning: iterations, evaluations, checkpoints, and how it goes on after a stop."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch.utils.tensorboard import SummaryWriter

from agents import frozen_rules
from agents.base import CHECKPOINTS
from agents.network import NetworkAgent, load_network, network_bytes
from envs.core.game import Game, Rules, get

from .averaged import AveragedPPO
from .checkpoint import (
    ARRAYS_FILE,
    CONFIG_FILE,
    PROGRESS_FILE,
    SECONDS_BETWEEN_SAVES,
    STATE_FILE,
    arrays_bytes,
    csv_rows,
    csv_text,
    newest,
    read_arrays,
    read_json,
    readable_json,
    save_folder,
    write_file,
)
from .cluster import LOCAL
from .curve import Evaluation, write_report
from .display import Display, strength
from .dmc import DMC
from .evaluate import YARDSTICK, evaluate_against
from .exploitability import can_solve, exploitability
from .learners import Learner, Plan, averaged, learner_of, network_of
from .rpi import RPI
from .sb3 import SB3
from .shards import ShardedRollout, spread
from .stats import Direction
from .stopping import Stopping

if TYPE_CHECKING:
    from .config import Config

EVALUATED = "evaluated"  # the folder of a run that has its agents as they were when they were evaluated
EVALUATION_SEED = 1_000_003  # the same deals in every run, none that a run learns from


def new_learner(config: Config, game: Game, rules: Rules) -> Learner:
    """The learner of the algorithm that ``config`` names, with those who play for it.

    Raises
    ------
    ValueError
        For options that do not fit this game or this machine.
    """
    plan = Plan.of(config, rules)
    if config.processes > 1:
        return averaged(plan, config.processes)
    learner = learner_of(plan)
    if config.backend == "ray" and not isinstance(learner, SB3):
        spread(learner, plan, config.shard_games, config.num_workers, config.address or LOCAL)
    return learner


def close(learner: Learner) -> None:
    """End the processes that it has."""
    if isinstance(learner, AveragedPPO):
        learner.close()
    elif not isinstance(learner, SB3) and isinstance(learner.rollout, ShardedRollout):
        learner.rollout.close()


class Run:
    """A run: its folder, its learner and what it has done so far.

    Parameters
    ----------
    config : Config
    rules : Rules
        Options of the game.
    folder : Path
        Made here, unless a run is resumed.
    display : Display
    description : dict
        Everything that makes the run what it is.

    Raises
    ------
    OSError
        If the folder cannot be written.
    """

    def __init__(
        self, config: Config, rules: Rules, folder: Path, display: Display, description: dict[str, Any]
    ) -> None:
        self.config, self.rules, self.folder, self.display = config, rules, folder, display
        self.description = description
        self.game = get(config.game)
        folder.mkdir(parents=True, exist_ok=True)
        self.learner = new_learner(config, self.game, rules)
        self._is_iterating = False
        self._tensorboard: SummaryWriter | None = None
        self.samples = self.games = 0
        self.seconds = 0.0  # of learning, without a program's first iteration, which also compiles
        self._has_compiled = False
        self._timed = {"samples": 0, "games": 0}  # in these seconds
        self.evaluations: list[Evaluation] = []
        self._rows: list[dict[str, float]] = []
        self._saved_at = time.monotonic()

    def start_from(self, name: str) -> None:
        """Learn on from the network of an agent of this name, which has the learner's layers."""
        assert isinstance(self.learner, RPI)
        net, _ = network_of(name, self.config.game, self.rules)
        self.learner.policy.load_state_dict(net.state_dict())

    def begin(self) -> None:
        """Write down what the run is; a TensorBoard log goes on where the run does."""
        write_file(self.folder / CONFIG_FILE, readable_json(self.description))
        self._tensorboard = SummaryWriter(  # type: ignore[no-untyped-call]
            str(self.folder / "tensorboard"), purge_step=self.samples + 1 if self.samples else None
        )

    @classmethod
    def resumed(
        cls, config: Config, rules: Rules, folder: Path, display: Display, description: dict[str, Any]
    ) -> Run:
        """The run in ``folder`` as it was at its newest checkpoint.

        Raises
        ------
        ValueError
            If a file of it cannot be read, or is of another game, rules version or options.
        """
        run = cls(config, rules, folder, display, description)
        try:
            run._load(newest(folder / CHECKPOINTS))
        except BaseException:
            run.close()
            raise
        return run

    def _load(self, checkpoint: Path) -> None:
        networks = self.learner.networks
        saved = {name: load_network(checkpoint / name, self.game, self.rules)[0] for name in networks}
        state, arrays = read_json(checkpoint / STATE_FILE), read_arrays(checkpoint / ARRAYS_FILE)
        try:
            for name, (net, _) in networks.items():
                net.load_state_dict(saved[name].state_dict())
            self.learner.load_state(arrays, state["learner"])
            self.samples, self.games, self.seconds = state["samples"], state["games"], state["seconds"]
            self._timed = state["timed"]
            self.evaluations = [Evaluation.from_dict(told) for told in state["evaluations"]]
        except (LookupError, TypeError, ValueError, RuntimeError) as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0]  # torch's have many
            raise ValueError(f"{checkpoint} is not of this version of the program ({reason})") from None
        self.display.remember((told.samples, told.result) for told in self.evaluations)
        for kept in (self.folder / EVALUATED).glob("*"):
            if kept.name.isdecimal() and int(kept.name) > self.samples:  # will be learned another way
                shutil.rmtree(kept, ignore_errors=True)
        rows = csv_rows(self.folder / PROGRESS_FILE)
        self._rows = [row for row in rows if row["samples"] <= self.samples]

    def learn(self, budget: float, spent: Callable[[Run], float], stopping: Stopping) -> None:
        """Iterate until ``spent`` reaches ``budget`` (seconds or samples), evaluating on the way.

        Raises
        ------
        KeyboardInterrupt
            Between two iterations, if a stop was requested.
        ArithmeticError
            If a figure is infinite or no number.
        """
        due = [budget * k / self.config.evaluations for k in range(self.config.evaluations)]
        if self.evaluations:  # of a run that was resumed
            last = self.evaluations[-1]
            reached = last.samples if self.config.samples else last.seconds
            due = [moment for moment in due if moment > reached]
        while True:
            stopping.heed()
            if due and spent(self) >= due[0]:
                due = [moment for moment in due if moment > spent(self)]
                self.evaluate(self.config.eval_deals)
            if spent(self) >= budget:
                return
            self._iterate(spent(self) / budget)
            self._show(spent(self) / budget, budget)
            if time.monotonic() - self._saved_at > SECONDS_BETWEEN_SAVES:
                self.save_or_say()

    def _iterate(self, progress: float) -> None:
        start = time.perf_counter()
        self._is_iterating = True  # until the learner is in a state that can be saved
        figures = self.learner.iterate(progress)
        odd = [name for name, value in figures.items() if not math.isfinite(value)]
        if odd:
            raise ArithmeticError(
                f"after {self.samples:,} samples the {odd[0]} is {figures[odd[0]]}: try a smaller learning "
                f"rate; what was saved before is in {self.folder}"
            )
        self._is_iterating = False
        self.samples += int(figures["samples"])
        self.games += int(figures["games"])
        if self._has_compiled:
            self.seconds += time.perf_counter() - start
            for name in self._timed:
                self._timed[name] += int(figures[name])
        self._has_compiled = True
        row = {
            **figures,
            "seconds": self.seconds,
            "samples": self.samples,
            "games": self.games,
            "samples_per_second": self._rate(self._timed["samples"]),
            "games_per_second": self._rate(self._timed["games"]),
        }
        self._rows.append(row)
        for name, value in row.items():
            self._log(f"learning/{name}", value)

    def _show(self, progress: float, budget: float) -> None:
        """Show the newest figures, and how long it will take."""
        if not self.seconds:
            return
        left = budget - self.seconds
        if self.config.samples:
            left = (budget - self.samples) / self._rate(self._timed["samples"])
        self.display.update(progress, max(left, 0.0), self._rows[-1])

    def _rate(self, count: int) -> float:
        return count / self.seconds if self.seconds else 0.0

    def evaluate(self, deals: int) -> Direction:
        """Play duplicate deals against the yardstick."""
        result = self._against(YARDSTICK, deals)
        self.evaluations.append(Evaluation(self.samples, self.games, self.seconds, result))
        for name in ("points", "win_rate", "duplicate_share"):
            mean = getattr(result, name).mean
            self._log(f"against_{YARDSTICK}/{name}", mean)
        self.display.evaluated(self.samples, result)
        try:
            self._keep()
        except OSError as error:
            self.display.say(f"could not keep the agent just evaluated ({error}), going on")
        return result

    def _keep(self) -> None:
        """Keep the networks as they are: the last ones need not be the best."""
        folder = self.folder / EVALUATED / f"{self.samples:012d}"
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in self._network_files().items():
            write_file(folder / name, content)

    def _against(self, opponent: str, deals: int) -> Direction:
        agent = NetworkAgent(self.learner.policy, adviser=self.learner.adviser)
        return evaluate_against(agent, opponent, self.config.game, self.rules, deals, EVALUATION_SEED)

    def save(self) -> Path:
        """Save a checkpoint, which is an agent for every other command, and the figures so far.

        Broken off in the middle of an iteration there is nothing new that is whole: the newest one stays.

        Returns
        -------
        Path
            The newest checkpoint.

        Raises
        ------
        OSError
            If it cannot be written.
        ValueError
            If there is none.
        """
        if self._is_iterating:
            return newest(self.folder / CHECKPOINTS)
        self._saved_at = time.monotonic()
        write_file(self.folder / PROGRESS_FILE, csv_text(self._rows))  # before what it tells of
        folder = self.folder / CHECKPOINTS / f"{self.samples:012d}"
        arrays, plain = self.learner.state()
        state = {
            "samples": self.samples,
            "games": self.games,
            "seconds": self.seconds,
            "timed": self._timed,
            "evaluations": [asdict(evaluation) for evaluation in self.evaluations],
            "learner": plain,
        }
        if folder.exists():  # nothing was learned since; there may be an evaluation more
            write_file(folder / STATE_FILE, readable_json(state))
        else:
            save_folder(
                folder,
                {
                    **self._network_files(),
                    ARRAYS_FILE: arrays_bytes(arrays),
                    STATE_FILE: readable_json(state),
                },
            )
        return folder

    def _network_files(self) -> dict[str, bytes]:
        """The content of the networks' files, by name."""
        networks, adviser = self.learner.networks.items(), self.learner.adviser
        return {
            name: network_bytes(net, self.game, self.rules, sizes, adviser) for name, (net, sizes) in networks
        }

    def save_or_say(self) -> None:
        """Save; where that fails say so and go on: the next save may succeed."""
        try:
            self.save()
        except OSError as error:
            self.display.say(f"could not save ({error}); the checkpoints saved before are complete, going on")

    def finish(self, stopping: Stopping) -> str:
        """Save, evaluate at length, write the report; returns what a person wants to know.

        Raises
        ------
        KeyboardInterrupt
            Between two evaluations, if a stop was requested.
        """
        self.save()
        stopping.heed()
        deals = self.config.final_deals
        result = self.evaluate(deals)
        self.save()
        stopping.heed()
        others = self.game.info(self.rules).num_players - 1
        lines = [
            f"After {self.games:,} games ({self.samples:,} samples, {self.seconds / 60:.1f} minutes of "
            f"learning) it beats {_players(others, YARDSTICK)} on {strength(result)}."
        ]
        lines += [
            f"Against {_players(others, name)}: {strength(self._against(name, deals))}."
            for name in frozen_rules(self.config.game)
            if name != YARDSTICK
        ]
        always_won = self.game.info(self.rules).always_won  # elsewhere none or several may win
        games = f", 0 points and {100 / (others + 1):.0f} %" if always_won else " and 0 points"
        lines.append(f"An equal player would have about 50 %{games}; ± is the 95 % interval.")
        lines += self._exploitability()
        write_report(self.folder, self.description, lines, self.evaluations, YARDSTICK)
        return "\n".join(lines)

    def _exploitability(self) -> list[str]:
        """What a best response gains, where that is worked out exactly."""
        if not can_solve(self.rules):
            return []
        ways = [("its best actions", True)]
        if not isinstance(self.learner, DMC):  # whose network gives values and no probabilities
            ways = [("its policy", False), ("its likeliest actions", True)]
        told = []
        for name, greedy in ways:
            agent = NetworkAgent(self.learner.policy, greedy=greedy, adviser=self.learner.adviser)
            told.append(f"{exploitability(agent, self.rules).mean:.4f} b against {name}")
        return [f"A best response gains a hand {', '.join(told)}, exactly; 0 at an equilibrium."]

    def close(self) -> None:
        """End what the run has open."""
        close(self.learner)
        if self._tensorboard is not None:
            self._tensorboard.close()  # type: ignore[no-untyped-call]

    def _log(self, name: str, value: float) -> None:
        if self._tensorboard is not None:
            self._tensorboard.add_scalar(name, value, self.samples)  # type: ignore[no-untyped-call]


def _players(number: int, name: str) -> str:
    return f"{number} {name} player{'s' * (number > 1)}"
