#!/usr/bin/env python3
"""Writes rule_cases.inc: what a git says about the smallest objects that break one rule each, and
about their near misses.

    record_rule_cases.py /path/to/git > rule_cases.inc

The git should be 2.55 or later; an older one lacks some ids. Each object is written as a loose
object into a scratch repository; then `git fsck` runs with the default severities, with --strict and
with fsck.<id> set to ignore, warn and error, where <id> is the rule that the case is about. Last,
`git hash-object -t TYPE --stdin` says what it refuses.
"""
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zlib

TREE = b"4b825dc642cb6eb9a060e54bf8d69288fbee4904"
ONES = b"1" * 40
TWOS = b"2" * 40
BLOB = b"\x33" * 20
DIRECTORY = b"\x44" * 20
COMMIT = b"\x55" * 20
IDENT = b"A U Thor <a@example.com> 1112911993 -0700"


def entry(mode, name, oid=None):
    if oid is None:
        oid = {"40000": DIRECTORY, "160000": COMMIT}.get(mode, BLOB)
    name = name.encode() if isinstance(name, str) else name
    return mode.encode() + b" " + name + b"\0" + oid


def tree(*entries):
    return b"".join(entry(*e) for e in entries)


def commit(tree=b"tree " + TREE + b"\n", parents=b"", author=IDENT, committer=IDENT, more=b"",
           message=b"\nsubject\n"):
    author = b"" if author is None else b"author " + author + b"\n"
    committer = b"" if committer is None else b"committer " + committer + b"\n"
    return tree + parents + author + committer + more + message


def tag(object=b"object " + TWOS + b"\n", type=b"type commit\n", name=b"tag v1.0\n",
        tagger=b"tagger " + IDENT + b"\n", more=b"", message=b"\nsubject\n"):
    return object + type + name + tagger + more + message


def ident(text):
    return commit(author=text)


def gitmodules(name="sub", **keys):
    lines = ['[submodule "%s"]' % name] + ["\t%s = %s" % item for item in keys.items()]
    return ("\n".join(lines) + "\n").encode()


def symlink(name):
    return tree(("120000", name))


