#!/usr/bin/env python3
"""beside_git.py: `assay fsck` raises no false alarm while git works in the same repository.

Builds a sound repository and checks it again and again, with varying options, while two loops work
in it: one commits, amends, makes and deletes branches and tags, packs refs, checks out in a second
worktree and fetches; the other gcs, repacks (all and some, with bitmaps and multi-pack-indexes),
prunes packed objects, writes commit-graphs (single, split, replaced) and multi-pack-indexes, and
expires reflogs. What the loops do is safe beside each other, so every finding is a false alarm;
what dangles is none. That the repository is sound is checked with git at the end, when all is
quiet.

A run that ends as inconclusive is no false alarm but counted, and there may be no more than one in
a hundred of them.

`beside_git.py --program git` measures git's own rate.
"""
import collections
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import campaign  # noqa: E402, I001: it makes the modules of fixtures/scripts known
from repository_builder import git_environment  # noqa: E402

PEOPLE = dict(GIT_AUTHOR_NAME="Ada", GIT_AUTHOR_EMAIL="ada@example.org",
              GIT_COMMITTER_NAME="Ada", GIT_COMMITTER_EMAIL="ada@example.org")
OPTIONS = [[], [], [], ["--strict"], ["--unreachable"], ["--connectivity-only"], ["--no-reflogs"]]
INCONCLUSIVE = "repositoryChanging"
INCONCLUSIVE_STATUS = 240


