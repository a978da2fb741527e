"""``python -m agents.play``: a page on this machine where people play against agents.

    python -m agents.play                          # agents of the package, and the runs in runs/
    python -m agents.play runs/guan_pai-1 reports  # these runs, and the records in these folders
    python -m agents.play --port 0 --open          # any free port; opens the browser

It listens on this machine alone, to pages that know the token in its address.
"""

from __future__ import annotations

import argparse
import contextlib
import socket
import sys
import threading
import webbrowser
from pathlib import Path

from envs.core.commands import BAD_USAGE, Parser, fail, run

ADDRESS = "127.0.0.1"
PORT = 8642
RUNS = Path("runs")  # where training.selfplay puts what it makes


def make_parser() -> argparse.ArgumentParser:
    """The options of the command line."""
    parser = Parser(
        prog="python -m agents.play",
        description="Play the four games against agents, watch agents, step through records: a page on this "
        "machine, for this machine alone.",
        about=__doc__,
    )
    parser.add_argument(
        "folders",
        nargs="*",
        type=Path,
        metavar="FOLDER",
        help="runs, or folders of runs and reports: their agents and records are offered (default: runs, "
        "if it is there)",
    )
    parser.add_argument(
        "--port", type=int, default=PORT, help=f"where the page is (default {PORT}); 0: any free port"
    )
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    return parser


def listen(port: int) -> socket.socket:
    """A socket on this machine alone; SystemExit, in words, if the port is taken."""
    own = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio then sends at once
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        own.bind((ADDRESS, port))
        own.listen()  # who comes before the server runs has to wait a moment
    except (OSError, OverflowError) as error:
        raise SystemExit(f"port {port} cannot be used ({error}); give another one with --port") from None
    return own


def warm_up() -> None:
    """Load what the games and their players need while the page is being looked at."""
    from envs import games

    from .folders import Folders
    from .table import Table

    for game in games():
        table = Table(game, {}, ["rule"] * _players(game), 0, Folders())
        table.play(table.decide(table.now))


def _players(game: str) -> int:
    from envs.core.game import get

    return get(game).info(get(game).rules()).num_players


def main(argv: list[str] | None = None) -> int:
    """Run the command line."""
    arguments = make_parser().parse_args(argv)
    try:
        import uvicorn

        from .server import make_app
    except ModuleNotFoundError as error:
        fail(f"{error}: install what the table needs, pip install -c constraints.txt -e '.[play]'")
    from . import guard
    from .folders import Folders

    try:
        folders = Folders(arguments.folders or [RUNS] * RUNS.is_dir())
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_USAGE
    own = listen(arguments.port)
    port, token = own.getsockname()[1], guard.new_token()
    address = f"http://{ADDRESS}:{port}/?token={token}"
    config = uvicorn.Config(
        make_app(token, port, folders),
        ws_max_size=guard.LARGEST_MESSAGE,
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    print(f"The table is ready: {address}\nCtrl-C ends it.", flush=True)
    threading.Thread(target=warm_up, daemon=True).start()
    if arguments.open:
        webbrowser.open(address)
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[own])
    return 0


if __name__ == "__main__":
    run(main)
