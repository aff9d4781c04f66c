"""Cases: packs and pack indexes that lie, bombs, circles, and packs that change under the reader."""
import hashlib
import os
import struct
import threading
import time
import zlib

import git_files
from case_table import Sample, any_error, case, witness_only
from git_files import (OFS_DELTA, PackWriter, TYPE_CODE, copy_command, delta_size, entry_header,
                       index_bytes, object_id, offset_bytes, read_file, read_index, simple_delta,
                       write_file)


# --- Deltas that never end ------------------------------------------------------------------------
def cycle(length):
    """REF_DELTAs that build on each other in a circle."""
    def build(folder):
        sample = Sample(folder)
        ids = [object_id("blob", b"member %d" % i) for i in range(length)]
        writer = PackWriter()
        for i, oid in enumerate(ids):
            writer.add_ref_delta(oid, ids[(i + 1) % length], simple_delta(b"abc", b"abd"))
        stem = writer.write(sample.objects)
        return sample.case(mentions=[os.path.basename(stem), "|".join(ids)])
    build.__name__ = f"delta_cycle_of_{length}"
    case(build)


for members in (1, 2, 3, 1000):
    cycle(members)


@case
def delta_cycle_with_dependants(folder):
    """Two in a circle, two more that build on it, one sound object beside them."""
    sample = Sample(folder)
    ids = [object_id("blob", b"member %d" % i) for i in range(4)]
    writer = PackWriter()
    for i, base in ((0, 1), (1, 0), (2, 0), (3, 2)):
        writer.add_ref_delta(ids[i], ids[base], simple_delta(b"abc", b"abd"))
    writer.add("blob", b"sound\n")
    writer.write(sample.objects)
    return sample.case(mentions=[f"dangling blob {object_id('blob', b'sound' + bytes([10]))}", *ids])


def bad_offset(name, distance):
    def build(folder):
        sample = Sample(folder)
        writer = PackWriter()
        writer.add("blob", b"abc")
        oid = object_id("blob", b"abd")
        delta = simple_delta(b"abc", b"abd")
        raw = entry_header(OFS_DELTA, len(delta)) + offset_bytes(
            distance if distance is not None else len(writer.data)) + zlib.compress(delta)
        writer.add_raw(oid, raw)
        stem = writer.write(sample.objects)
        return sample.case(mentions=[os.path.basename(stem), oid])
    build.__name__ = "delta_base_" + name
    case(build)


bad_offset("is_itself", 0)
bad_offset("is_the_pack_header", None)
bad_offset("before_the_pack", 1 << 20)
bad_offset("inside_another_entry", 3)
bad_offset("two_to_the_62_back", 1 << 62)


@case
def delta_chain_of_five_thousand(folder):
    """Sound: nothing may recurse, and few buffers may live at once."""
    sample = Sample(folder)
    writer = PackWriter()
    body = b"".join(b"line %d\n" % i for i in range(200))
    offset = writer.add("blob", body)
    for i in range(5000):
        changed = body + b"%d" % i
        offset = writer.add_ofs_delta(object_id("blob", changed), offset,
                                      simple_delta(body, changed))
        body = changed
    writer.write(sample.objects)
    return sample.case(status=witness_only, never=["unpack", "corrupt"])


@case
def delta_chain_over_large_bodies(folder):
    """60 objects of 4 MB, each the base of the next: only some may be held at once."""
    sample = Sample(folder)
    writer = PackWriter()
    body = bytearray(4 << 20)
    offset = writer.add("blob", bytes(body))
    for i in range(60):
        size = len(body)
        body[i] = 1
        delta = delta_size(size) + delta_size(size)
        delta += copy_command(0, i) if i else b""
        delta += b"\x01\x01"
        at = i + 1
        while at < size:
            piece = min(0xFFFFFF, size - at)
            delta += copy_command(at, piece)
            at += piece
        offset = writer.add_ofs_delta(object_id("blob", bytes(body)), offset, delta)
    writer.write(sample.objects)
    return sample.case(status=witness_only, never=["unpack", "corrupt"])