CASES = [
    # (id the case is about, type, what is special, body)
    ("nulInHeader", "commit", "NUL in the author", ident(b"A\0 <a@b> 1 +0000")),
    ("nulInHeader", "tag", "NUL in the name", tag(name=b"tag v\0001\n")),
    ("nulInHeader", "commit", "NUL as last byte of the header", commit(message=b"\0")),
    ("nulInHeader", "tag", "NUL after the type", tag(type=b"type commit\0x\n")),
    ("nulInHeader", "commit", "near: NUL after the blank line", commit(message=b"\n\0")),
    ("unterminatedHeader", "commit", "no line feed at the end",
     commit(message=b"encoding x")),
    ("unterminatedHeader", "tag", "no line feed at the end", tag(message=b"x y")),
    ("unterminatedHeader", "tag", "near: no body", tag(message=b"")),
    ("unterminatedHeader", "commit", "near: no body", commit(message=b"")),
    ("unterminatedHeader", "commit", "near: blank line, no body", commit(message=b"\n")),
    ("unterminatedHeader", "commit", "near: body without line feed", commit(message=b"\nx")),
    # Commits.
    ("missingTree", "commit", "no tree line", commit(tree=b"")),
    ("missingTree", "commit", "near: nothing special", commit()),
    ("badTreeSha1", "commit", "no hexadecimal digit", commit(tree=b"tree " + b"g" * 40 + b"\n")),
    ("badTreeSha1", "commit", "too short", commit(tree=b"tree " + TREE[1:] + b"\n")),
    ("badTreeSha1", "commit", "too long", commit(tree=b"tree " + TREE + b"1\n")),
    ("badTreeSha1", "commit", "near: upper case", commit(tree=b"tree " + TREE.upper() + b"\n")),
    ("badParentSha1", "commit", "too short", commit(parents=b"parent " + ONES[1:] + b"\n")),
    ("badParentSha1", "commit", "too long", commit(parents=b"parent " + ONES + b"1\n")),
    ("badParentSha1", "commit", "at the end", commit(
        parents=b"parent " + ONES[1:] + b"\n", author=None, committer=None, message=b"")),
    ("badParentSha1", "commit", "near: two parents, equal", commit(
        parents=2 * (b"parent " + ONES + b"\n"))),
    ("missingAuthor", "commit", "no author line", commit(author=None)),
    ("missingAuthor", "commit", "second tree line", commit(parents=b"tree " + TREE + b"\n")),
    ("missingAuthor", "commit", "header ends behind the tree", commit(
        author=None, committer=None, message=b"\n")),
    ("missingAuthor", "commit", "upper case", commit(author=None, parents=b"Author x\n")),
    ("missingAuthor", "commit", "near: committer alone follows later", commit(
        committer=IDENT, more=b"author x\n")),
    ("multipleAuthors", "commit", "two authors", commit(parents=b"author " + IDENT + b"\n")),
    ("multipleAuthors", "commit", "three authors", commit(
        parents=2 * (b"author " + IDENT + b"\n"))),
    ("multipleAuthors", "commit", "near: second author behind the committer",
     commit(more=b"author " + IDENT + b"\n")),
    ("missingCommitter", "commit", "no committer line", commit(committer=None)),
    ("missingCommitter", "commit", "encoding before it", commit(
        author=IDENT + b"\nencoding UTF-8")),
    ("missingCommitter", "commit", "near: second committer",
     commit(more=b"committer " + IDENT + b"\n")),
    ("missingCommitter", "commit", "near: parent behind the committer",
     commit(more=b"parent " + ONES + b"\n")),
    ("nulInCommit", "commit", "NUL in the message", commit(message=b"\nsub\0ject\n")),
    ("nulInCommit", "commit", "near: other control bytes", commit(message=b"\nsub\1\x7fject\n")),
    ("nulInCommit", "commit", "near: the bad author comes first",
     commit(author=b"<a@b> 1 +0000", message=b"\n\0\n")),
    ("nulInCommit", "commit", "near: the bad committer comes first",
     commit(committer=b"<a@b> 1 +0000", message=b"\n\0\n")),
    # Identities.
    ("missingNameBeforeEmail", "commit", "line begins with the email", ident(b"<a@b> 1 +0000")),
    ("missingNameBeforeEmail", "commit", "near: empty name", ident(b" <a@b> 1 +0000")),
    ("missingEmail", "commit", "no email", ident(b"A U Thor 1 +0000")),
    ("missingEmail", "commit", "nothing at all", ident(b"")),
    ("missingEmail", "commit", "near: empty email", ident(b"A <> 1 +0000")),
    ("badName", "commit", "bracket in the name", ident(b"A > <a@b> 1 +0000")),
    ("badName", "commit", "bracket first", ident(b"> <a@b> 1 +0000")),
    ("badName", "commit", "near: quotes in the name", ident(b"\"A\\\" <a@b> 1 +0000")),
    ("missingSpaceBeforeEmail", "commit", "no blank", ident(b"A<a@b> 1 +0000")),
    ("missingSpaceBeforeEmail", "commit", "tab", ident(b"A\t<a@b> 1 +0000")),
    ("missingSpaceBeforeEmail", "commit", "near: two blanks", ident(b"A  <a@b> 1 +0000")),
    ("badEmail", "commit", "not closed", ident(b"A <a@b 1 +0000")),
    ("badEmail", "commit", "opened twice", ident(b"A <a<b> 1 +0000")),
    ("badEmail", "commit", "near: blanks in the email", ident(b"A < a b > 1 +0000")),
    ("missingSpaceBeforeDate", "commit", "no blank", ident(b"A <a@b>1 +0000")),
    ("missingSpaceBeforeDate", "commit", "nothing", ident(b"A <a@b>")),
    ("missingSpaceBeforeDate", "commit", "closed twice", ident(b"A <a@b>> 1 +0000")),
    ("missingSpaceBeforeDate", "commit", "tab", ident(b"A <a@b>\t1 +0000")),
    ("missingSpaceBeforeDate", "commit", "near: blanks and tabs", ident(b"A <a@b> \t  1 +0000")),
    ("badDate", "commit", "a word", ident(b"A <a@b> x +0000")),
    ("badDate", "commit", "negative", ident(b"A <a@b> -1 +0000")),
    ("badDate", "commit", "none", ident(b"A <a@b> ")),
    ("badDate", "commit", "glued to the zone", ident(b"A <a@b> 1+0000")),
    ("badDate", "commit", "ends the line", ident(b"A <a@b> 1")),
    ("badDate", "commit", "near: 0", ident(b"A <a@b> 0 +0000")),
    ("zeroPaddedDate", "commit", "01", ident(b"A <a@b> 01 +0000")),
    ("zeroPaddedDate", "commit", "00", ident(b"A <a@b> 00 +0000")),
    ("zeroPaddedDate", "commit", "0 at the end", ident(b"A <a@b> 0")),
    ("zeroPaddedDate", "commit", "near: 10", ident(b"A <a@b> 10 +0000")),
    ("badDateOverflow", "commit", "2^63", ident(b"A <a@b> 9223372036854775808 +0000")),
    ("badDateOverflow", "commit", "2^64", ident(b"A <a@b> 18446744073709551616 +0000")),
    ("badDateOverflow", "commit", "40 digits", ident(b"A <a@b> " + b"1" * 40 + b" +0000")),
    ("badDateOverflow", "commit", "near: 2^63 - 1", ident(b"A <a@b> 9223372036854775807 +0000")),
    ("badTimezone", "commit", "no sign", ident(b"A <a@b> 1 0000")),
    ("badTimezone", "commit", "three digits", ident(b"A <a@b> 1 +000")),
    ("badTimezone", "commit", "five digits", ident(b"A <a@b> 1 +00000")),
    ("badTimezone", "commit", "a letter", ident(b"A <a@b> 1 +00a0")),
    ("badTimezone", "commit", "two blanks", ident(b"A <a@b> 1  +0000")),
    ("badTimezone", "commit", "trailing blank", ident(b"A <a@b> 1 +0000 ")),
    ("badTimezone", "commit", "none", ident(b"A <a@b> 1 ")),
    ("badTimezone", "commit", "near: -9999", ident(b"A <a@b> 1 -9999")),
    ("badTimezone", "commit", "of the committer", commit(committer=b"A <a@b> 1 UTC")),
    ("badName", "tag", "of the tagger", tag(tagger=b"tagger A> <a@b> 1 +0000\n")),
    # Tags.
    ("missingObject", "tag", "no object line", tag(object=b"")),
    ("missingObject", "tag", "near: nothing special", tag()),
    ("badObjectSha1", "tag", "too short", tag(object=b"object " + TWOS[1:] + b"\n")),
    ("badObjectSha1", "tag", "no hexadecimal digit", tag(object=b"object " + b"z" * 40 + b"\n")),
    ("badObjectSha1", "tag", "too long", tag(object=b"object " + TWOS + b"2\n")),
    ("badObjectSha1", "tag", "near: upper case", tag(object=b"object " + b"A" * 40 + b"\n")),
    ("missingTypeEntry", "tag", "no type line", tag(type=b"")),
    ("missingTypeEntry", "tag", "near: a tag of a blob",
     tag(object=b"object " + b"3" * 40 + b"\n", type=b"type blob\n")),
    ("badType", "tag", "no type of git", tag(type=b"type branch\n")),
    ("badType", "tag", "upper case", tag(type=b"type Commit\n")),
    ("badType", "tag", "trailing blank", tag(type=b"type commit \n")),
    ("badType", "tag", "empty", tag(type=b"type \n")),
    ("badType", "tag", "near: a tag of a tag", tag(object=b"object " + b"6" * 40 + b"\n",
                                                  type=b"type tag\n")),
    ("missingTagEntry", "tag", "no tag line", tag(name=b"")),
    ("missingTagEntry", "tag", "near: a name of one byte", tag(name=b"tag x\n")),
    ("missingTag", "tag", "near: git sees missingTaggerEntry", tag(
        name=b"tag v1.0", tagger=b"", message=b"\n\n")),
    ("badTagName", "tag", "two dots", tag(name=b"tag v1..0\n")),
    ("badTagName", "tag", "empty", tag(name=b"tag \n")),
    ("badTagName", "tag", "blank", tag(name=b"tag v 1\n")),
    ("badTagName", "tag", "ends in .lock", tag(name=b"tag v1.lock\n")),
    ("badTagName", "tag", "ends in a dot", tag(name=b"tag v1.\n")),
    ("badTagName", "tag", "begins with a dot", tag(name=b"tag .v1\n")),
    ("badTagName", "tag", "two slashes", tag(name=b"tag v//1\n")),
    ("badTagName", "tag", "@{", tag(name=b"tag v@{1\n")),
    ("badTagName", "tag", "near: @ alone", tag(name=b"tag @\n")),
    ("badTagName", "tag", "near: slashes and bytes above 127", tag(name=b"tag a/\xc3\xa4/-b\n")),
    ("badTagName", "tag", "and no tagger", tag(name=b"tag v 1\n", tagger=b"")),
    ("missingTaggerEntry", "tag", "no tagger line", tag(tagger=b"")),
    ("missingTaggerEntry", "tag", "near: tagger with an empty email",
     tag(tagger=b"tagger A <> 1 +0000\n")),
    ("extraHeaderEntry", "tag", "one more header", tag(more=b"x y\n")),
    ("extraHeaderEntry", "tag", "behind a signature",
     tag(more=b"gpgsig x\n y\n z\ngpgsig-sha256 x\n")),
    ("extraHeaderEntry", "tag", "and a bad tagger", tag(
        tagger=b"tagger <a@b> 1 +0000\n", more=b"x y\n")),
    ("extraHeaderEntry", "tag", "near: signature of two lines", tag(more=b"gpgsig x\n y\n")),
    ("extraHeaderEntry", "tag", "near: SHA-256 signature", tag(more=b"gpgsig-sha256 x\n")),
    ("extraHeaderEntry", "tag", "near: no body", tag(message=b"")),
    # Trees.
    ("badTree", "tree", "one byte", b"1"),
    ("badTree", "tree", "blank first", b" 100644 a\0" + BLOB),
    ("badTree", "tree", "no octal digit", entry("100684", "a")),
    ("badTree", "tree", "empty name", entry("100644", "")),
    ("badTree", "tree", "no mode", entry("", "a")),
    ("badTree", "tree", "id cut", entry("100644", "a")[:-1]),
    ("badTree", "tree", "second entry bad; the mode of the first is not judged",
     entry("100666", "a") + entry("1", "")),
    ("badTree", "tree", "second entry bad, first with a null id",
     entry("100644", "a", b"\0" * 20) + b"1"),
    ("badTree", "tree", "third entry bad, first with a bad mode",
     entry("100666", "a") + entry("40000", "b") + b"x"),
    ("badTree", "tree", "near: empty tree", b""),
    ("nullSha1", "tree", "file", tree(("100644", "a", b"\0" * 20))),
    ("nullSha1", "tree", "gitlink", tree(("160000", "a", b"\0" * 20))),
    ("nullSha1", "tree", "near: last byte set", tree(("100644", "a", b"\0" * 19 + b"\1"))),
    ("fullPathname", "tree", "slash", tree(("100644", "a/b"))),
    ("fullPathname", "tree", "slash at the end", tree(("40000", "a/"))),
    ("fullPathname", "tree", "near: backslash", tree(("100644", "a\\b"))),
    ("emptyName", "tree", "near: git reports badTree", entry("40000", "") + entry("100644", "a")),
    ("hasDot", "tree", "dot", tree(("40000", "."))),
    ("hasDot", "tree", "near: dot and blank", tree(("40000", ". "))),
    ("hasDotdot", "tree", "dots", tree(("40000", ".."))),
    ("hasDotdot", "tree", "near: three dots", tree(("40000", "..."))),
    ("zeroPaddedFilemode", "tree", "directory", tree(("040000", "a"))),
    ("zeroPaddedFilemode", "tree", "file", tree(("0100644", "a"))),
    ("zeroPaddedFilemode", "tree", "near: directory", tree(("40000", "a"))),
    ("badFilemode", "tree", "100664 counts only with --strict", tree(("100664", "a"))),
    ("badFilemode", "tree", "100666", tree(("100666", "a"))),
    ("badFilemode", "tree", "100000", tree(("100000", "a"))),
    ("badFilemode", "tree", "40755", tree(("40755", "a"))),
    ("badFilemode", "tree", "120777", tree(("120777", "a"))),
    ("badFilemode", "tree", "140000", tree(("140000", "a"))),
    ("badFilemode", "tree", "777", tree(("777", "a"))),
    ("badFilemode", "tree", "0", tree(("0", "a"))),
    ("badFilemode", "tree", "near: more than 16 bits", tree(("1100644", "a"))),
    ("badFilemode", "tree", "near: the five good ones", tree(
        ("100644", "a"), ("100755", "b"), ("120000", "c"), ("40000", "d"), ("160000", "e"))),
    ("duplicateEntries", "tree", "same name", tree(("100644", "a"), ("100644", "a"))),
    ("duplicateEntries", "tree", "file and directory", tree(("100644", "a"), ("40000", "a"))),
    ("duplicateEntries", "tree", "not neighbours",
     tree(("100644", "x"), ("100644", "x.1"), ("40000", "x"))),
    ("duplicateEntries", "tree", "not neighbours, nested", tree(
        ("100644", "x"), ("100644", "x!"), ("100644", "x!-"), ("40000", "x!"), ("100644", "x."),
        ("40000", "x"))),
    ("duplicateEntries", "tree", "not neighbours, another name between", tree(
        ("100644", "x"), ("100644", "x-a"), ("100644", "x-a!"), ("100644", "x.1"),
        ("40000", "x"))),
    ("duplicateEntries", "tree", "not neighbours, a directory between", tree(
        ("100644", "x"), ("100644", "x!-"), ("40000", "x!"), ("100644", "x."), ("40000", "x"))),
    ("duplicateEntries", "tree", "near: git forgets the file at a name with a slash",
     tree(("100644", "x"), ("100644", "x.1"), ("100644", "x/y"), ("40000", "x"))),
    ("duplicateEntries", "tree", "near: file and directory, one byte longer",
     tree(("100644", "x"), ("100644", "x.1"), ("40000", "x.2"))),
    ("duplicateEntries", "tree", "near: directory, then file with a dot",
     tree(("100644", "a"), ("40000", "a0"))),
    ("treeNotSorted", "tree", "files", tree(("100644", "b"), ("100644", "a"))),
    ("treeNotSorted", "tree", "directory before file with a dot",
     tree(("40000", "a"), ("100644", "a.c"))),
    ("treeNotSorted", "tree", "file 'a0' before directory 'a'",
     tree(("100644", "a0"), ("40000", "a"))),
    ("treeNotSorted", "tree", "file before its start", tree(("100644", "ab"), ("100644", "a"))),
    ("treeNotSorted", "tree", "near: file with a dot before directory",
     tree(("100644", "a.c"), ("40000", "a"), ("100644", "a0"))),
    ("treeNotSorted", "tree", "near: bytes above 127 are last",
     tree(("100644", "~a"), ("100644", b"\x80"), ("100644", b"\xff"))),
    ("treeNotSorted", "tree", "long common start",
     tree(("100644", "abcdefghijklmnop2"), ("100644", "abcdefghijklmnop1"))),
    ("treeNotSorted", "tree", "and duplicates, bad modes, null id", tree(
        ("100666", "b"), ("100644", "a", b"\0" * 20), ("040000", "a"), ("100644", "a"))),
    ("largePathname", "tree", "4097 bytes", tree(("100644", "a" * 4097))),
    ("largePathname", "tree", "near: 4096 bytes", tree(("100644", "a" * 4096))),
    ("gitmodulesSymlink", "tree", "symlink", symlink(".gitmodules")),
    ("gitmodulesSymlink", "tree", "symlink, short name", symlink("GITMOD~1")),
    ("gitmodulesSymlink", "tree", "symlink, hashed short name", symlink("GI7EB~10")),
    ("gitmodulesSymlink", "tree", "symlink behind a backslash", symlink("a\\.gitmodules")),
    ("gitmodulesSymlink", "tree", "symlinks: plain name and behind a backslash",
     symlink(".gitmodules:\\.gitmodules")),
    ("gitmodulesSymlink", "tree", "near: short name of the fifth kind", symlink("GITMOD~5")),
    ("gitmodulesSymlink", "tree", "two symlinks, then flags",
     tree(("120000", ".GITMODULES"), ("120000", ".gitmodules"), ("40000", ".git"))),
    ("gitattributesSymlink", "tree", "symlink", symlink(".gitattributes")),
    ("gitattributesSymlink", "tree", "symlink, short name", symlink("gitatt~4")),
    ("gitattributesSymlink", "tree", "symlink, hashed short name", symlink("gi7d29~1")),
    ("gitattributesSymlink", "tree", "near: file of another name",
     symlink(".gitattribute")),
    ("gitignoreSymlink", "tree", "symlink", symlink(".gitignore")),
    ("gitignoreSymlink", "tree", "symlink, hashed short name", symlink("GI250A~9")),
    ("gitignoreSymlink", "tree", "near: file", tree(("100644", ".gitignore"))),
    ("mailmapSymlink", "tree", "symlink", symlink(".mailmap")),
    ("mailmapSymlink", "tree", "symlink, short name", symlink("MAILMA~2")),
    ("mailmapSymlink", "tree", "symlink, hashed short name", symlink("maba30~1")),
    ("mailmapSymlink", "tree", "symlink, digits for letters", symlink("~1000000")),
    ("mailmapSymlink", "tree", "near: file", tree(("100644", ".mailmap"))),
    ("mailmapSymlink", "tree", "near: symlink behind a backslash", symlink("a\\.mailmap")),
] + [
    ("hasDotgit", "tree", "alias " + ascii(name), tree(("40000", name))) for name in [
        ".git", ".GIT", ".gIt", ".git. .", ".git   ", "git~1", "GIT~1 .", ".git::$INDEX_ALLOCATION",
        ".git:", ".g\u200cit", "\u200e.git", ".git\ufeff", ".\u202agi\u206ft", "x\\.git", "x\\git~1",
        "x\\y\\.GIT ", ".git\\x", b".git\xff", b".git\xe2\x80",
        b".git\xef\xbf\xbe", b".git\xef\xbf\xbf", b".git\xed\xa0\x80", b".git\xf4\x90\x80\x80",
    ]
] + [
    ("hasDotgit", "tree", "near: " + ascii(name), tree(("40000", name))) for name in [
        "git", "git~2", ".gitx", ".git-x", ".git0", "git~11", "x\\git", "\\", ".\u2009git",
        ".git\u2009", ".g\u0131t", b".g\xffit", b".gi\xe2\x80t", b"\xc0\xaegit", ".github",
        b".git\xc4\xb0", b".git\xef\xbf\xbd", b".git\xed\x9f\xbf", b".git\xf4\x8f\xbf\xbf", "\ufeffgit", "~", "g~1", "gi~1", "git~",
    ]
] + [
    ("gitmodulesName", "gitmodules", "dots", gitmodules("..", path="x")),
    ("gitmodulesName", "gitmodules", "climbs", gitmodules("a/../b", path="x")),
    ("gitmodulesName", "gitmodules", "climbs with backslash, two variables",
     gitmodules("a\\\\..", path="x", url="./y")),
    ("gitmodulesName", "gitmodules", "empty", gitmodules("", path="x")),
    ("gitmodulesName", "gitmodules", "section of the old style", b"[submodule...]\npath = x\n"),
    ("gitmodulesName", "gitmodules", "near: three dots", gitmodules(".../..a/a..", path="x")),
    ("gitmodulesName", "gitmodules", "near: no variable", gitmodules("..")),
    ("gitmodulesName", "gitmodules", "near: another section", b'[remote ".."]\nurl = -x\n'),
    ("gitmodulesName", "gitmodules", "near: no submodule", b"[submodule]\npath = -x\n"),
    ("gitmodulesPath", "gitmodules", "option", gitmodules(path="-x")),
    ("gitmodulesPath", "gitmodules", "option in quotes", gitmodules(path='"-x"')),
    ("gitmodulesPath", "gitmodules", "near: dash inside", gitmodules(path="x-")),
    ("gitmodulesPath", "gitmodules", "near: no value", b'[submodule "a"]\npath\n'),
    ("gitmodulesUpdate", "gitmodules", "command", gitmodules(update="!rm")),
    ("gitmodulesUpdate", "gitmodules", "near: checkout", gitmodules(update="checkout")),
    ("gitmodulesUpdate", "gitmodules", "near: no command", gitmodules(update="x!")),
    ("gitmodulesParse", "gitmodules", "no key", gitmodules(path="x") + b"= y\n"),
    ("gitmodulesParse", "gitmodules", "section not closed", b"[submodule \"a\"\n"),
    ("gitmodulesParse", "gitmodules", "quote not closed", gitmodules(path='"x')),
    ("gitmodulesParse", "gitmodules", "after a bad url", gitmodules(url="-x") + b"?\n"),
    ("gitmodulesParse", "gitmodules", "unknown escape", gitmodules(path="\\x")),
    ("gitmodulesParse", "gitmodules", "binary", b"\0\1\2"),
    ("gitmodulesParse", "gitmodules", "half a byte order mark", b"\xef\xbb[core]\n"),
    ("gitmodulesParse", "gitmodules", "near: empty", b""),
    ("gitmodulesParse", "gitmodules", "byte order mark", b"\xef\xbb\xbf" + gitmodules(path="x")),
    ("gitmodulesParse", "gitmodules", "near: comment, continuation",
     b"# x\r\n" + gitmodules(path="x \\\n\ty ; z")),
    ("gitattributesLineLength", "gitattributes", "2048 bytes", b"a" * 2048 + b"\n"),
    ("gitattributesLineLength", "gitattributes", "second line, not ended", b"a\n" + b"b" * 2048),
    ("gitattributesLineLength", "gitattributes", "near: 2047 bytes", b"a" * 2047 + b"\n"),
    ("gitattributesLineLength", "gitattributes", "near: behind a NUL", b"a\0" + b"b" * 3000),
] + [
    ("gitmodulesUrl", "gitmodules", "url " + url, gitmodules(url='"%s"' % url)) for url in [
        "-x", "./%0ax", "../%0A", "./a\\nb", "git://host/%0a", "../:x", ".././../:80",
        "..\\\\:x", ".././/x", "./..//x", "http://", "http:///x", "https://:80/x", "http://h:0/",
        "http://h:65536/", "http://h:8a/", "http://h:000080000/", "http://ho st/", "http://h%41/",
        "http://h/%0a", "http://h/%", "http://h/%4", "http://h/%4g", "http://u%0a@h/",
        "http://u%@h/", "http://h/?%0a", "http://h/#%0a", "http://h/..", "http://h/a/../..",
        "http://h/%2e%2e/", "http::h/x", "http::https://h/%0a", "ftp://h/%0a", "ftps::x",
        "http://h/a/b\\nc", "http://@/x", "http://a@b@c/",
        "http::1http://h/", "https://?x", "https://#x", "http://h?%zz",
    ]
] + [
    ("gitmodulesUrl", "gitmodules", "near: url " + url, gitmodules(url='"%s"' % url)) for url in [
        "x", "./x", "../x", "../../x", "./:x", ".//x", "%0a", "ssh://h/%0a", "/x%0a", "./%0a:x",
        "http://h", "http://h/", "http://h:80/", "http://h:65535", "http://h:/", "http://h:00443/x",
        "http://u:p@h/", "http://u%40:p%3a@h/", "http://[::1]:80/", "http://h/%20", "http://h/a/..",
        "http://h/a/./../b", "http://h/%0a/../b", "http://h/%250a", "http::https://h/",
        "https::file:///x", "https::file://:/x", "HTTP://h/%0a", "httpx://%0a", "http:/x", "ftp::http+x://h",
        "git://h/%0", "git://h/%00", ":%0a", "file:///%0a", "http://h/?a/../../..", "http://h#/../..",
        "http://@h/", "http://h/%2F..%2F", "https::file://x:80/", "http://[::1/",
        "http://[::1]/", "https::file:///", "http://h/\xc3\xa4", "http://h?x%20", "ext::sh -c x",
    ]
]

