#!/usr/bin/env python3
"""counters.py: what `assay fsck --stats` says it did is what there was to do.

Over sound repositories of every shape: the numbers of objects, of their bytes and of hashed bytes
(with headers) are the sums over all copies that lie in the object directories, which for repositories that store each object
once are the sums of `git cat-file --batch-all-objects --batch-check`. The same for -j 1, 2 and 8.
"""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import campaign  # noqa: E402, I001: it makes the modules of fixtures/scripts known
import git_files  # noqa: E402
from make_repository import SHAPES, make_repository, remove_repository  # noqa: E402

LINE = re.compile(r"SHA-1 +[\d.]+ ?% of CPU time .*?(\d+) objects")
TABLE = re.compile(r"^objects (\d+), bytes (\d+), hashed bytes (\d+), ", re.MULTILINE)


def object_directories(git_dir):
    """The repository's own and all alternates, each once."""
    found, waiting = [], [os.path.join(git_dir, "objects")]
    while waiting:
        path = os.path.realpath(waiting.pop(0))
        if path in found or not os.path.isdir(path):
            continue
        found.append(path)
        file = os.path.join(path, "info/alternates")
        if os.path.exists(file):
            for line in git_files.read_file(file).decode().splitlines():
                line = line.strip('"')
                if line and not line.startswith("#"):
                    waiting.append(os.path.join(path, line))
    return found


def copies(git_dir):
    """The id of every copy of every object."""
    ids = []
    for objects in object_directories(git_dir):
        for name in os.listdir(objects):
            if re.fullmatch("[0-9a-f]{2}", name):
                ids += [name + rest for rest in os.listdir(os.path.join(objects, name))]
        pack = os.path.join(objects, "pack")
        for name in os.listdir(pack) if os.path.isdir(pack) else ():
            if name.endswith(".idx"):
                ids += [oid for oid, _, _ in git_files.read_index(os.path.join(pack, name))[1]]
    return ids


def one(task):
    shape, seed, program, git = task
    with tempfile.TemporaryDirectory(prefix="assay-counters-") as folder:
        path = os.path.join(folder, "r")
        make_repository(path, seed, shape)
        git_dir = path if shape == "bare" else os.path.join(path, ".git")
        listing = campaign.run([git, "-C", path, "cat-file", "--batch-all-objects",
                                "--batch-check"]).stdout.splitlines()
        size_of = {line.split()[0]: int(line.split()[2]) for line in listing}
        ids = copies(git_dir)
        headers = {line.split()[0]: len(" ".join(line.split()[1:])) + 1 for line in listing}
        expected = (len(ids), sum(size_of[oid] for oid in ids),
                    sum(size_of[oid] + headers[oid] for oid in ids))
        problems = []
        if set(ids) != set(size_of):
            problems.append("git lists other objects than the files hold: the fixture is wrong")
        if shape in ("loose", "packed", "mixed") and len(ids) != len(size_of):
            problems.append("an object is stored twice: the fixture is wrong")
        for threads in (1, 2, 8):
            done = campaign.run([program, "fsck", "--full", "--no-progress", "--stats",
                                 "--profile", "-j", str(threads)], cwd=path)
            line, table = LINE.search(done.stderr), TABLE.search(done.stderr)
            if not line or not table:
                problems.append(f"-j {threads}: no statistics: {done.stderr[-200:]}")
                continue
            counted = tuple(map(int, table.groups()))
            if counted != expected or int(line[1]) != expected[0]:
                problems.append(f"-j {threads}: objects, bytes, hashed bytes {counted}, expected "
                                f"{expected}; {line[0]}")
        remove_repository(path)
        return f"{shape} {seed}", problems


def main():
    parser = campaign.argument_parser(__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=2, help="repositories a shape (default 2)")
    options = parser.parse_args()
    campaign.require(options.program)
    tally = campaign.Tally("counters")
    tasks = [(shape, seed, options.program, options.git)
             for shape in sorted(SHAPES) for seed in range(options.seeds)]
    for name, problems in campaign.parallel(one, tasks, options.jobs):
        tally.add(name, problems)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
