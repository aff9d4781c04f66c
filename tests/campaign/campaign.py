"""What the campaigns share: finding the programs, running them with limits, counting."""
import argparse
import concurrent.futures
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "fixtures", "scripts"))
from repository_builder import git_environment  # noqa: E402


def argument_parser(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--program", default=os.path.join(ROOT, "build/test/assay"),
                        help="the assay to test (default: build/test/assay)")
    parser.add_argument("--git", default="git", help="the git to compare with")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", metavar="DIR", help="keep what failed in this folder")
    return parser


class Run:
    """One finished process: status (negative: signal, None: too slow), output, peak memory."""

    def __init__(self, status, stdout, stderr, peak_kib, seconds):
        self.status, self.stdout, self.stderr = status, stdout, stderr
        self.peak_kib, self.seconds = peak_kib, seconds


def run(command, cwd=None, timeout=30, env=None, stdin=None, address_space=None):
    """Runs a command; never waits longer than `timeout` seconds, nor for its children's pipes."""
    def limit():
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    with out, err:
        started = time.monotonic()
        process = subprocess.Popen(command, cwd=cwd, env=git_environment(env), stdout=out,
                                   stderr=err, stdin=stdin or subprocess.DEVNULL,
                                   preexec_fn=limit, start_new_session=True)
        deadline, status, usage = started + timeout, None, None
        pause = 0.001
        while True:
            pid, wait_status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                status = os.waitstatus_to_exitcode(wait_status)
                break
            if time.monotonic() > deadline:
                # Only this run's own session: whatever the program may have started.
                os.killpg(process.pid, signal.SIGKILL)
                _, _, usage = os.wait4(process.pid, 0)
                break
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
        process.returncode = status if status is not None else -signal.SIGKILL
        seconds = time.monotonic() - started
        out.seek(0)
        err.seek(0)
        return Run(status, out.read().decode("utf-8", "replace"),
                   err.read().decode("utf-8", "replace"), usage.ru_maxrss, seconds)


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


def parallel(function, items, jobs):
    """Calls function(item) in `jobs` processes. Yields results in the order of the items."""
    if jobs <= 1:
        yield from map(function, items)
        return
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
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
