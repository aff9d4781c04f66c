#!/usr/bin/env python3
"""differential.py: `assay fsck` against an installed `git fsck` on seeded repositories.

Builds small repositories (fixtures/scripts/make_repository.py), sound ones first, one per shape,
then damaged ones, every kind of damage in turn (damage.py), runs both programs and compares the
exit bits and the sets of (kind, object). What differs must match a row of
docs/differences-from-git.md. Some run with options. The verdict must not depend on -j.

The git that assay follows is rarely installed, so its verdicts are committed as data and compared
as well: fixtures/verdicts/git-2.55.jsonl, made by `differential.py --git GIT-2.55 --record`. Where
another zlib or git made other compressed bytes than when recording, the recorded verdict does not
apply; such cases are counted.

A failure is reproduced with `differential.py --only N --keep DIR`.
"""
import glob
import hashlib
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import campaign  # noqa: E402
import damage as damages  # noqa: E402
import differences  # noqa: E402
from fsck_output import Verdict  # noqa: E402
from make_repository import SHAPES, make_repository, remove_repository  # noqa: E402

# Every fourth repository runs with one of these; all others with none.
OPTIONS = [["--strict"], ["--unreachable"], ["--root", "--tags"], ["--no-dangling"],
           ["--no-reflogs"], ["--connectivity-only"], ["--no-full"], ["--cache"],
           ["--strict", "--unreachable"]]


