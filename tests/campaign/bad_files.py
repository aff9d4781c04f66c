"""Cases: what lies where a loose object, a ref or another small file should lie."""
import hashlib
import os
import shutil
import socket
import stat
import zlib

import git_files
from case_table import Case, Sample, any_error, case, fatal, witness_only
from git_files import loose_path, write_file


def not_special(folder, names):
    """For copytree: FIFOs and sockets are left out."""
    def special(name):
        mode = os.lstat(os.path.join(folder, name)).st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
    return [name for name in names if special(name)]


def remove(folder):
    for path, folders, _ in os.walk(folder):
        for name in folders:
            if not os.path.islink(os.path.join(path, name)):
                os.chmod(os.path.join(path, name), 0o755)
    shutil.rmtree(folder, ignore_errors=True)


# --- In an object's place -----------------------------------------------------------------------
def in_place_of_object(name, put):
    def build(folder):
        sample = Sample(folder)
        oid, path = sample.victim()
        os.unlink(path)
        put(path)
        return sample.case(mentions=[oid, f"missing blob {oid}"])
    build.__name__ = "object_is_" + name
    case(build)


def put_socket(path):
    # The name of a socket may have 107 bytes only: made here, moved there.
    there = os.getcwd()
    os.chdir(os.path.dirname(path))
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.basename(path))
    finally:
        os.chdir(there)


in_place_of_object("fifo", os.mkfifo)
in_place_of_object("directory", os.mkdir)
in_place_of_object("socket", put_socket)
in_place_of_object("dangling_symlink", lambda path: os.symlink("not-there", path))
in_place_of_object("symlink_to_itself", lambda path: os.symlink(os.path.basename(path), path))
in_place_of_object("symlink_to_endless_device", lambda path: os.symlink("/dev/zero", path))
in_place_of_object("empty", lambda path: write_file(path, b""))
in_place_of_object("one_byte", lambda path: write_file(path, b"x"))
in_place_of_object("zeros", lambda path: write_file(path, bytes(4096)))
in_place_of_object("gzip", lambda path: write_file(path, b"\x1f\x8b\x08" + bytes(40)))
in_place_of_object("sparse_gigabyte", lambda path: (write_file(path, b""),
                                                    os.truncate(path, 1 << 30)))


@case
def object_is_symlink_to_sound_object(folder):
    """Readable, so nothing is missing; but who owns the target decides what the object is."""
    sample = Sample(folder)
    _, path = sample.victim()
    elsewhere = os.path.join(folder, "elsewhere")
    os.rename(path, elsewhere)
    os.symlink(elsewhere, path)
    return sample.case(status=witness_only, mentions=["warning: .*symbolic link"],
                       never=["missing"])


@case
def fanout_directory_is_symlink(folder):
    sample = Sample(folder)
    _, path = sample.victim()
    elsewhere = os.path.join(folder, "elsewhere")
    os.rename(os.path.dirname(path), elsewhere)
    os.symlink(elsewhere, os.path.dirname(path))
    return sample.case(mentions=["symbolic link"])


@case
def fanout_directory_is_fifo(folder):
    sample = Sample(folder)
    oid, path = sample.victim()
    shutil.rmtree(os.path.dirname(path))
    os.mkfifo(os.path.dirname(path))
    return sample.case(mentions=[f"missing blob {oid}"])


@case
def unreadable_object(folder):
    sample = Sample(folder)
    oid, path = sample.victim()
    os.chmod(path, 0)
    made = sample.case(mentions=[oid, "ermission denied"])
    made.as_nobody = True
    return made


@case
def unreadable_fanout_directory(folder):
    sample = Sample(folder)
    oid, path = sample.victim()
    os.chmod(os.path.dirname(path), 0)
    made = sample.case(mentions=[f"missing blob {oid}", os.path.basename(os.path.dirname(path))])
    made.as_nobody = True
    return made


@case
def unreadable_pack(folder):
    sample = Sample(folder, packed=True)
    os.chmod(sample.stem + ".pack", 0)
    made = sample.case(mentions=[os.path.basename(sample.stem)])
    made.as_nobody = True
    return made


# --- Sizes that cannot be -------------------------------------------------------------------------
def declared_size(kind, size):
    def build(folder):
        sample = Sample(folder)
        body = b"a body of a few bytes\n"
        oid = git_files.object_id(kind, body)
        git_files.write_raw_loose(sample.objects, oid, b"%s %d\0" % (kind.encode(), size) + body)
        return sample.case(mentions=[oid])
    build.__name__ = f"{kind}_declares_2_to_the_{size.bit_length() - 1}"
    case(build)


