#!/usr/bin/env python3
"""messages.py: every message id, as a fault and as a near miss, at every setting of its severity.

The fixtures are fixtures/scripts/message_objects.py and message_refs.py. The first fault and near miss
of every id run at the default, with --strict, with fsck.<id> as error, warn and ignore, and with --strict
beside fsck.<id>=warn; the others at the default and with --strict. Objects are also packed, and given to
`hash-object`; refs are also given to `refs verify`.

What git 2.55 says to all that is committed, fixtures/verdicts/git-2.55-messages.jsonl, made by
`messages.py --git GIT-2.55 --record`: every line of both streams and the exit status. assay has to say
the same lines, but for differences that docs/differences-from-git.md lists. The installed git is compared
as far as it knows the id.

  messages.py [--only TEXT] [--keep DIR]
"""
import json
import os
import random
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import campaign  # noqa: E402, I001: it makes the modules of fixtures/scripts known
import differences  # noqa: E402
import git_files  # noqa: E402
import message_objects  # noqa: E402
import message_refs  # noqa: E402
from differential import RECORDED_VERSION, explain  # noqa: E402
from fsck_output import Verdict  # noqa: E402
from repository_builder import Builder  # noqa: E402

RECORDED = os.path.join(campaign.ROOT, "fixtures/verdicts/git-2.55-messages.jsonl")
SETTINGS = {"default": ([], []), "strict": ([], ["--strict"]), "error": (["error"], []),
            "warn": (["warn"], []), "ignore": (["ignore"], []), "strict-warn": (["warn"], ["--strict"])}
# What git's parser says of trees even when fsck.badTree is "ignore".
PARSER_LINES = {"error: too-short tree object", "error: malformed mode in tree entry"}
FEW_SETTINGS = ("default", "strict")
FSCK = ("fsck", "--full", "--no-progress")
# What a git says that does not know the id, or the repository.
NOT_KNOWN = ("Unhandled message id", "unknown repository extension")
LONG_AGO = 1500000000


class Bench(Builder):
    """A bare repository with two commits, to which a case adds something."""

    def __init__(self, path):
        super().__init__(path, random.Random("messages"), bare=True)
        self.blob_id = self.blob = self.write("blob", b"a blob\n")
        self.tree = self.write("tree", git_files.tree_body([("100644", "file", self.blob)]))
        self.commit = self.write("commit", self.commit_text(self.tree).encode())
        self.other = self.write("commit", self.commit_text(self.tree, self.commit).encode())
        self.branch("main", self.commit)
        self.branch("other", self.other)

    @staticmethod
    def commit_text(tree, *parents):
        who = message_objects.PERSON
        return (f"tree {tree}\n" + "".join(f"parent {oid}\n" for oid in parents) +
                f"author {who}\ncommitter {who}\n\nassayed\n")

    def add_object(self, case, body, packed):
        """Writes the object and what leads to it from a ref."""
        self.config += case.config
        self.save_config()
        oid = git_files.write_loose(self.objects, case.type, body)
        if packed:
            os.unlink(git_files.loose_path(self.objects, oid))
            writer = git_files.PackWriter()
            writer.add(case.type, body)
            writer.write(self.objects)
        if case.file:
            oid = self.write("tree", git_files.tree_body([("100644", case.file, oid)]))
        if case.file or case.type == "tree":
            oid = self.write("commit", self.commit_text(oid).encode())
        self.put("refs/tags/case" if case.type == "tag" else "refs/heads/case", oid + "\n")

    def age(self):
        """Fresh files make assay look twice, in case another git is at work."""
        for folder, _, files in os.walk(self.path, topdown=False):
            for name in [*files, "."]:
                os.utime(os.path.join(folder, name), (LONG_AGO, LONG_AGO), follow_symlinks=False)


def spell(text, folder):
    """Without what differs from run to run, by the version of zlib, and by the ways that
    docs/differences-from-git.md tells of in its last section."""
    text = re.sub(r"pack-[0-9a-f]{40}", "PACK", text.replace(folder, "FOLDER"))
    text = re.sub("^fatal: (?=(unexpected|unterminated) line in |packed refname )", "error: ", text,
                  flags=re.M)
    return re.sub("[\0-\x08\x0b-\x1f\x7f]", "?", text)


