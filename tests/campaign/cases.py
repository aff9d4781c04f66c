#!/usr/bin/env python3
"""cases.py: bad input, one case each: what lies where an object should lie, sizes that cannot be,
deltas that never end, indexes that lie, files that change under the reader.

Each case runs `assay fsck` on a small repository that also holds a witness: a commit with a bad
time zone, which must still be reported, so the rest was still checked. Every case says its exit
status, what must be named, and runs with a limit of time, of memory (the budget given by --memory
plus 64 MiB) and must not die by a signal.

  cases.py [--only TEXT] [--list] [--sanitizer]
"""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import campaign  # noqa: E402, I001: it makes the modules of fixtures/scripts known
import bad_files  # noqa: E402
import bad_packs  # noqa: E402, F401: its cases enter the table
from case_table import CASES, SLACK_MIB  # noqa: E402

TIME_LIMIT = 20  # seconds


def judge(case, done, budget_mib):
    """Returns: problems."""
    said = done.stdout + done.stderr
    problems = []
    if done.status is None:
        return ["took too long"]
    if done.status < 0:
        return [f"died by signal {-done.status}", said[-300:]]
    if not case.status(done.status):
        problems.append(f"exit status {done.status}, expected {case.status.__doc__}")
    for pattern in case.mentions:
        if not re.search(pattern, said):
            problems.append(f"not mentioned: {pattern}")
    for pattern in case.never:
        if re.search(pattern, said):
            problems.append(f"should not be mentioned: {pattern}")
    if not case.sanitizer and done.peak_kib > (budget_mib + SLACK_MIB) * 1024:
        problems.append(f"peak memory {done.peak_kib // 1024} MiB, "
                        f"allowed {budget_mib} + {SLACK_MIB}")
    if problems:
        problems.append("said: " + said[:600].replace("\n", "\n          "))
    return problems


def one(task):
    name, program, keep, sanitizer = task
    limit = TIME_LIMIT * (10 if sanitizer else 1)
    case = CASES[name]
    folder = tempfile.mkdtemp(prefix="assay-case-")
    os.chmod(folder, 0o755)  # some cases run as another user
    try:
        made = case.build(folder)
        made.sanitizer = sanitizer
        if keep:
            target = os.path.join(keep, name)
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(folder, target, symlinks=True, ignore=bad_files.not_special)
        runs = made.run_repeatedly(program, limit) if made.run_repeatedly else [
            made.run(program, ["fsck", "--full", "--no-progress", f"--memory={made.budget_mib}M"],
                     limit)]
        problems = []
        for done in runs:
            problems += judge(made, done, made.budget_mib)
        if made.summary:
            problems += made.summary(runs)
        peak = max(done.peak_kib for done in runs) // 1024
        return f"{name} ({peak} MiB, {max(done.seconds for done in runs):.1f} s)", problems
    finally:
        bad_files.remove(folder)


def main():
    parser = campaign.argument_parser(__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--list", action="store_true", help="name the cases")
    parser.add_argument("--sanitizer", action="store_true",
                        help="the program is built with a sanitizer: more time, any memory")
    options = parser.parse_args()
    if options.list:
        print(*sorted(CASES), sep="\n")
        return 0
    campaign.require(options.program)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    tasks = [(name, options.program, options.keep, options.sanitizer)
             for name in sorted(CASES) if options.only in name]
    tally = campaign.Tally("cases")
    for name, problems in campaign.parallel(one, tasks, options.jobs):
        tally.add(name, problems)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