for exponent in (20, 31, 32, 40, 62, 63, 64, 200):
    declared_size("blob", 1 << exponent)
for exponent in (20, 32, 40, 63):
    declared_size("tree", 1 << exponent)
    declared_size("commit", 1 << exponent)


@case
def declared_size_of_a_million_digits(folder):
    sample = Sample(folder)
    oid = git_files.object_id("blob", b"x")
    git_files.write_raw_loose(sample.objects, oid, b"blob 1" + b"0" * 1000000 + b"\0x")
    return sample.case(mentions=[oid])


@case
def size_mismatch_that_hashes_right(folder):
    """The id is that of the lying header with its body: git passes over this."""
    sample = Sample(folder)
    lying = b"blob 9000000000000000\0abc"
    oid = hashlib.sha1(lying).hexdigest()
    git_files.write_raw_loose(sample.objects, oid, lying)
    return sample.case(mentions=[oid])


@case
def short_body_padded_with_zeros_hashes_right(folder):
    """The id is that of the body that a reader gets when its buffer was zero."""
    sample = Sample(folder)
    oid = git_files.object_id("blob", bytes(300000))
    git_files.write_raw_loose(sample.objects, oid, b"blob 300000\0" + bytes(1000))
    return sample.case(mentions=[oid])


def bomb(kind, size, level):
    """A sound deflate stream of `size` zero bytes under the right name, made in pieces."""
    header = b"%s %d\0" % (kind.encode(), size)
    digest, packer = hashlib.sha1(header), zlib.compressobj(level)
    out, piece = bytearray(packer.compress(header)), bytes(1 << 20)
    for _ in range(size >> 20):
        digest.update(piece)
        out += packer.compress(piece)
    return digest.hexdigest(), bytes(out + packer.flush())


@case
def loose_bomb_blob(folder):
    """400 MB of zeros in 400 KB: sound, and checked within the budget."""
    sample = Sample(folder)
    oid, data = bomb("blob", 400 << 20, 9)
    write_file(loose_path(sample.objects, oid), data)
    return sample.case(status=witness_only, mentions=[f"dangling blob {oid}"], never=[f"error.*{oid}"])


@case
def loose_bomb_tree(folder):
    sample = Sample(folder)
    oid, data = bomb("tree", 400 << 20, 9)
    write_file(loose_path(sample.objects, oid), data)
    return sample.case(mentions=[oid])


@case
def loose_bomb_commit(folder):
    sample = Sample(folder)
    oid, data = bomb("commit", 400 << 20, 9)
    write_file(loose_path(sample.objects, oid), data)
    return sample.case(mentions=[oid])


@case
def loose_bomb_behind_small_size(folder):
    sample = Sample(folder)
    oid = git_files.object_id("blob", b"abc")
    packer = zlib.compressobj(9)
    data = packer.compress(b"blob 3\0abc")
    for _ in range(400):
        data += packer.compress(bytes(1 << 20))
    write_file(loose_path(sample.objects, oid), data + packer.flush())
    return sample.case(mentions=[oid])


@case
def deflate_stream_of_empty_blocks(folder):
    """10 MB of stored blocks without content before the first byte."""
    sample = Sample(folder)
    oid, path = sample.victim()
    write_file(path, b"\x78\x01" + b"\x00\x00\x00\xff\xff" * 2000000)
    return sample.case(mentions=[oid])