@case
def delta_bomb(folder):
    """A pack of a few KB whose delta makes 400 MB out of a base of 16 KB: sound."""
    sample = Sample(folder)
    base = bytes(range(256)) * 64
    times = (400 << 20) // len(base)
    digest = hashlib.sha1(b"blob %d\0" % (times * len(base)))
    for _ in range(times):
        digest.update(base)
    writer = PackWriter()
    offset = writer.add("blob", base)
    writer.add_ofs_delta(digest.hexdigest(), offset, delta_size(len(base)) +
                         delta_size(times * len(base)) + copy_command(0, len(base)) * times)
    writer.write(sample.objects)
    made = sample.case(status=witness_only, mentions=[digest.hexdigest()])
    made.budget_mib = 256
    return made


@case
def delta_bomb_family(folder):
    """Twenty bombs of 64 MB on one base."""
    sample = Sample(folder)
    base = bytes(range(256)) * 256
    writer = PackWriter()
    offset = writer.add("blob", base)
    for i in range(20):
        times = (64 << 20) // len(base)
        digest = hashlib.sha1(b"blob %d\0" % (times * len(base) + 1))
        for _ in range(times):
            digest.update(base)
        digest.update(bytes([i]))
        writer.add_ofs_delta(digest.hexdigest(), offset, delta_size(len(base)) + delta_size(
            times * len(base) + 1) + copy_command(0, len(base)) * times + bytes([1, i]))
    writer.write(sample.objects)
    made = sample.case(status=witness_only)
    made.budget_mib = 256
    return made


def delta_declares(exponent):
    def build(folder):
        sample = Sample(folder)
        writer = PackWriter()
        base = b"abc"
        offset = writer.add("blob", base)
        oid = object_id("blob", b"abcabc")
        writer.add_ofs_delta(oid, offset, delta_size(3) + delta_size(1 << exponent) +
                             copy_command(0, 3))
        stem = writer.write(sample.objects)
        return sample.case(mentions=[os.path.basename(stem), oid])
    build.__name__ = f"delta_declares_2_to_the_{exponent}"
    case(build)


for power in (20, 32, 40, 63):
    delta_declares(power)


def entry_declares(kind, exponent):
    def build(folder):
        sample = Sample(folder)
        writer = PackWriter()
        oid = object_id(kind, b"abc")
        writer.add_raw(oid, entry_header(TYPE_CODE[kind], 1 << exponent) + zlib.compress(b"abc"))
        stem = writer.write(sample.objects)
        return sample.case(mentions=[os.path.basename(stem), oid])
    build.__name__ = f"packed_{kind}_declares_2_to_the_{exponent}"
    case(build)


for power in (20, 31, 32, 40, 63):
    entry_declares("blob", power)
    entry_declares("tree", power)


@case
def entry_size_overflows_64_bits(folder):
    sample = Sample(folder)
    writer = PackWriter()
    oid = object_id("blob", b"abc")
    writer.add_raw(oid, b"\xb3" + b"\xff" * 12 + b"\x01" + zlib.compress(b"abc"))
    stem = writer.write(sample.objects)
    return sample.case(mentions=[os.path.basename(stem), oid])


@case
def entry_header_without_end(folder):
    sample = Sample(folder)
    writer = PackWriter()
    oid = object_id("blob", b"abc")
    writer.add_raw(oid, b"\xb3" + b"\x80" * 60)
    stem = writer.write(sample.objects)
    return sample.case(mentions=[os.path.basename(stem), oid])


def delta_program(name, delta):
    def build(folder):
        sample = Sample(folder)
        writer = PackWriter()
        offset = writer.add("blob", b"0123456789")
        oid = object_id("blob", b"whatever")
        writer.add_ofs_delta(oid, offset, delta)
        stem = writer.write(sample.objects)
        return sample.case(mentions=[os.path.basename(stem), oid])
    build.__name__ = "delta_program_" + name
    case(build)


delta_program("is_empty", b"")
delta_program("ends_in_its_size", b"\x0a\x85")
delta_program("opcode_zero", b"\x0a\x05\x00\x00\x00")
delta_program("copies_past_the_base", b"\x0a\x05" + copy_command(8, 5))
delta_program("copies_far_past_the_base", b"\x0a\x05" + copy_command(0xFFFFFFFF, 0xFFFFFF))
delta_program("inserts_past_its_end", b"\x0a\x05\x05ab")
delta_program("makes_too_little", b"\x0a\x05" + copy_command(0, 4))
delta_program("makes_too_much", b"\x0a\x05" + copy_command(0, 10))
delta_program("is_for_another_base", b"\x0b\x05" + copy_command(0, 5))
delta_program("copy_command_cut_short", b"\x0a\x05\xff\x00")


