#!/usr/bin/env python3
"""flip_refs.py: every byte flipped and every truncation of HEAD, of loose refs and of packed-refs.

What the changed file says is judged here by a second reading of the rules of refs: where it breaks
the grammar, the order, a peeled value or leads to no object of the right type, assay must say so and name the ref
or the file; else (another name, a branch yet to be born) it must stay silent of the file. Nothing
may crash, hang or end with a usage error.

By default one bit of every byte, which one turns with the position; --all-bits flips all eight.
"""
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import campaign  # noqa: E402
from flip import mutations  # noqa: E402
from git_files import read_file, write_file  # noqa: E402
from repository_builder import Builder  # noqa: E402

HEADER = b"# pack-refs with: "
FILES = ("HEAD", "refs/heads/main", "refs/tags/one", "packed-refs")


def build(folder):
    """Returns: the repository, {object id: type}, {tag: what it leads to}."""
    builder = Builder(os.path.join(folder, "repository"), random.Random("flip refs"), bare=True)
    builder.history(3, paths=("a.txt", "dir/b.txt"))
    builder.branch("main", builder.commits[-1])
    tag = builder.tag(builder.commits[-1], "commit", "one")
    for name, oid in (("heads/old", builder.commits[0]), ("heads/topic", builder.commits[1]),
                      ("tags/two", tag)):
        builder.put("refs/" + name, oid + "\n")
    builder.git("pack-refs", "--all")
    builder.put("refs/heads/main", builder.commits[-1] + "\n")
    builder.put("refs/tags/one", tag + "\n")
    listed = builder.git("cat-file", "--batch-all-objects",
                         "--batch-check=%(objectname) %(objecttype)").decode()
    return builder, dict(line.split() for line in listed.splitlines()), {tag: builder.commits[-1]}


def is_ref_name(name):
    """git check-ref-format, for a name below refs/."""
    if re.search(rb"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/$|\.$|\.lock(/|$)|(^|/)\.", name):
        return False
    return b"/" in name


def leads_somewhere(name, oid, types):
    kind = types.get(oid.decode().lower())
    return kind == "commit" or (kind is not None and not name.startswith(b"refs/heads/"))


def is_sound_ref(name, content, types):
    found = re.fullmatch(rb"([0-9a-fA-F]{40})\n", content)
    return bool(found) and leads_somewhere(name, found[1], types)


def is_sound_head(content, types):
    found = re.fullmatch(rb"ref:[\t\r\v\f ]*(.*[^\t\r\v\f ])\n", content, re.DOTALL)
    if found:
        return found[1].startswith(b"refs/heads/") and is_ref_name(found[1])
    return is_sound_ref(b"HEAD", content, types)


def is_sound_packed(content, types, peeled):
    if not content.endswith(b"\n"):
        return False
    lines = content[:-1].split(b"\n")
    names, ordered, all_peeled = [], False, False
    if lines[0].startswith(b"#"):
        if not lines[0].startswith(HEADER):
            return False
        traits = lines[0].split(b"\0")[0][len(HEADER):].split(b" ")
        ordered, all_peeled = b"sorted" in traits, b"fully-peeled" in traits
        del lines[0]
    last = None  # what the line before points to, while a peeled value may follow
    for line in lines:
        if last and line.startswith(b"^"):
            found = re.fullmatch(rb"\^([0-9a-fA-F]{40})", line)
            if not found or (last in types and found[1].decode().lower() != peeled.get(last)):
                return False
            last = None
            continue
        if all_peeled and last in peeled:
            return False
        found = re.fullmatch(rb"([0-9a-fA-F]{40})[ \t\r](.*)", line, re.DOTALL)
        if not found or not is_ref_name(found[2]) or not found[2].startswith(b"refs/"):
            return False
        # A loose ref hides what is packed.
        if found[2] != b"refs/heads/main" and not leads_somewhere(found[2], found[1], types):
            return False
        names.append(found[2])
        last = found[1].decode().lower()
    if all_peeled and last in peeled:
        return False
    return not ordered or all(a < b for a, b in zip(names, names[1:]))


def is_sound(name, content, types, peeled):
    if name == "packed-refs":
        return is_sound_packed(content, types, peeled)
    if name == "HEAD":
        return is_sound_head(content, types)
    return is_sound_ref(name.encode(), content, types)


def is_named(name, said):
    """Without a sound HEAD a directory is no repository for git, nor for assay; a target that is
    missing is one of the ref."""
    return (name in said or (name == "HEAD" and "not a git repository" in said)
            or (name == "packed-refs" and ": invalid sha1 pointer " in said))


def one(task):
    program, name, share, shares, all_bits = task
    results, counts = [], {"broken": 0, "sound": 0}
    with tempfile.TemporaryDirectory(prefix="assay-flip-refs-") as folder:
        builder, types, peeled = build(folder)
        path = os.path.join(builder.git_dir, name)
        original = read_file(path)
        for number, (what, changed) in enumerate(mutations(original, all_bits, False)):
            if number % shares != share:
                continue
            write_file(path, changed)
            sound = is_sound(name, changed, types, peeled)
            counts["sound" if sound else "broken"] += 1
            done = campaign.run([program, "fsck", "--no-progress", "--no-dangling", "-j", "1"],
                                cwd=builder.git_dir, timeout=20)
            problems = []
            if done.status is None or done.status < 0 or done.status == 129:
                problems.append(f"exit status {done.status}: {done.stderr[-300:]}")
            elif sound and done.stderr:
                problems.append(f"{changed!r}: said of what is sound: {done.stderr[:300]}")
            elif not sound and not is_named(name, done.stderr):
                problems.append(f"{changed!r}: not found: {done.status} {done.stderr[:300]}")
            results.append((f"{name}: {what}", problems))
    return results, counts


def main():
    parser = campaign.argument_parser(__doc__.splitlines()[0])
    parser.add_argument("--all-bits", action="store_true", help="all eight bits of each byte")
    options = parser.parse_args()
    campaign.require(options.program)
    with tempfile.TemporaryDirectory(prefix="assay-flip-refs-") as folder:
        builder, types, peeled = build(folder)
        for name in FILES:
            original = read_file(os.path.join(builder.git_dir, name))
            if not is_sound(name, original, types, peeled):
                sys.exit(f"the undamaged {name} is called unsound")
    shares = max(2, options.jobs)
    tally = campaign.Tally("flip_refs")
    totals = {"broken": 0, "sound": 0}
    tasks = [(options.program, name, share, shares, options.all_bits)
             for name in FILES for share in range(shares)]
    for results, counts in campaign.parallel(one, tasks, options.jobs):
        for case, problems in results:
            tally.add(case, problems)
        for key, value in counts.items():
            totals[key] += value
    print(f"{totals['broken']} violations, {totals['sound']} changes to what is sound, too")
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
