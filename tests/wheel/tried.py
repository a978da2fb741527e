"""What ``smoke.py`` runs where the package is installed, with the folder of its site-packages: uses it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def command(*words: str) -> str:
    """What a command of the package prints; ends the program where it fails."""
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout


def try_to_write(site: Path) -> None:
    """End the program where the folder can be written to."""
    try:
        (site / "written").touch()
    except OSError:
        return
    raise SystemExit(f"{site} can be written to: this would test nothing")


def play(site: Path) -> None:
    """A game, its picture and its record; an agent that comes with the package."""
    import agents
    import envs
    from agents import Decisions
    from envs import record

    for package in (envs, agents):
        assert Path(str(package.__file__)).is_relative_to(site), package.__file__
    env = envs.make("diao_xie", render_mode="rgb_array")
    env.reset(seed=7)
    for player in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        action = None if terminated or truncated else env.action_space(player).sample(seen["action_mask"])
        env.step(action)
    assert sum(env.unwrapped.scores()) == 0 and env.render().ndim == 3
    record.write([env.unwrapped.record()], "games.jsonl")
    assert "1 game, all as recorded" in command("envs.record", "verify", "games.jsonl")
    assert "of 1 games of diao_xie" in command("envs.dataset", "games.jsonl", "--out", "games.npz")

    vec = envs.make_vec("diao_xie", num_envs=8)
    seen, infos = vec.reset(seed=0)
    seats = infos["seat"]
    asked = Decisions(seen["observation"], seen["action_mask"], seats, seats.astype("uint64"), vec.tables())
    vec.step(agents.load("pretrained", "diao_xie").act(asked))
    for game in envs.games():
        assert agents.load("pretrained", game).name


def learn() -> None:
    """A run of self-play in small, and the page's command line."""
    words = "diao_xie --samples 30k --evaluations 1 --eval-deals 20 --final-deals 20 --out run"
    assert "Report, learning curve and checkpoints: run" in command("training.selfplay", *words.split())
    assert "python -m agents.play" in command("agents.play", "--help")


def keep_kernels() -> int:
    """How many compiled kernels are in the user's cache; where there can be none, it says so and goes on."""
    kept = list(Path(os.environ["XDG_CACHE_HOME"], "paizhuo").rglob("*.nbi"))
    assert kept, "no compiled kernel was kept"
    nowhere = {**os.environ, "XDG_CACHE_HOME": os.devnull}
    done = subprocess.run([sys.executable, "-c", "import envs"], capture_output=True, text=True, env=nowhere)
    assert done.returncode == 0 and "Compiled code cannot be kept" in done.stderr, done.stderr
    return len(kept)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    try_to_write(folder)
    play(folder)
    learn()
    print(f"Python {sys.version.split()[0]}: plays, learns, {keep_kernels()} kernels kept in XDG_CACHE_HOME")