# --- Files of the repository --------------------------------------------------------------------
def special_file(name, path, **expected):
    """A FIFO where a file of the repository should be: nobody ever writes to it."""
    def build(folder):
        sample = Sample(folder)
        full = os.path.join(sample.git_dir, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        if os.path.lexists(full):
            os.unlink(full)
        os.mkfifo(full)
        return sample.case(**expected)
    build.__name__ = "fifo_as_" + name
    case(build)


special_file("branch", "refs/heads/fifo")
special_file("packed_refs", "packed-refs")
special_file("reflog", "logs/refs/heads/main")
special_file("index_file", "index")
special_file("shallow", "shallow")
special_file("alternates", "objects/info/alternates", status=any_error)
special_file("pack", "objects/pack/pack-" + "1" * 40 + ".pack", status=witness_only)
special_file("pack_index", "objects/pack/pack-" + "2" * 40 + ".idx", status=any_error)


@case
def reflog_is_one_line_of_half_a_gigabyte(folder):
    """Sparse, without a line feed: neither held in memory nor read twice."""
    sample = Sample(folder)
    path = os.path.join(sample.git_dir, "logs/refs/heads/main")
    write_file(path, b"")
    os.truncate(path, 512 << 20)
    return sample.case(status=witness_only,
                       mentions=["warning: refs/heads/main: 1 line of the reflog cannot be read"])


@case
def pack_directory_is_a_file(folder):
    sample = Sample(folder)
    shutil.rmtree(os.path.join(sample.objects, "pack"))
    write_file(os.path.join(sample.objects, "pack"), b"")
    return sample.case(status=any_error)


@case
def head_is_a_megabyte_of_garbage(folder):
    sample = Sample(folder)
    sample.put("HEAD", os.urandom(16) * 65536)
    made = Case(sample.path, mentions=[])
    return made


@case
def packed_refs_is_a_megabyte_of_garbage(folder):
    sample = Sample(folder)
    sample.put("packed-refs", b"\0\xff" * 500000)
    return sample.case()


@case
def config_that_includes_itself(folder):
    sample = Sample(folder)
    sample.config += ["[include]", "\tpath = config"]
    sample.save_config()
    return Case(sample.path, status=any_error)


@case
def symbolic_refs_in_a_circle(folder):
    sample = Sample(folder)
    sample.put("refs/heads/one", "ref: refs/heads/two\n")
    sample.put("refs/heads/two", "ref: refs/heads/one\n")
    return sample.case()


@case
def alternates_in_a_circle(folder):
    """Harmless: every directory is read once."""
    sample = Sample(folder)
    sample.put("objects/info/alternates", f"{sample.objects}\n../objects\n{folder}/other\n")
    write_file(os.path.join(folder, "other/info/alternates"), (sample.objects + "\n").encode())
    return sample.case(status=witness_only)


@case
def alternates_of_ten_thousand_lines(folder):
    sample = Sample(folder)
    sample.put("objects/info/alternates", "".join(f"/not/there/{i}\n" for i in range(10000)))
    return sample.case(status=any_error)


@case
def empty_index_file(folder):
    sample = Sample(folder)
    sample.put("index", b"")
    return sample.case(status=any_error)


@case
def huge_index_file_count(folder):
    """4 billion entries in a file of 52 bytes."""
    sample = Sample(folder)
    body = b"DIRC\0\0\0\2\xff\xff\xff\xff" + bytes(20)
    sample.put("index", body + hashlib.sha1(body).digest())
    return sample.case(status=fatal)


@case
def trees_nested_five_thousand_deep(folder):
    """Sound: no recursion may run out of stack."""
    sample = Sample(folder)
    oid = sample.write("tree", git_files.tree_body([("100644", "leaf", sample.files["a.txt"][1])]))
    for _ in range(5000):
        oid = sample.write("tree", git_files.tree_body([("40000", "d", oid)]))
    sample.put("refs/tags/deep", oid + "\n")
    return sample.case(status=witness_only)


@case
def commit_of_ten_thousand_parents(folder):
    sample = Sample(folder)
    sample.branch("many", sample.commit([sample.commits[0]] * 10000))
    return sample.case(status=witness_only)


@case
def history_of_twenty_thousand_commits(folder):
    """A chain: whatever walks it may not recurse."""
    sample = Sample(folder)
    tree = git_files.object_id("tree", b"")
    writer = git_files.PackWriter()
    who = "Ada Probe <ada@example.org> 1600000000 +0000"
    parent = sample.commits[-1]
    for _ in range(20000):
        text = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\nx\n".encode()
        parent = git_files.object_id("commit", text)
        writer.add("commit", text)
    writer.write(sample.objects)
    sample.branch("long", parent)
    return sample.case(status=witness_only)


@case
def tag_chain_of_five_thousand(folder):
    sample = Sample(folder)
    oid, kind = sample.commits[-1], "commit"
    for i in range(5000):
        text = f"object {oid}\ntype {kind}\ntag t{i}\ntagger A <a@b> 1 +0000\n\nx\n"
        oid, kind = sample.write("tag", text.encode()), "tag"
    sample.put("refs/tags/chain", oid + "\n")
    return sample.case(status=witness_only)


@case
def tree_of_hundred_thousand_entries(folder):
    sample = Sample(folder)
    blob = sample.files["a.txt"][1]
    oid = sample.write("tree", git_files.tree_body(
        [("100644", f"{i:06d}", blob) for i in range(100000)]))
    sample.put("refs/tags/wide", oid + "\n")
    return sample.case(status=witness_only)


@case
def cruft_of_five_thousand_files(folder):
    """Named one by one, and none of them is an error."""
    sample = Sample(folder)
    _, path = sample.victim()
    for i in range(5000):
        write_file(os.path.join(os.path.dirname(path), f"cruft{i}"), b"")
    return sample.case(status=witness_only, mentions=["bad sha1 file: .*cruft4999"])
