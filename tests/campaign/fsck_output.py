"""Reads what `git fsck` and `assay fsck` say: lines of words become a set of (kind, subject).

The kinds are the names in store/report/messages.def. The subject is an object id, a ref or the
name of a file, without the path that leads to it. Lines that only tell why (an inflate error
before "object corrupt or missing") are details: their words are git's business and zlib's.
"""
import os
import re

OID = r"(?P<oid>[0-9a-f]{40,64})"
TYPE = r"(?P<type>blob|tree|commit|tag|unknown)"

# Checked in this order; the first that fits the whole line counts. kind None: a detail; kind "":
# said by some versions of git and of no consequence.
LINES = [(kind, re.compile(pattern)) for kind, pattern in [
    # stdout
    ("missing", rf"missing (?P<subject>{TYPE} {OID})"),
    ("dangling", rf"dangling (?P<subject>{TYPE} {OID})"),
    ("unreachable", rf"unreachable (?P<subject>{TYPE} {OID})"),
    ("root", rf"root (?P<subject>{OID})"),
    ("tagged", rf"tagged (?P<subject>{TYPE} {OID} \(.*\) in [0-9a-f]+)"),
    (None, rf"broken link from +{TYPE} {OID}"),
    ("brokenLink", rf"broken link from +{TYPE} (?P<subject>unknown)"),
    ("brokenLink", rf" +to +(?P<subject>{TYPE} {OID})"),
    # What an object says
    ("brokenLinks", rf"error in {TYPE} (?P<subject>{OID}): broken links"),
    ("wrongObjectType", rf"error in {TYPE} (?P<subject>{OID}): wrong object type in link"),
    ("nonTreeInCacheTree", rf"error in {TYPE} (?P<subject>{OID}): non-tree in cache-tree"),
    ("ID", rf"(?P<severity>error|warning) in {TYPE} (?P<subject>{OID}): (?P<id>\w+): .*"),
    # Loose objects and parsing
    ("objectCorrupt", rf"error: (?P<subject>{OID}): object corrupt or missing(: .*)?"),
    ("objectNotParsed", rf"error: (?P<subject>{OID}): object could not be parsed: .*"),
    ("hashPathMismatch", rf"error: {OID}: hash-path mismatch, found at: (?P<path>.*)"),
    ("hashPathMismatch", rf"error: hash mismatch for (?P<path>.*) \(expected {OID}\)"),
    ("objectTypeClash", rf"error: object (?P<subject>{OID}) is a \w+, not a \w+"),
    ("unparsable", rf"error: (bogus commit object|bad tree pointer in commit|"
                   rf"bad parents in commit) (?P<subject>{OID})"),
    ("unparsable", rf"error: bad (tree pointer|parent|graft parent) {OID} in commit "
                   r"(?P<subject>[0-9a-f]{40,})"),
    ("unparsable", rf"error: unknown tag type '.*' in (?P<subject>{OID})"),
    ("unparsable", rf"error: bad tag pointer to {OID} in (?P<subject>[0-9a-f]+)"),
    ("cruftFile", r"(error: )?bad sha1 file: (?P<file>.*)"),
    ("symlinkInObjects", r"warning: (?P<file>.*) is a symbolic link.*"),
    # Files made for a pack, that are sound in themselves
    ("reverseIndexUntrue", r"warning: reverse-index file (?P<file>\S+) (was made for|has hash id) .*"),
    ("bitmapUntrue", r"error: bitmap file '(?P<file>\S+)'(?: was made for| is wrong about| has a bitmap "
                     r"for|:) .*"),
    # Packs
    ("packIndexHashMismatch", r"error: Packfile index for (?P<file>.*) hash mismatch"),
    ("packIndexBad", r"error: (?:index file|non-monotonic index|wrong index v[12] file size in) "
                     r"(?P<file>\S+)(?: is .*)?"),
    ("packIndexBad", r"error: packfile (?P<file>\S+) index (?:not opened|unavailable)"),
    ("packIndexBad", r"fatal: offset (?:before|beyond) .* (?P<file>\S+\.idx).*"),
    ("packIndexOrder", r"error: Packfile index for (?P<file>\S+) is out of order at position .*"),
    (None, r"error: tree [0-9a-f]+ has an entry that cannot be parsed"),
    ("packBad", r"error: packfile (?P<file>\S+) (?:cannot be accessed|claims to have .*|is version "
                r".*|does not match index|is truncated|not opened).*"),
    ("packBad", r"error: file (?P<file>\S+) is (?:far too short to be a packfile|not a GIT "
                r"packfile)"),
    ("packBad", r"error: packfile (?P<file>\S+) (?:is not a .*|is too short.*|changed.*)"),
    ("packChecksumMismatch", r"error: (?P<file>\S+) pack checksum (?:mismatch|does not match its "
                             r"index)"),
    ("entryCrcMismatch", rf"error: index CRC mismatch for object (?P<subject>{OID}) from .*"),
    ("entryUnpackable", rf"error: cannot unpack (?P<subject>{OID}) from .* at offset .*"),
    ("packedObjectCorrupt", rf"error: packed (?P<subject>{OID}) from .* is corrupt"),
    ("deltaBaseBad", rf"error: failed to read delta base object (?P<subject>{OID}) at .*"),
    ("reverseIndexBad", r"error: (?:unable to load|invalid) rev-index for pack '(?P<file>.*)'"),
    ("reverseIndexBad", r"error: reverse-index file (?P<file>\S+) .*"),
    ("bitmapBad", r"error: bitmap file '(?P<file>.*)' has invalid checksum"),
    # What the children of git fsck say about their files, without a prefix of their own
    ("", r"in \S+:"),
    ("commitGraphBad", r"(?:error: |warning: |fatal: )?.*commit-graph.*(?P<subject>)"),
    (None, rf"error: Could not read {OID}"),
    (None, rf"error: Unknown object type for {OID}"),
    (None, rf"error: Object {OID} not a (?:blob|tree|commit|tag)"),
    ("multiPackIndexBad", r"(?:error: |warning: |fatal: )?(?:.*multi-pack-index|incorrect checksum|"
                          r"failed to load pack|oid (?:fanout|lookup) out of order|"
                          r"incorrect object offset).*(?P<subject>)"),
    # Refs, reflogs, index files
    ("cacheTreeUntrue", rf"error: cache-tree of (?P<subject>.*) names {OID} for .*"),
    ("invalidRefPointer", rf"error: (?P<subject>.*): invalid sha1 pointer {OID}"),
    ("refNotACommit", r"error: (?P<subject>.*): not a commit"),
    ("invalidReflogEntry", rf"error: (?P<subject>.*: invalid reflog entry {OID})"),
    ("invalidCacheTreePointer", rf"error: (?P<subject>{OID}): invalid sha1 pointer in cache-tree.*"),
    ("invalidResolveUndoPointer",
     rf"error: (?P<subject>{OID}): invalid sha1 pointer in resolve-undo.*"),
    ("ID", r"(?P<severity>error|warning): (?P<subject>.+?): (?P<id>(?:bad|symlink|symref|ref|"
           r"trailing|packed|empty)[A-Za-z]+): .*"),
    ("headStrange", r"error: (?P<subject>.+) points to something strange \(.*\)"),
    ("packedRefsBad", r"(?:error|fatal): (?:unexpected line in|packed refname contains embedded NULL:) "
                      r".*(?P<subject>)"),
    ("noDefaultReferences", r"notice: No default references(?P<subject>)"),
    ("objectDirectoryMissing", r"error: object directory (?P<subject>.*) does not exist; check .*"),
    ("objectDirectoryMissing", r"error: unable to normalize alternate object path: (?P<subject>.*)"),
    ("alternateIgnored", r"error: (?P<subject>.*): ignoring alternate object stores, nesting .*"),
    # What only assay says
    ("reflogLineBad", r"warning: (?P<subject>\S+): \d+ lines? of the reflog cannot be read, .*"),
    ("nonCanonicalZlib", r"warning: (?P<path>.+) has bits in its zlib stream that mean nothing"),
    ("foreignFile", r"warning: (?P<file>.+) is no part of an object directory"),
    ("packNameMismatch", r"warning: the name of (?P<file>\S+) fits neither its checksum nor its objects"),
    ("peeledUntrue", r"warning: .*packed-refs:\d+: (?P<subject>.+?): (?:has a|lacks its|the) peeled value"
                     r".*"),
    ("implicitEmptyTree", rf"warning: (?P<subject>{OID}) is the empty tree, .*"),
    ("packOrphan", r"warning: no corresponding \.idx: (?P<file>.*)"),
    ("packIndexOrphan", r"warning: no corresponding \.pack: (?P<file>.*)"),
    ("packGap", r"error: \d+ bytes? at offset \d+ of (?P<file>\S+) belongs? to no entry"),
    ("refBroken", r"warning: (?P<subject>packed-refs line \d+): git does not see .*"),
    ("refBroken", r"warning: (?P<subject>.+?): (?:file is empty|file holds NUL bytes only|content is "
                  r"neither .*|points to .*|.*symbolic.*|name is not a valid ref name|object id is null)"),
    (None, r"error: header of .* declares \d+ bytes, but .*"),
    # Details
    (None, r"error: inflate: .*"),
    (None, r"error: (?:object file .* is empty|unable to mmap .*|unable to open .*)"),
    (None, r"error: unable to (?:unpack|parse) .*"),
    (None, r"error: (?:corrupt loose object|garbage at end of loose object) '.*'"),
    (None, r"error: header for .* (?:too long|declares an unknown type).*"),
    (None, r"error: (?:bad object header|unknown object type .* at offset .*)"),
    (None, r"error: failed to (?:unpack compressed delta|validate delta base reference|apply delta)"
           r".*"),
    (None, r"error: delta (?:replay has gone wild|.*)"),
    (None, r"error: unexpected delta opcode 0"),
    (None, r"error: (?:too-short tree (?:object|file)|malformed mode in tree entry|"
           r"empty filename in tree entry|truncated object.*)"),
    (None, r"error: (?:object of unexpected type|unknown object type|object is of unknown type).*"),
    (None, r"error: .*: object is of unknown type '.*': .*"),
    (None, r"error: mmap failed.*"),
    (None, rf"error: hash mismatch {OID}"),
    (None, r"error: (?:bad index file sha1 signature|bad signature 0x.*|bad index version .*|"
           r"invalid rev-index position .*|invalid checksum)"),
    ("", r"notice: HEAD points to an unborn branch .*"),
    ("", r"hint:.*"),
    ("", r"warning: This repository uses promisor remotes\. .*"),
    ("", r"SHA-1 .*%.*"),
]]


