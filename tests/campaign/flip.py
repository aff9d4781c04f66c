#!/usr/bin/env python3
"""flip.py: every byte flipped and every truncation of one small file of each format.

Loose objects, packs and their indexes, reverse indexes, bitmaps, multi-pack-indexes,
commit-graphs and chains of them, index files.

Every case that changes the content must be found (exit status not 0) and the damaged file or the
object be named; nothing may crash, hang or end with a usage error. In a loose object a flipped
byte may leave the content as it is (padding bits of the deflate stream); such cases are told from
the others by inflating with zlib, and must be warned of (nonCanonicalZlib).

By default one bit of every byte, which one turns with the position, and of further forms of the same
formats (VARIANTS) only some places; --all-bits flips all eight, everywhere.
"""
import os
import random
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import campaign  # noqa: E402
import git_files  # noqa: E402
from git_files import read_file, write_file  # noqa: E402
from repository_builder import Builder  # noqa: E402


MUST_FIND, MAY_FIND, MUST_WARN = "must", "may", "warn"
STRAY_BITS = "has bits in its zlib stream that mean nothing"
# How objects are stored, and which files are damaged: each format once, not in every mixture.
STORAGES = {"loose": (), "packed": (".pack", ".idx"), "ref-delta": (".pack",),
            "index-v1": (".idx",), "derived": (".rev", ".bitmap", "multi-pack-index", "commit-graph"),
            "chain": (".graph", "commit-graph-chain"), "index": ("index",), "index-v4": ("index",)}

VARIANTS = ("ref-delta", "index-v1", "chain", "index-v4")


def build(folder, storage):
    """A repository of few objects. Returns: [(file to damage, id that lies in it or None)]."""
    builder = Builder(os.path.join(folder, "repository"), random.Random("flip"),
                      bare=storage not in ("index", "index-v4"))
    builder.history(3, paths=("a.txt", "dir/b.txt"))
    builder.branch("main", builder.commits[-1])
    tag = builder.tag(builder.commits[-1], "commit", "one")
    builder.put("refs/tags/one", tag + "\n")
    if storage == "loose":
        victims = [builder.files["a.txt"][1], builder.commits[0], tag]
        victims.append(builder.git("rev-parse", "main^{tree}").decode().strip())
        return [(git_files.loose_path(builder.objects, oid), oid) for oid in victims]
    if storage == "chain":
        builder.git("commit-graph", "write", "--reachable", "--split")
        builder.history(1, paths=("a.txt",))
        builder.branch("main", builder.commits[-1])
        builder.git("commit-graph", "write", "--reachable", "--split=no-merge")
    elif storage == "derived":
        builder.git("-c", "pack.writeReverseIndex=true", "repack", "-adbq")
        builder.git("multi-pack-index", "write", "--bitmap")
        builder.git("commit-graph", "write", "--reachable", "--changed-paths")
    elif storage in ("index", "index-v4"):
        builder.git("-c", f"index.version={4 if storage == 'index-v4' else 2}", "read-tree", "HEAD")
    else:
        builder.pack(ref_delta=storage == "ref-delta",
                     index_version=1 if storage == "index-v1" else 2)
    return sorted((os.path.join(place, name), None)
                  for place, _, names in os.walk(builder.git_dir) for name in names
                  if name.endswith(STORAGES[storage]) or name in STORAGES[storage])


def mutations(data, all_bits, sparse):
    """Yields (what, new bytes)."""
    places = [at for at in range(len(data))
              if not sparse or at % 6 == 0 or at < 48 or at >= len(data) - 48]
    for at in places:
        for bit in range(8) if all_bits else ((at * 3 + 1) % 8,):
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            yield f"byte {at} bit {bit}", bytes(changed)
    for size in places:
        yield f"cut to {size}", data[:size]