class Answer:
    """What a program said: status, both streams as sorted lines without hints, each line once: git
    repeats what its parser says as often as it parses."""

    def __init__(self, status, stdout, stderr):
        self.status, self.stdout, self.stderr = status, stdout, stderr

    @staticmethod
    def of(done, folder):
        def lines(text):
            return sorted({line for line in spell(text, folder).splitlines() if line[:5] != "hint:"})
        return Answer(done.status, lines(done.stdout), lines(done.stderr))

    def verdict(self):
        return Verdict(self.status, "".join(line + "\n" for line in self.stdout),
                       "".join(line + "\n" for line in self.stderr))

    def crashed(self):
        return self.status is None or self.status < 0 or \
            any(" died of signal " in line for line in self.stderr)

    def data(self):
        return [self.status, self.stdout, self.stderr]


class Task:
    """One fixture. full: the first of its id, which runs at every setting."""

    def __init__(self, key, about_object, near, full):
        self.message, self.name = key
        self.about_object, self.near, self.full = about_object, near, full
        self.case = (message_objects if about_object else message_refs).CASES[key]
        self.label = f"{self.message}/{self.name}{' near miss' if near else ''}"


def all_tasks():
    tasks, met = [], set()
    for cases, about_object in ((message_objects.CASES, True), (message_refs.CASES, False)):
        for key in cases:
            full = key[0] not in met
            met.add(key[0])
            tasks += [(key, about_object, near, full) for near in (False, True)]
    return tasks


def runs_of(about_object, full):
    """Yields (name of the run, place, setting, command); place: "loose" or "packed"."""
    for setting in SETTINGS if full else FEW_SETTINGS:
        yield f"fsck {setting}", "loose", setting, FSCK
        if not about_object:
            yield f"refs {setting}", "loose", setting, ("refs", "verify")
    if about_object:
        for setting in FEW_SETTINGS if full else ("default",):
            yield f"packed {setting}", "packed", setting, FSCK
        yield "hash-object", "loose", "default", ("hash-object", "--stdin", "-t")


def build(folder, task):
    """Returns: {place: path of a repository}, and the path of the body of the object or None."""
    paths, body = {}, None
    for place in ("loose", "packed") if task.about_object and task.case.type != "blub" else ("loose",):
        bench = Bench(os.path.join(folder, place))
        made = (task.case.near if task.near else task.case.fault)(bench)
        if task.about_object:
            bench.add_object(task.case, made, place == "packed")
            body = os.path.join(folder, "body")
            git_files.write_file(body, made)
        bench.age()
        paths[place] = bench.path
    return paths, body


def answer(program, run, task, paths, body):
    """Returns: what the program says, or None when the run does not apply."""
    _, place, setting, command = run
    if place not in paths:
        return None
    config, options = SETTINGS[setting]
    settings = [word for value in config for word in ("-c", f"fsck.{task.message}={value}")]
    command = [*command, *options]
    if command[0] == "hash-object":
        command.append(task.case.type)
    done = campaign.run_quick([program, *settings, *command], cwd=paths[place], stdin=body)
    return Answer.of(done, paths[place])


def differing_lines(theirs, ours):
    return set(theirs.stdout + theirs.stderr) ^ set(ours.stdout + ours.stderr)


def compare(theirs, ours, who, version, options):
    """Returns: problems, names of the rows used, whether all lines are equal."""
    if theirs.data() == ours.data():
        return [], [], True
    if theirs.crashed() and not ours.crashed():
        return [], ["git-crashes"], False
    if differing_lines(theirs, ours) <= PARSER_LINES and theirs.status == ours.status:
        return [], ["parser-lines"], False
    context = {"version": version, "options": options, "damage": ["message"]}
    problems, rows = explain(theirs.verdict(), ours.verdict(), context, who)
    if not rows or problems:
        problems += [f"only {side}: {line}"
                     for side, a, b in ((who, theirs, ours), ("assay", ours, theirs))
                     for line in [f"status {a.status}"] * (a.status != b.status) +
                     sorted(differing_lines(a, b) & set(a.stdout + a.stderr))]
        problems = problems or ["the same lines on other streams"]
    return problems, rows, False