def plan(count, base):
    """Yields (number, shapes to try, kind of damage or None, options)."""
    shapes, kinds = sorted(SHAPES), sorted(damages.KINDS)
    for i in range(count):
        number = base + i
        options = OPTIONS[(i // 4) % len(OPTIONS)] if i % 4 == 3 else []
        if i < len(shapes):
            yield number, [shapes[i]], None, []
            continue
        # Steps that share no factor with the number of kinds: every kind comes, in mixed order.
        step = next(s for s in (71, 73, 79) if len(kinds) % s)
        kind = kinds[(i * step + base) % len(kinds)]
        fitting = damages.shapes_for(kind) or shapes
        tries = [fitting[(number + t * 5) % len(fitting)] for t in range(12)]
        yield number, tries, kind, options


def build(path, number, tries, kind):
    """Returns: (shape, what was done), or (None, reason)."""
    reason = ""
    for attempt, shape in enumerate(tries):
        remove_repository(path)
        make_repository(path, number + 100000 * attempt, shape)
        if kind is None:
            return shape, "nothing"
        try:
            return shape, damages.damage(path, kind, number)
        except damages.NotApplicable as why:
            reason = str(why)
    return None, reason


def fsck(program, path, options, threads=None):
    jobs = ["-j", str(threads)] if threads else []
    done = campaign.run([program, "fsck", "--full", "--no-progress", *options, *jobs], cwd=path)
    return done, Verdict(done.status, done.stdout, done.stderr)


RECORDED = os.path.join(campaign.ROOT, "fixtures/verdicts/git-2.55.jsonl")
RECORDED_VERSION = (2, 55, 0)


def fingerprint(path):
    """Of all object files of the repository and its neighbours, as they were when built."""
    digest = hashlib.sha1()
    parent, name = os.path.split(path)
    for neighbour in sorted(n for n in os.listdir(parent) if n.startswith(name)):
        for folder, folders, files in os.walk(os.path.join(parent, neighbour)):
            folders.sort()
            if "/objects" in folder:
                for file in sorted(files):
                    if file != "alternates":
                        full = os.path.join(folder, file)
                        with open(full, "rb") as data:
                            digest.update(os.path.relpath(full, parent).encode() + data.read())
    return digest.hexdigest()


def other_indexes(path):
    """Returns: the contents of the index files of linked worktrees."""
    contents = []
    for index in glob.glob(os.path.join(glob.escape(path), ".git/worktrees/*/index")):
        with open(index, "rb") as file:
            contents.append(file.read())
    return contents


class Recorded:
    """A verdict from the data, with what differences.compare asks of one."""

    crashed = False
    fatal = None  # is not recorded

    def __init__(self, record):
        self.status = record["status"]
        self.findings = {(kind, subject) for kind, subject in record["findings"]}
        self.died = self.status == 128


def explain(theirs, ours, context, who):
    """Returns: (problems, names of the rows used)."""
    rows = differences.read_rows()
    left = differences.unexplained(differences.compare(theirs, ours), rows,
                                   dict(context, died=theirs.died, fatal=theirs.fatal is not None,
                                        git=theirs.findings, assay=ours.findings), ours)
    problems = [f"only {who if side == 'git' else side} says: {what} {subject}"
                for side, what, subject in left]
    if problems:
        problems.append(f"{who}: {theirs.status}, assay: {ours.status}")
    return problems, [row.name for row in rows for _ in range(row.used)]


def one(task):
    """Returns: (case, problems, rows used, record or None, whether a record was compared)."""
    (number, tries, kind, options), program, git, version, stand_in, keep, expected = task
    folder = tempfile.mkdtemp(prefix="assay-differential-")
    path = os.path.join(folder, f"r{number}")
    try:
        shape, done = build(path, number, tries, kind)
        case = f"{number}: {shape}, {kind or 'sound'} ({done})" + \
            (f" {' '.join(options)}" if options else "")
        if shape is None:
            return case, ["no shape fits this kind of damage"], [], None, False
        made = fingerprint(path)
        _, theirs = fsck(git, path, options)
        if theirs.crashed:
            return case, [f"git itself: status {theirs.status}"], [], None, False
        if program is None:
            return case, [], [], {
                "number": number, "kind": kind, "options": options, "made": made,
                "status": theirs.status, "findings": sorted(theirs.findings)}, False
        output, ours = fsck(program, path, options)
        context = {"version": version, "options": options, "other_indexes": other_indexes(path),
                   "damage": [kind or "sound"] + [part.split(":")[0] for part in done.split("; ")]}
        problems, used = explain(theirs, ours, context, "git")
        compared = expected is not None and expected["made"] == made and \
            expected["kind"] == kind and expected["options"] == options
        if compared:
            more, rows = explain(Recorded(expected), ours,
                                 dict(context, version=RECORDED_VERSION), "git-2.55")
            problems += more
            used += rows
        if ours.crashed:
            problems.append(f"status {output.status} (negative: signal, None: took too long)")
        if not stand_in and number % 5 == 0:
            first, second = (fsck(program, path, options, threads)[0] for threads in (1, 8))
            if (first.stdout, first.stderr, first.status) != \
                    (second.stdout, second.stderr, second.status):
                problems.append("the output depends on -j")
        if problems and keep:
            target = os.path.join(keep, f"r{number}")
            remove_repository(target)
            for name in os.listdir(folder):
                shutil.move(os.path.join(folder, name), os.path.join(keep, name))
            problems.append(f"kept in {target}")
        return case, problems, used, None, compared
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def record(options, tasks):
    if campaign.git_version(options.git)[:2] != RECORDED_VERSION[:2]:
        sys.exit(f"to record, name a git {RECORDED_VERSION[0]}.{RECORDED_VERSION[1]} with --git")
    os.makedirs(os.path.dirname(RECORDED), exist_ok=True)
    with open(RECORDED, "w", encoding="utf-8") as file:
        for _, _, _, made, _ in campaign.parallel(one, tasks, options.jobs):
            if made:
                file.write(json.dumps(made, separators=(",", ":")) + "\n")
    return 0


def main():
    parser = campaign.argument_parser(__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=330, help="repositories (default 330)")
    parser.add_argument("--base", type=int, default=0, help="the first seed")
    parser.add_argument("--only", type=int, help="just this number")
    parser.add_argument("--record", action="store_true", help="write the verdicts of --git as data")
    options = parser.parse_args()
    if options.record:
        options.program = None
    else:
        campaign.require(options.program)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        options.keep = os.path.realpath(options.keep)
    expected = {}
    if os.path.exists(RECORDED) and not options.record:
        with open(RECORDED, encoding="utf-8") as file:
            expected = {item["number"]: item for item in map(json.loads, file)}
    version = campaign.git_version(options.git)
    stand_in = options.record or campaign.is_git(options.program)
    tasks = [(step, options.program, options.git, version, stand_in, options.keep,
              expected.get(step[0]))
             for step in plan(options.count, options.base)
             if options.only is None or step[0] == options.only]
    if options.record:
        return record(options, tasks)
    tally = campaign.Tally("differential")
    used, kinds, shapes, compared = {}, set(), set(), 0
    for case, problems, rows, _, was_compared in campaign.parallel(one, tasks, options.jobs):
        tally.add(case, problems)
        kinds.add(case.split(", ")[1].split(" ")[0])
        shapes.add(case.split(": ")[1].split(",")[0])
        compared += was_compared
        for name in rows:
            used[name] = used.get(name, 0) + 1
    recorded = sum(1 for task in tasks if task[-1])
    print(f"{len(tasks)} repositories, {len(shapes)} shapes, {len(kinds - {'sound'})} kinds of "
          f"damage, against git {'.'.join(map(str, version))}; {compared} of {recorded} recorded "
          "verdicts apply")
    print("known differences met: " + (", ".join(f"{n} {t}x" for n, t in sorted(used.items()))
                                       or "none"))
    idle = [row.name for row in differences.read_rows() if row.name not in used]
    if idle and len(tasks) >= 300:
        print("rows that were not needed: " + ", ".join(idle))
    if recorded and not compared:
        tally.add("recorded verdicts", ["none applies here: record them anew"])
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
