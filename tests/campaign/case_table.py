"""The table of cases.py, and what a case is made of."""
import os
import random
import shutil

import campaign
import git_files
from repository_builder import Builder

SLACK_MIB = 64
ADDRESS_SPACE = 4 << 30  # a run that needs more is stopped by the system, for the machine's sake
DEFAULT_BUDGET_MIB = 64
CASES = {}


def any_error(status):
    """not 0"""
    return status != 0 and status < 256


def witness_only(status):
    """1: only the witness, or what is a warning"""
    return status == 1


def fatal(status):
    """128: git dies here"""
    return status == 128


class Case:
    """What a build function returns: where to run, and what is expected.

    mentions, never  regular expressions over stdout and stderr
    as_nobody        run as the user nobody, who owns the repository then: chmod proves nothing to root
    """

    def __init__(self, repository, status=any_error, mentions=(), never=(),
                 budget_mib=DEFAULT_BUDGET_MIB, witness=None, as_nobody=False):
        self.repository, self.status, self.budget_mib = repository, status, budget_mib
        self.mentions, self.never = list(mentions), list(never)
        if witness:
            self.mentions.append(rf"error in commit {witness}: badTimezone")
        self.as_nobody = as_nobody
        self.sanitizer = False  # the program is built with one: its memory tells nothing
        self.run_repeatedly = None  # function(program, time limit) -> runs
        self.summary = None         # function(runs) -> problems over all runs

    def run(self, program, arguments, timeout):
        command = [program, *arguments]
        if self.as_nobody and os.geteuid() == 0:
            # The program may lie where nobody may not look.
            copy = os.path.join(os.path.dirname(self.repository), "program")
            shutil.copy(program, copy)
            for path, folders, files in os.walk(self.repository):
                for name in [".", *folders, *files]:
                    os.chown(os.path.join(path, name), 65534, 65534, follow_symlinks=False)
            os.chmod(copy, 0o755)
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", copy,
                       *arguments]
        return campaign.run(command, cwd=self.repository, timeout=timeout,
                            address_space=None if self.sanitizer else ADDRESS_SPACE)


class Entry:
    def __init__(self, build):
        self.build = build


def case(function):
    """Adds function(folder) -> Case to the table under its own name."""
    CASES[function.__name__.replace("_", "-")] = Entry(function)
    return function


class Sample(Builder):
    """A bare repository with three commits and the witness."""

    def __init__(self, folder, packed=False):
        super().__init__(os.path.join(folder, "repository"), random.Random("cases"), bare=True)
        self.history(3, paths=("a.txt", "dir/b.txt"))
        self.branch("main", self.commits[-1])
        if packed:
            self.pack()
            self.stem = next(os.path.join(self.objects, "pack", name[:-5])
                             for name in sorted(os.listdir(os.path.join(self.objects, "pack")))
                             if name.endswith(".pack"))
        tree = self.write("tree", b"")
        who = "Ada Probe <ada@example.org> 1600000000"
        self.witness = git_files.write_loose(
            self.objects, "commit",
            f"tree {tree}\nauthor {who} +0000\ncommitter {who} 0\n\nwitness\n".encode())
        self.branch("witness", self.witness)

    def case(self, **expected):
        return Case(self.path, witness=self.witness, **expected)

    def victim(self):
        """A loose blob that is needed: (id, path)."""
        oid = self.files["a.txt"][1]
        return oid, git_files.loose_path(self.objects, oid)
