// find_wrong_bitmaps: do reachability bitmaps say what their commits reach?
//
// A set of objects is what a commit reaches exactly when it holds the commit, when every link of an
// object in it leads to an object in it, and when every object in it but the commit is linked to
// from within: links never go round, so whoever follows them back ends at an object that nothing
// links to. So no graph is walked: every object is read once, in the order of the pack, and each
// of its links is compared for all bitmaps at once, 64 to a machine word.
#pragma once

#include <functional>
#include <vector>

#include "store/fsck/link_ledger.h"
#include "store/fsck/storage.h"

namespace assay {

struct BitmapTruthOptions {
  unsigned threads = 1;
  // Bytes for tables; with less, objects are read several times for some of the bitmaps each.
  std::uint64_t memory = std::uint64_t{256} << 20;
};

// A bitmap and an object about which it is wrong, the one with the lowest id.
struct WrongBitmap {
  std::uint32_t entry = 0;  // rank in the file
  ObjectId object;
  bool reaches = false;  // the commit reaches the object and the bitmap lacks it; else the reverse
};

// What a file of bitmaps says, as far as it matters here.
struct BitmapRows {
  std::vector<std::uint32_t> numbers;      // of every bit, the number of its object, or kAbsent
  std::vector<std::uint32_t> commit_bits;  // of every entry
  // Calls `set(entry, bit)` for all bits of the entries first .. first + count - 1.
  std::function<void(std::uint32_t first, std::uint32_t count,
                     const std::function<void(std::uint32_t, std::uint32_t)>& set)>
      read;
};

// Returns: the wrong bitmaps, by entry. One that holds a damaged object is not judged.
std::vector<WrongBitmap> find_wrong_bitmaps(const BitmapRows& rows, const Storage& storage,
                                            const LinkLedger& ledger,
                                            const BitmapTruthOptions& options);

}  // namespace assay
