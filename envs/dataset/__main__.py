"""Records of games as arrays of decisions: ``python -m envs.dataset``.

    python -m envs.dataset docs/records/records-guan_pai.jsonl --out games.npz
    python -m envs.dataset reports/guan-pai/records.jsonl --players rule --skip-forced --out rule.npz
    python -m envs.dataset reports/guan-pai/records.jsonl --minari guan_pai/rule-v0

All games of a dataset are of one kind: the same game, version and options. Exit code 2 if a file cannot be
read or written, a game is not as recorded, or no decision is left.
"""

from __future__ import annotations

from ..core.commands import Parser, fail, run
from . import minari
from .files import write


def main(argv: list[str] | None = None) -> int:
    """Run the command line."""
    parser = Parser(
        prog="python -m envs.dataset",
        description="Play recorded games again and write down every decision: what was seen, what was legal, "
        "what was done and what it brought.",
        about=__doc__,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="records: JSON lines, one game a line")
    to = parser.add_mutually_exclusive_group(required=True)
    to.add_argument("--out", metavar="OUT", help="the file to write, such as games.npz")
    to.add_argument(
        "--minari", metavar="ID", help="add a dataset of this name to Minari's, such as game/name-v0"
    )
    parser.add_argument("--seats", type=int, nargs="+", metavar="S", help="only these seats' decisions")
    parser.add_argument("--players", nargs="+", metavar="NAME", help="only these players' decisions")
    parser.add_argument("--skip-forced", action="store_true", help="without those with one legal action")
    chosen = parser.parse_args(argv)
    wanted = {"seats": chosen.seats, "players": chosen.players, "skip_forced": chosen.skip_forced}
    try:
        if chosen.minari is not None:
            about = minari.add(chosen.files, chosen.minari, **wanted)
        else:
            about = write(chosen.files, chosen.out, **wanted)
    except (OSError, ValueError, ImportError) as error:
        fail(error)
    told = f"{about['decisions']:,} decisions of {about['games']:,} games of {about['game']}"
    print(f"{chosen.minari or chosen.out}: {told}")
    return 0


if __name__ == "__main__":
    run(main)
