"""What the campaigns share: finding the programs, running them with limits, counting."""
import argparse
import concurrent.futures
import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "fixtures", "scripts"))
from repository_builder import git_environment  # noqa: E402


def program_path(text):
    """Each run has a folder of its own, so a relative path would mean another file there."""
    return os.path.realpath(text) if "/" in text else text


def argument_parser(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--program", type=program_path,
                        default=os.path.join(ROOT, "build/test/assay"),
                        help="the assay to test (default: build/test/assay)")
    parser.add_argument("--git", type=program_path, default="git", help="the git to compare with")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", metavar="DIR", help="keep what failed in this folder")
    return parser


SANITIZER = re.compile(rb"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|: runtime error: ")


class Run:
    """One finished process: status (negative: signal, None: too slow), output, peak memory."""

    def __init__(self, status, stdout, stderr, peak_kib, seconds):
        self.status, self.stdout, self.stderr = status, stdout, stderr
        self.peak_kib, self.seconds = peak_kib, seconds


_launchers = {}  # process id -> the launcher that this process started


def launcher():
    """The helper process that runs the commands; see launcher.py for why."""
    if os.getpid() not in _launchers:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launcher.py")
        _launchers[os.getpid()] = subprocess.Popen(
            [sys.executable, "-S", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return _launchers[os.getpid()]


def run(command, cwd=None, timeout=30, env=None, stdin=None, address_space=None):
    """Runs a command, with git_environment() and `env` as environment, for `timeout` seconds at
    most. `stdin` is a path; without one, standard input is empty."""
    with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
        helper = launcher()
        helper.stdin.write(json.dumps({
            "command": command, "cwd": cwd, "timeout": timeout, "env": git_environment(env),
            "stdin": stdin, "stdout": out.name, "stderr": err.name,
            "address_space": address_space}) + "\n")
        helper.stdin.flush()
        answer = json.loads(helper.stdout.readline())
        if SANITIZER.search(err.read()):
            answer["status"] = -6  # a program built with a sanitizer that met a fault: it crashed
        err.seek(0)
        return Run(answer["status"], out.read().decode("utf-8", "replace"),
                   err.read().decode("utf-8", "replace"), answer["peak_kib"], answer["seconds"])


def run_quick(command, cwd=None, timeout=30, stdin=None):
    """As run(), in half the time, but without the peak memory (0)."""
    started = time.monotonic()
    with open(stdin or os.devnull, "rb") as data:
        try:
            done = subprocess.run(command, cwd=cwd, env=git_environment(), stdin=data, timeout=timeout,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except subprocess.TimeoutExpired as late:
            return Run(None, (late.stdout or b"").decode("utf-8", "replace"),
                       (late.stderr or b"").decode("utf-8", "replace"), 0, timeout)
    status = -6 if SANITIZER.search(done.stderr) else done.returncode
    return Run(status, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"),
               0, time.monotonic() - started)


def git_version(git):
    """Returns: (2, 39, 5) and the like."""
    text = run([git, "--version"]).stdout
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def is_git(program):
    return "git version" in run([program, "--version"]).stdout


def require(program):
    """Ends the campaign when there is nothing to test: a campaign is never skipped silently."""
    if run([program, "--version"]).status != 0:
        sys.exit(f"{program} does not run: build it, or name it with --program")


def end_with_parent():
    """A worker whose campaign was killed would wait for work for ever."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def parallel(function, items, jobs):
    """Calls function(item) in `jobs` processes. Yields results in the order of the items."""
    if jobs <= 1:
        yield from map(function, items)
        return
    with concurrent.futures.ProcessPoolExecutor(jobs, initializer=end_with_parent) as pool:
        yield from pool.map(function, items, chunksize=1)


class Tally:
    """Counts cases; prints those that failed; says the last line and the exit status."""

    def __init__(self, name):
        self.name, self.passed, self.failed, self.started = name, 0, 0, time.monotonic()

    def add(self, case, problems):
        if problems:
            self.failed += 1
            print(f"FAILED {case}")
            for problem in problems:
                print(f"    {problem}")
        else:
            self.passed += 1

    def check(self, case, good, problem=""):
        self.add(case, [] if good else [problem or "not so"])

    def finish(self):
        print(f"{self.name}: {self.passed} passed, {self.failed} failed "
              f"({time.monotonic() - self.started:.0f} s)")
        return 1 if self.failed or not self.passed else 0