class Git:
    """Runs git in one folder. What fails, fails: beside another git that is part of life."""

    def __init__(self, git, folder, counts=None):
        self.git, self.folder, self.counts = git, folder, counts

    def __call__(self, *arguments, stdin=None):
        done = subprocess.run([self.git, *arguments], cwd=self.folder, env=git_environment(PEOPLE),
                              input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if self.counts is not None:
            name = " ".join(arguments[:2])
            entry = self.counts.setdefault(name, [0, 0])
            self.counts[name] = [entry[0] + 1, entry[1] + (done.returncode != 0)]
        return done.stdout.decode("utf-8", "replace").strip()


def import_stream(rng, commits):
    """A history of some size, as git fast-import reads it."""
    lines = []
    for number in range(commits):
        text = f"commit {number}\n"
        lines.append(f"commit refs/heads/main\ncommitter Ada <ada@example.org> "
                     f"{1600000000 + number * 60} +0000\ndata {len(text)}\n{text}")
        for _ in range(3):
            body = "".join(f"{rng.random()}\n" for _ in range(rng.randrange(4, 60)))
            path = f"d{rng.randrange(8)}/f{rng.randrange(12)}"
            lines.append(f"M 100644 inline {path}\ndata {len(body)}\n{body}")
    return "\n".join(lines).encode()


def build(git, folder, seed, ref_format):
    """Returns: the path of the repository; its upstream and its second worktree lie beside it."""
    rng = random.Random(seed)
    upstream, path = os.path.join(folder, "upstream"), os.path.join(folder, "main")
    Git(git, folder)("init", "-q", "--bare", "-b", "main", upstream)
    Git(git, upstream)("fast-import", "--quiet", stdin=import_stream(rng, 400))
    # Older gits do not know the option.
    storage = [] if ref_format == "files" else [f"--ref-format={ref_format}"]
    Git(git, folder)("clone", "-q", *storage, upstream, path)
    run = Git(git, path)
    for setting in ("gc.auto=0", "maintenance.auto=false", "core.logAllRefUpdates=true",
                    "fetch.unpackLimit=20"):
        run("config", *setting.split("="))
    run("worktree", "add", "-q", "-b", "side", os.path.join(folder, "side"))
    return path


def edit(folder, rng):
    for _ in range(rng.randrange(1, 4)):
        with open(os.path.join(folder, f"e{rng.randrange(30)}"), "w", encoding="utf-8") as file:
            file.write("".join(f"{rng.random()}\n" for _ in range(rng.randrange(1, 30))))


def work(git, folder, seed, counts, stop):
    """What a user does."""
    campaign.end_with_parent()
    rng = random.Random(seed)
    path, side, upstream = (os.path.join(folder, name) for name in ("main", "side", "upstream"))
    main, other, far = Git(git, path, counts), Git(git, side, counts), Git(git, upstream, counts)

    def commit(run, where, *options):
        edit(where, rng)
        run("add", "-A")
        run("commit", "-q", "--allow-empty", *options, "-m", f"at {rng.random()}")

    def fetch():
        for _ in range(rng.choice((1, 2, 30))):
            tree = far("rev-parse", "main^{tree}")
            new = far("commit-tree", tree, "-p", "main", "-m", f"far {rng.random()}")
            if new:
                far("update-ref", "refs/heads/main", new)
        main("fetch", "-q", "origin")

    def stash():
        edit(path, rng)
        main("stash", "-q", "-u")

    def branch():
        name = f"b{rng.randrange(10)}"
        if rng.randrange(2):
            main("branch", "-q", "-f", name, f"main~{rng.randrange(5)}")
        else:
            main("branch", "-q", "-D", name)

    actions = [(8, lambda: commit(main, path)), (3, lambda: commit(other, side)),
               (2, lambda: commit(main, path, "--amend")), (3, branch), (2, fetch),
               (1, lambda: main("tag", "-f", "-m", "t", f"t{rng.randrange(9)}")),
               (1, lambda: main("reset", "-q", "--hard", "HEAD~1")),
               (1, stash), (1, lambda: main("stash", "drop", "-q"))]
    weights = [weight for weight, _ in actions]
    while not stop.is_set():
        rng.choices(actions, weights)[0][1]()


def maintain(git, folder, seed, counts, stop):
    """What keeps a repository tidy."""
    campaign.end_with_parent()
    rng = random.Random(seed)
    run = Git(git, os.path.join(folder, "main"), counts)
    actions = [
        (3, ["gc", "--quiet"]), (3, ["repack", "-adq"]), (4, ["repack", "-dq"]),
        (2, ["repack", "-adbq"]), (1, ["repack", "-Adq"]), (3, ["prune-packed", "-q"]),
        (1, ["repack", "--geometric=2", "-dq", "--write-midx"]),
        (2, ["pack-refs", "--all", "--prune"]),
        (3, ["commit-graph", "write", "--reachable", "--no-progress"]),
        (3, ["commit-graph", "write", "--reachable", "--split", "--no-progress"]),
        (2, ["commit-graph", "write", "--reachable", "--split=replace", "--changed-paths",
             "--no-progress"]),
        (3, ["multi-pack-index", "write", "--no-progress"]),
        (2, ["multi-pack-index", "write", "--bitmap", "--no-progress"]),
        (2, ["multi-pack-index", "expire", "--no-progress"]),
        (1, ["multi-pack-index", "repack", "--no-progress"]),
        (1, ["reflog", "expire", "--expire=now", "refs/heads/side"]),
        (1, ["worktree", "prune"]),
    ]
    weights = [weight for weight, _ in actions]
    while not stop.is_set():
        run(*rng.choices(actions, weights)[0][1])


def alarms(done):
    """Returns: the lines of a run that say that something is wrong."""
    lines = [line for line in done.stdout.splitlines()
             if not line.startswith(("dangling ", "unreachable "))]
    return lines + done.stderr.splitlines()


def check_all(arguments, folder, tally):
    path = os.path.join(folder, "main")
    is_git = campaign.is_git(arguments.program)
    inconclusive, seconds, kinds = 0, 0.0, collections.Counter()
    for number in range(arguments.runs):
        options = OPTIONS[number % len(OPTIONS)]
        done = campaign.run([arguments.program, "fsck", "--full", "--no-progress", *options],
                            cwd=path, timeout=120)
        seconds += done.seconds
        lines = alarms(done)
        if done.status == INCONCLUSIVE_STATUS and not is_git and \
                all(INCONCLUSIVE in line or line.startswith("error: seen") for line in lines):
            inconclusive += 1
            kinds[lines[0]] += 1
            lines = []
        elif done.status != 0:
            lines.append(f"status {done.status}")
        tally.add(f"run {number} {' '.join(options)}", lines)
    print(f"inconclusive: {inconclusive} of {arguments.runs}, "
          f"{1000 * seconds / max(1, arguments.runs):.0f} ms a run")
    for line, count in kinds.most_common(10):
        print(f"    {count} x {line}")
    tally.check("at most one run in a hundred inconclusive", inconclusive * 100 <= arguments.runs,
                f"{inconclusive} of {arguments.runs}")


def main():
    parser = campaign.argument_parser(__doc__.split("\n", 1)[0])
    parser.add_argument("--runs", type=int, default=30, help="how often to check (default: 30)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ref-format", default="files", choices=("files", "reftable"),
                        help="how refs are stored (reftable: with a --git of 2.45 or later)")
    parser.add_argument("--show", action="store_true", help="say what the loops did")
    arguments = parser.parse_args()
    campaign.require(arguments.program)
    tally = campaign.Tally("beside_git")
    with tempfile.TemporaryDirectory(prefix="assay-beside-git-",
                                     ignore_cleanup_errors=True) as folder, \
            multiprocessing.Manager() as manager:
        path = build(arguments.git, folder, arguments.seed, arguments.ref_format)
        counts, stop = manager.dict(), multiprocessing.Event()
        loops = [multiprocessing.Process(target=loop, daemon=True, args=(
            arguments.git, folder, arguments.seed, counts, stop)) for loop in (work, maintain)]
        for loop in loops:
            loop.start()
        time.sleep(0.5)
        check_all(arguments, folder, tally)
        for loop in loops:
            tally.check("the loop still works", loop.is_alive(), "it has ended")
        stop.set()
        for loop in loops:
            loop.join()
        if arguments.show:
            for name, (done, failed) in sorted(dict(counts).items()):
                print(f"    {done:5} x git {name}, {failed} failed")
        last = campaign.run([arguments.git, "fsck", "--full", "--no-progress"], cwd=path)
        tally.check("sound at the end", last.status == 0, last.stdout + last.stderr)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