class Verdict:
    """What one run said.

    status    the exit status, negative for a signal, None when it was stopped for taking too long
    findings  set of (kind, subject)
    fatal     the line at which git died, or None
    lines     stdout and stderr, as they were
    """

    def __init__(self, status, stdout, stderr):
        self.status, self.fatal = status, None
        self.lines = stdout + stderr
        self.findings = set()
        for line in self.lines.splitlines():
            self.read(line)

    def read(self, line):
        if not line:
            return
        for kind, pattern in LINES:
            match = pattern.fullmatch(line)
            if match:
                break
        else:
            kind, match = "unknown line", None
        if line.startswith("fatal: "):
            self.fatal = line
            if not kind or kind == "unknown line":
                return
        if not kind:
            return
        groups = match.groupdict() if match else {"subject": line}
        subject = groups.get("subject")
        if subject is None and groups.get("path"):  # a loose object: its id is its path
            subject = "".join(groups["path"].split("/")[-2:])
        if subject is None:
            subject = re.sub(r"\.(pack|idx)$", "", os.path.basename(groups["file"]))
        if kind == "ID":
            kind = groups["id"] if groups["severity"] == "error" else groups["id"] + " (warning)"
        self.findings.add((kind, subject))

    @property
    def died(self):
        """git's die(): 128 is also the bit of a bad bitmap, but then there is no fatal line."""
        return self.status == 128

    @property
    def crashed(self):
        return self.status is None or self.status < 0 or self.status > 255