def knows(git, message, path):
    """Whether that git knows the id, and the kind of repository."""
    done = campaign.run_quick([git, "-c", f"fsck.{message}=error", *FSCK], cwd=path)
    return not any(words in done.stderr for words in NOT_KNOWN)


def one(work):
    """Returns: (label, problems, rows used, runs, equal runs, record)."""
    identity, options, expected = work
    task = Task(*identity)
    folder = tempfile.mkdtemp(prefix="assay-message-")
    problems, used, total, equal, record = [], [], 0, 0, {}
    try:
        paths, body = build(folder, task)
        known = options.installed and not task.near and knows(options.git, task.message,
                                                              paths["loose"])
        for run in runs_of(task.about_object, task.full):
            if options.record:
                theirs = answer(options.git, run, task, paths, body)
                if theirs:
                    record[run[0]] = theirs.data()
                continue
            ours = answer(options.program, run, task, paths, body)
            if ours is None:
                continue
            total += 1
            if run[0] not in expected:
                problems.append(f"{run[0]}: not recorded")
                continue
            arguments = SETTINGS[run[2]][1]
            found, rows, same = compare(Answer(*expected[run[0]]), ours, "git-2.55",
                                        RECORDED_VERSION, arguments)
            equal += same
            if known and run[0] in ("fsck default", "fsck strict"):
                theirs = answer(options.git, run, task, paths, body)
                more = explain(theirs.verdict(), ours.verdict(), {
                    "version": options.version, "options": arguments, "damage": ["message"]}, "git")
                found, rows = found + more[0], rows + more[1]
            problems += [f"{run[0]}: {text}" for text in found]
            used += rows
        if problems and options.keep:
            target = os.path.join(options.keep, task.label.replace("/", "-").replace(" ", "-"))
            shutil.rmtree(target, ignore_errors=True)
            shutil.move(folder, target)
            problems.append(f"kept in {target}")
        return task.label, problems, used, total, equal, record
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def encode(record):
    """Runs with the same answer stand together."""
    groups = {}
    for run, data in record.items():
        groups.setdefault(json.dumps(data), []).append(run)
    return [{"runs": runs, "status": data[0], "stdout": data[1], "stderr": data[2]}
            for data, runs in ((json.loads(text), runs) for text, runs in groups.items())]


def decode(answers):
    return {run: [item["status"], item["stdout"], item["stderr"]]
            for item in answers for run in item["runs"]}


def save(options, tasks):
    if campaign.git_version(options.git)[:2] != RECORDED_VERSION[:2]:
        sys.exit(f"to record, name a git {RECORDED_VERSION[0]}.{RECORDED_VERSION[1]} with --git")
    with open(RECORDED, "w", encoding="utf-8") as file:
        for label, _, _, _, _, record in campaign.parallel(one, tasks, options.jobs):
            file.write(json.dumps({"case": label, "answers": encode(record)},
                                  separators=(",", ":")) + "\n")
    return 0


def main():
    parser = campaign.argument_parser(__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--record", action="store_true", help="write the verdicts of --git as data")
    options = parser.parse_args()
    options.version = campaign.git_version(options.git)
    options.installed = options.version[:2] < RECORDED_VERSION[:2]
    expected = {}
    if not options.record:
        campaign.require(options.program)
        with open(RECORDED, encoding="utf-8") as file:
            expected = {item["case"]: decode(item["answers"]) for item in map(json.loads, file)}
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        options.keep = os.path.realpath(options.keep)
    tasks = [(identity, options, expected.get(Task(*identity).label, {}))
             for identity in all_tasks() if options.only in Task(*identity).label]
    if options.record:
        return save(options, tasks)
    tally = campaign.Tally("messages")
    used, total, equal = {}, 0, 0
    for label, problems, rows, runs, same, _ in campaign.parallel(one, tasks, options.jobs):
        tally.add(label, problems)
        total, equal = total + runs, equal + same
        for row in rows:
            used[row] = used.get(row, 0) + 1
    print(f"{len({task[0][0][0] for task in tasks})} ids, {len(tasks)} fixtures, {total} runs: {equal} "
          "equal to git 2.55 in every line")
    print("known differences met: " + (", ".join(f"{n} {t}x" for n, t in sorted(used.items()))
                                       or "none"))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