def write_old_file(path, data):
    """A file written just now looks like the work of another process: fsck would look again."""
    write_file(path, data)
    for aged in (path, os.path.dirname(path)):
        os.utime(aged, (1_700_000_000, 1_700_000_000))


def is_loose(path):
    return len(os.path.basename(os.path.dirname(path))) == 2


def expectation(path, original, changed):
    if not is_loose(path):
        # A chain may end after any of its layers; an empty one is as good as none.
        shorter = path.endswith("-chain") and (not changed or changed.endswith(b"\n"))
        return MAY_FIND if shorter and original.startswith(changed) else MUST_FIND
    inflater = zlib.decompressobj()
    try:
        content = inflater.decompress(changed) + inflater.flush()
    except zlib.error:
        return MUST_FIND
    if not inflater.eof or inflater.unused_data or content != zlib.decompress(original):
        return MUST_FIND
    return MUST_WARN


def one(task):
    """Damages one share of the cases in a copy of its own. Returns: [(case, problems)], counts."""
    program, storage, which, share, shares, all_bits = task
    results, counts = [], {"must": 0, "may": 0, "warn": 0, "found": 0}
    with tempfile.TemporaryDirectory(prefix="assay-flip-") as folder:
        path, oid = build(folder, storage)[which]
        repository = os.path.join(folder, "repository")
        original = read_file(path)
        cases = mutations(original, all_bits, storage in VARIANTS and not all_bits)
        for number, (what, changed) in enumerate(cases):
            if number % shares != share:
                continue
            write_old_file(path, changed)
            expected = expectation(path, original, changed)
            counts[expected] += 1
            # One thread each: many cases run at once.
            done = campaign.run([program, "fsck", "--full", "--no-progress", "-j", "1"],
                                cwd=repository, timeout=20)
            case = f"{storage} {os.path.basename(path)[:20]}: {what}"
            problems = []
            if done.status is None or done.status < 0 or done.status == 129:
                problems.append(f"exit status {done.status}: {done.stderr[-300:]}")
            elif expected == MUST_FIND:
                said = done.stdout + done.stderr
                # A pack is named by its own path or by that of its index: they share the stem.
                stem = os.path.basename(path).rsplit(".", 1)[0]
                if done.status == 0:
                    problems.append("not found")
                elif stem not in said and not (oid and oid in said):
                    problems.append(f"the file is not named: {said[:300]}")
                counts["found"] += done.status != 0
            elif expected == MUST_WARN and (done.status != 0 or STRAY_BITS not in done.stderr):
                problems.append(f"no warning, status {done.status}: {done.stderr[:300]}")
            results.append((case, problems))
        write_file(path, original)
    return results, counts


def main():
    parser = campaign.argument_parser(__doc__.splitlines()[0])
    parser.add_argument("--all-bits", action="store_true", help="all eight bits of each byte")
    options = parser.parse_args()
    campaign.require(options.program)
    tasks = []
    shares = max(2, options.jobs)
    for storage in STORAGES:
        with tempfile.TemporaryDirectory(prefix="assay-flip-") as folder:
            victims = len(build(folder, storage))
            sound = campaign.run([options.program, "fsck", "--full", "--no-progress"],
                                       cwd=os.path.join(folder, "repository"))
        if sound.status != 0:
            print(f"FAILED {storage}: the undamaged repository: status {sound.status}: "
                  f"{sound.stderr}")
            return 1
        for which in range(victims):
            tasks += [(options.program, storage, which, share, shares, options.all_bits)
                      for share in range(shares)]
    tally = campaign.Tally("flip")
    totals = {"must": 0, "may": 0, "warn": 0, "found": 0}
    for results, counts in campaign.parallel(one, tasks, options.jobs):
        for case, problems in results:
            tally.add(case, problems)
        for key, value in counts.items():
            totals[key] += value
    print(f"{totals['found']} of {totals['must']} changes of content found; "
          f"{totals['warn']} flips left the content of a loose object as it was, "
          f"{totals['may']} a chain that is sound")
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