# --- Indexes that lie -----------------------------------------------------------------------------
def lying_index(name, change, status=any_error, mention_pack=True):
    """change(version 2 index as bytearray, number of entries) -> new bytes; checksum made right."""
    def build(folder):
        sample = Sample(folder, packed=True)
        path = sample.stem + ".idx"
        _, entries, _ = read_index(path)
        data = change(bytearray(read_file(path)[:-20]), len(entries))
        write_file(path, bytes(data) + hashlib.sha1(data).digest())
        return sample.case(status=status,
                           mentions=[os.path.basename(sample.stem)] if mention_pack else [])
    build.__name__ = "index_" + name
    case(build)


def swap_ids(data, count):
    first, second = 1032, 1032 + 20 * (count - 1)
    data[first:first + 20], data[second:second + 20] = \
        data[second:second + 20], data[first:first + 20]
    return data


def set_fanout(at, value):
    def change(data, _):
        struct.pack_into(">I", data, 8 + 4 * at, value)
        return data
    return change


def raise_fanout(data, count):
    """False but still rising: the ids of the first half cannot be found."""
    for at in range(200):
        struct.pack_into(">I", data, 8 + 4 * at, 0)
    for at in range(200, 255):
        struct.pack_into(">I", data, 8 + 4 * at, count)
    return data


def set_offset(value):
    def change(data, count):
        struct.pack_into(">I", data, 1032 + 24 * count, value)
        return data
    return change


def same_offset_twice(data, count):
    start = 1032 + 24 * count
    data[start:start + 4] = data[start + 4:start + 8]
    return data


def same_id_twice(data, count):
    data[1032:1052] = data[1052:1072]
    return data


lying_index("ids_out_of_order", swap_ids)
lying_index("fanout_false", raise_fanout)
lying_index("fanout_falls", set_fanout(3, 0xFFFF))
lying_index("counts_four_billion", set_fanout(255, 0xFFFFFFFF))
lying_index("counts_two_billion", set_fanout(255, 0x7FFFFFFF))
lying_index("counts_nothing", set_fanout(255, 0))
lying_index("offset_in_header", set_offset(3))
lying_index("offset_inside_entry", set_offset(13))
lying_index("offset_behind_pack", set_offset(0x7FFFFFFF))
lying_index("offset_in_absent_64_bit_table", set_offset(0x80000000))
lying_index("offset_far_in_64_bit_table", set_offset(0xFFFFFFFF))
lying_index("same_offset_twice", same_offset_twice)
lying_index("same_id_twice", same_id_twice)
lying_index("version_3", lambda data, _: data[:7] + b"\x03" + data[8:])
lying_index("without_tables", lambda data, _: data[:1032] + data[-20:])


@case
def index_with_needless_64_bit_offsets(folder):
    """Sound, though git itself would use the table for large packs only."""
    sample = Sample(folder, packed=True)
    path = sample.stem + ".idx"
    _, entries, trailer = read_index(path)
    data = bytearray(index_bytes(entries, trailer)[:-40])
    start = 1032 + 24 * len(entries)
    offsets = data[start:]
    del data[start:]
    large = len(entries) - 1  # the first entry of a pack always has a small offset
    for i in range(large):
        data += struct.pack(">I", 0x80000000 | i)
    data += offsets[4 * large:]
    for i in range(large):
        data += b"\0\0\0\0" + offsets[4 * i:4 * i + 4]
    data += trailer
    write_file(path, bytes(data) + hashlib.sha1(data).digest())
    return sample.case(status=witness_only, never=["error: "])


@case
def index_of_an_empty_pack(folder):
    """Sound: no objects at all."""
    sample = Sample(folder)
    PackWriter().write(sample.objects)
    return sample.case(status=witness_only, never=["error: "])