# git 2.55 does not end here: it reads the same parent line again and again.
HANGS = {("badParentSha1", "at the end"): ("ignore", "warn")}

MODES = ["default", "strict", "ignore", "warn", "error"]


def literal(data):
    # Octal escapes of three digits cannot swallow what follows them.
    text = "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else "\\%03o" % b for b in data)
    pieces, piece = [], ""
    for token in re.findall(r"\\[0-7]{3}|.", text):
        if len(piece) + len(token) > 80:
            pieces.append(piece)
            piece = ""
        piece += token
    pieces.append(piece)
    return "\n     ".join('"%s"' % p for p in pieces) + "sv"


def write_loose(repository, kind, body):
    content = kind.encode() + b" %d\0" % len(body) + body
    oid = hashlib.sha1(content).hexdigest()
    directory = os.path.join(repository, "objects", oid[:2])
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, oid[2:]), "wb") as file:
        file.write(zlib.compress(content))
    return oid


def object_of(case):
    """The type and body of the object that is judged, and the objects it needs beside it."""
    _, kind, _, body = case
    if kind in ("gitmodules", "gitattributes"):
        oid = hashlib.sha1(b"blob %d\0" % len(body) + body).digest()
        return "blob", body, [("tree", tree(("100644", "." + kind, oid)))]
    return kind, body, []


