"""The rows of docs/differences-from-git.md: which differences between the outputs are known.

A difference is (side, kind, subject): `side` alone reports it, "git" or "assay". The exit status
is compared bit by bit: kind "exit", subject the bit, or "dies" for 128 where git dies.
"""
import fnmatch
import os
import re

from campaign import ROOT

PAGE = os.path.join(ROOT, "docs/differences-from-git.md")
CLASSES = ("version", "words", "more", "later")


class Row:
    def __init__(self, name, side, finding, when, klass):
        self.name, self.side, self.when, self.klass = name, side, when, klass
        self.kind, _, self.subject = finding.partition(" ")
        self.used = 0

    def covers(self, difference, context):
        side, kind, subject = difference
        context = dict(context, subject=subject.split(" ")[-1])
        if kind == "exit" and self.kind != "exit":
            return False  # what the exit status says is never excused by the way
        return (side == self.side and fnmatch.fnmatchcase(kind, self.kind) and
                fnmatch.fnmatchcase(subject, self.subject or "*") and
                all(holds(condition.strip(), context) for condition in self.when.split(";")))


def holds(condition, context):
    """context: version of git as a tuple, kinds of damage, options, findings, whether git died and
    whether a program died that git runs; the index files of other worktrees, and the id that the
    finding is about."""
    if condition == "always":
        return True
    match = re.fullmatch(r"git (<|>=) ([\d.]+)", condition)
    if match:
        limit = tuple(int(part) for part in match[2].split("."))
        return (context["version"] < limit) == (match[1] == "<")
    match = re.fullmatch(r"damage (\S+)", condition)
    if match:
        return any(fnmatch.fnmatchcase(kind, match[1]) for kind in context["damage"])
    match = re.fullmatch(r"option (\S+)", condition)
    if match:
        return match[1] in context["options"]
    match = re.fullmatch(r"git says (\w+)", condition)
    if match:
        return any(kind == match[1] for kind, _ in context["git"])
    match = re.fullmatch(r"assay says (\w+)", condition)
    if match:
        return any(kind == match[1] for kind, _ in context["assay"])
    if condition == "in another index":
        return is_in_another_index(context["subject"], context)
    if condition == "git dies":
        return context["died"]
    if condition == "git's child dies":
        return context["fatal"] and not context["died"]
    raise SystemExit(f"differences-from-git.md: no such condition: {condition}")


def is_in_another_index(subject, context):
    """Index files name objects by their bytes, in entries and in the cache of trees."""
    if not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", subject):
        return False
    return any(bytes.fromhex(subject) in index for index in context.get("other_indexes", ()))


def read_rows(page=PAGE):
    rows, problems = [], []
    with open(page, encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if len(cells) != 6 or not re.fullmatch(r"`[\w-]+`", cells[0]):
                continue
            name, side, finding, when, klass, reason = [cell.replace("`", "") for cell in cells]
            if side not in ("git", "assay") or klass not in CLASSES or not reason:
                problems.append(f"row {name}: side, class or reason is not right")
            if side == "git" and klass == "more":
                problems.append(f"row {name}: what git finds and we do not is never `more`")
            if any(row.name == name for row in rows):
                problems.append(f"row {name} stands twice")
            rows.append(Row(name, side, finding, when, klass))
    if problems:
        raise SystemExit("differences-from-git.md: " + "; ".join(problems))
    return rows


def compare(git, assay):
    """Returns: the set of differences between two Verdicts."""
    found = {("git", *finding) for finding in git.findings - assay.findings}
    found |= {("assay", *finding) for finding in assay.findings - git.findings}
    if git.died or assay.died:
        if git.died != assay.died:
            found.add(("git" if git.died else "assay", "exit", "dies"))
    elif not assay.crashed and not git.crashed:
        for bit in (1, 2, 4, 8, 16, 32, 64):
            if (git.status ^ assay.status) & bit:
                found.add(("git" if git.status & bit else "assay", "exit", str(bit)))
    return found


def unexplained(differences, rows, context, assay):
    """Returns: differences that no row covers; counts the use of those that do.

    A row of class words or version excuses what only git says only when assay says something
    about the same subject, or a finding of the kind that the row names (`git says KIND`,
    `assay says KIND`): such a row is about names, not about faults that are overlooked. What
    dangles for git alone is none if an index file holds it (`in another index`).
    """
    subjects = {subject.split(" ")[-1] for _, subject in assay.findings}
    kinds = {kind for kind, _ in assay.findings}
    left = []
    for difference in sorted(differences):
        for row in rows:
            if not row.covers(difference, context):
                continue
            side, kind, subject = difference
            held = kind == "dangling" and "in another index" in row.when
            named = re.search(r"says (\w+)", row.when)
            if side == "git" and row.klass in ("words", "version") and kind != "exit" and not held and \
                    subject.split(" ")[-1] not in subjects and not (named and named[1] in kinds):
                continue
            row.used += 1
            break
        else:
            left.append(difference)
    return left