@case
def pack_declares_four_billion_objects(folder):
    sample = Sample(folder)
    writer = PackWriter()
    writer.add("blob", b"abc")
    stem = writer.write(sample.objects, count=0xFFFFFFFF)
    return sample.case(mentions=[os.path.basename(stem)])


@case
def pack_with_hidden_bytes(folder):
    """Between two entries, all checksums right: git fsck says nothing."""
    sample = Sample(folder)
    writer = PackWriter()
    writer.add("blob", b"one\n")
    oid, offset, crc = writer.entries[-1]
    writer.data += b"hidden payload"
    writer.entries[-1] = (oid, offset, zlib.crc32(bytes(writer.data[offset:])))
    writer.add("blob", b"two\n")
    stem = writer.write(sample.objects)
    return sample.case(mentions=[os.path.basename(stem)], status=lambda status: status in (1, 4, 5))


@case
def pack_with_one_object_twice(folder):
    sample = Sample(folder)
    writer = PackWriter()
    writer.add("blob", b"twice\n")
    writer.add("blob", b"twice\n")
    writer.write(sample.objects)
    return sample.case(status=lambda status: status in (1, 4, 5))


@case
def pack_without_index(folder):
    sample = Sample(folder, packed=True)
    os.unlink(sample.stem + ".idx")
    return sample.case(mentions=["missing|invalid sha1 pointer"])


@case
def index_without_pack(folder):
    sample = Sample(folder, packed=True)
    os.unlink(sample.stem + ".pack")
    return sample.case(mentions=["missing|invalid sha1 pointer|" + os.path.basename(sample.stem)])


@case
def pack_is_a_directory(folder):
    sample = Sample(folder, packed=True)
    os.unlink(sample.stem + ".pack")
    os.mkdir(sample.stem + ".pack")
    return sample.case(mentions=[os.path.basename(sample.stem)])


@case
def pack_is_a_symlink_to_a_sound_pack(folder):
    """Shared checkouts rely on it."""
    sample = Sample(folder, packed=True)
    for ending in (".pack", ".idx"):
        elsewhere = os.path.join(folder, "elsewhere" + ending)
        os.rename(sample.stem + ending, elsewhere)
        os.symlink(elsewhere, sample.stem + ending)
    return sample.case(status=witness_only, never=["missing", "error: "])


# --- A pack that changes while it is read ---------------------------------------------------------
def changing_pack(name, change, blobs=48):
    """48 MB in a pack; `change` is called at several moments of the run, each on a fresh copy.

    Whenever it comes, the run must not die by a signal. That some run is hit in the middle cannot
    be promised, but that none notices at all would be a fault: the moments reach from 0 to the time
    a whole run takes.
    """
    def build(folder):
        sample = Sample(folder)
        writer = PackWriter()
        for i in range(blobs):
            body = hashlib.sha512(b"%d" % i).digest() * 8 + os.urandom(1 << 20)
            writer._append(object_id("blob", body), entry_header(TYPE_CODE["blob"], len(body)) +
                           zlib.compress(body, 0))
        stem = writer.write(sample.objects)
        original = read_file(stem + ".pack")
        made = sample.case(status=lambda status: True)
        made.budget_mib = 128
        made.mentions = []

        def repeatedly(program, timeout):
            arguments = ["fsck", "--full", "--no-progress", f"--memory={made.budget_mib}M"]
            whole = made.run(program, arguments, timeout)
            runs = [whole]
            for step in range(8):
                write_file(stem + ".pack", original)
                changer = threading.Thread(target=lambda wait=whole.seconds * step / 8: (
                    time.sleep(wait), change(stem + ".pack", len(original))))
                changer.start()
                runs.append(made.run(program, arguments, timeout))
                changer.join()
            return runs

        def summary(runs):
            problems = [] if runs[0].status == 1 else [f"unchanged: status {runs[0].status}"]
            if not any(done.status not in (1, None) for done in runs[1:]):
                problems.append("no run noticed that the pack changed")
            return problems

        made.run_repeatedly, made.summary = repeatedly, summary
        return made
    build.__name__ = "pack_" + name
    case(build)


changing_pack("shrinks_while_read", lambda path, size: os.truncate(path, size // 2))
changing_pack("is_emptied_while_read", lambda path, size: os.truncate(path, 0))