LINE = re.compile(rb"(error|warning) in (\w+) ([0-9a-f]{40}): (\w+): (.*)", re.S)


def split_lines(stderr):
    # A message may hold a line feed: a line that begins like no line of git belongs to the one before.
    lines = []
    for line in stderr.split(b"\n"):
        if lines and not re.match(rb"(error|warning|notice|fatal)[: ]", line) and line:
            lines[-1] += b"\n" + line
        elif line:
            lines.append(line)
    return lines


def main():
    git = sys.argv[1]
    environment = dict(os.environ, GIT_CONFIG_NOSYSTEM="1", HOME="/nonexistent", LC_ALL="C")
    version = subprocess.run([git, "--version"], capture_output=True, env=environment).stdout
    verdicts = [{mode: [] for mode in MODES + ["hash-object"]} for _ in CASES]

    def run(repository, *arguments, stdin=b""):
        return subprocess.run([git, "--git-dir", repository, *arguments], input=stdin,
                              capture_output=True, env=environment).stderr

    with tempfile.TemporaryDirectory() as scratch:
        # One repository for each set of cases that contain no object twice.
        left = list(range(len(CASES)))
        while left:
            batch, later, seen = [], [], {}
            for number in left:
                kind, body, extra = object_of(CASES[number])
                alone = CASES[number][:3:2] in HANGS
                if (kind, body) in seen or (alone and len(left) > 1):
                    later.append(number)
                else:
                    seen[kind, body] = number
                    batch.append(number)
            left = later
            repository = tempfile.mkdtemp(dir=scratch)
            run(repository, "init", "-q", "--bare")
            of_oid = {}
            for number in batch:
                kind, body, extra = object_of(CASES[number])
                of_oid[write_loose(repository, kind, body).encode()] = number
                for extra_kind, extra_body in extra:
                    write_loose(repository, extra_kind, extra_body)

            def record(mode, wanted, *arguments):
                stderr = run(repository, *arguments, "--no-dangling", "--no-references")
                for line in split_lines(stderr):
                    match = LINE.fullmatch(line)
                    number = match and of_oid.get(match[3])
                    if number is not None and number in wanted:
                        verdicts[number][mode].append((match[1], match[4], match[5]))

            record("default", set(batch), "fsck")
            record("strict", set(batch), "fsck", "--strict")
            for rule in sorted({CASES[number][0] for number in batch}):
                wanted = {number for number in batch if CASES[number][0] == rule}
                for mode in ("ignore", "warn", "error"):
                    if any(mode in HANGS.get(CASES[number][:3:2], ()) for number in wanted):
                        for number in wanted:
                            verdicts[number][mode] = None
                        continue
                    record(mode, wanted, "-c", "fsck.%s=%s" % (rule, mode), "fsck")
            for number in batch:
                kind, body, extra = object_of(CASES[number])
                stderr = run(repository, "hash-object", "-t", kind, "--stdin", stdin=body)
                for line in split_lines(stderr):
                    match = re.fullmatch(rb"error: object fails fsck: (\w+): (.*)", line, re.S)
                    if match:
                        verdicts[number]["hash-object"].append((b"error", match[1], match[2]))

    print("// Recorded by record_rule_cases.py with %s; do not edit." % version.decode().strip())
    print("// {rule, type, what is special, body, {default, strict, ignore, warn, error}, hash-object}")
    for case, verdict in zip(CASES, verdicts):
        rule, kind, special, body = case

        def told(lines):
            if lines is None:
                return literal(b"?")
            return literal(b"\n".join(b"%s %s: %s" % (s[:1].upper(), i, t.replace(b"\n", b"\\n"))
                                      for s, i, t in lines))
        print("{\"%s\", \"%s\", %s,\n     %s," % (rule, kind, literal(special.encode()), literal(body)))
        print("     {%s}," % ",\n      ".join(told(verdict[mode]) for mode in MODES))
        print("     %s}," % told(verdict["hash-object"]))


main()
