// ReftableBuilder: a reftable made by hand, record by record: refs, an index over their blocks, an
// object section, logs. Any part of the finished file can be changed and its footer sealed again.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/object_id.h"
#include "store/codec/crc32.h"
#include "tests/support/loose_files.h"

namespace assay::testing {

inline std::string be_text(std::uint64_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    text += static_cast<char>(value >> shift);
  }
  return text;
}

// A number as reftables have it: groups of seven bits, the highest first.
inline std::string reftable_number(std::uint64_t value) {
  std::string text(1, static_cast<char>(value & 0x7f));
  while ((value >>= 7) != 0) {
    --value;
    text.insert(text.begin(), static_cast<char>(0x80 | (value & 0x7f)));
  }
  return text;
}

class ReftableBuilder {
 public:
  std::uint64_t min_index = 1;
  std::uint64_t max_index = 9;
  std::uint32_t block_size = 0;      // 0: unaligned
  std::size_t records_a_block = 3;   // of refs and logs
  std::size_t restart_interval = 2;  // records from one restart to the next
  bool with_index = true;            // over more than one block
  bool with_objects = false;         // needs ids of which the first two bytes differ

  // In ascending order of names.
  void add_ref(std::string_view name, const ObjectId& id, std::uint64_t update = 0) {
    refs_.push_back({std::string(name), 1, reftable_number(update) + raw(id), {id}});
  }
  void add_peeled(std::string_view name, const ObjectId& id, const ObjectId& peeled) {
    refs_.push_back(
        {std::string(name), 2, reftable_number(0) + raw(id) + raw(peeled), {id, peeled}});
  }
  void add_symref(std::string_view name, std::string_view target) {
    refs_.push_back({std::string(name),
                     3,
                     reftable_number(0) + reftable_number(target.size()) + std::string(target),
                     {}});
  }
  void add_deletion(std::string_view name) {
    refs_.push_back({std::string(name), 0, reftable_number(0), {}});
  }
  // By name, then newest first.
  void add_log(std::string_view name, std::uint64_t update, const ObjectId& old_id,
               const ObjectId& new_id, std::uint64_t seconds = 1) {
    const std::string text = "A";
    logs_.push_back({log_key(name, update),
                     1,
                     raw(old_id) + raw(new_id) + reftable_number(1) + text + reftable_number(3) +
                         "a@e" + reftable_number(seconds) + be_text(60, 2) + reftable_number(1) +
                         "m",
                     {}});
  }
  void add_log_deletion(std::string_view name, std::uint64_t update) {
    logs_.push_back({log_key(name, update), 0, "", {}});
  }
  // A record of the last section that has any, with whatever bytes.
  void add_raw_ref(std::string_view name, unsigned extra, std::string value) {
    refs_.push_back({std::string(name), extra, std::move(value), {}});
  }

  std::string build() const {
    std::string file = header();
    std::vector<IndexEntry> blocks;
    std::map<std::string, std::vector<std::uint64_t>> objects;
    add_blocks(file, 'r', refs_, records_a_block, blocks, &objects);
    std::uint64_t ref_index = 0;
    if (with_index && blocks.size() > 1) ref_index = add_index(file, blocks);
    std::uint64_t object_position = 0;
    if (with_objects) {
      pad(file);
      object_position = file.size();
      std::vector<Record> records;
      for (const auto& [key, positions] : objects) {
        std::string value;
        std::uint64_t former = 0;
        for (const std::uint64_t position : positions) {
          value += reftable_number(position - former);
          former = position;
        }
        records.push_back({key, static_cast<unsigned>(positions.size()), value, {}});
      }
      std::vector<IndexEntry> ignored;
      add_blocks(file, 'o', records, records.size(), ignored, nullptr);
    }
    std::uint64_t log_position = 0;
    std::uint64_t log_index = 0;
    if (!logs_.empty()) {
      if (!refs_.empty()) log_position = file.size();
      std::vector<IndexEntry> log_blocks;
      add_blocks(file, 'g', logs_, records_a_block, log_blocks, nullptr);
      if (log_blocks.size() > 1) log_index = add_index(file, log_blocks);
    }
    file += header() + be_text(ref_index, 8) +
            be_text(object_position << 5 | (object_position != 0 ? kAbbreviation : 0), 8) +
            be_text(0, 8) + be_text(log_position, 8) + be_text(log_index, 8);
    file += std::string(4, '\0');
    return sealed(file);
  }

  // Returns: the file with the checksum of its footer made right.
  static std::string sealed(std::string file) {
    const std::string_view footer = std::string_view(file).substr(file.size() - kFooterSize);
    const std::uint32_t crc = crc32_of(as_bytes(footer.substr(0, kFooterSize - 4)));
    file.replace(file.size() - 4, 4, be_text(crc, 4));
    return file;
  }

  static constexpr std::size_t kHeaderSize = 24;
  static constexpr std::size_t kFooterSize = 68;

 private:
  static constexpr std::size_t kAbbreviation = 2;
  struct Record {
    std::string key;
    unsigned extra;
    std::string value;
    std::vector<ObjectId> ids;
  };
  struct IndexEntry {
    std::string last_key;
    std::uint64_t position;
  };

  static std::string raw(const ObjectId& id) { return std::string(as_text(id.bytes())); }
  static std::string log_key(std::string_view name, std::uint64_t update) {
    return std::string(name) + '\0' + be_text(~update, 8);
  }
  std::string header() const {
    return "REFT" + be_text(1, 1) + be_text(block_size, 3) + be_text(min_index, 8) +
           be_text(max_index, 8);
  }

  void add_blocks(std::string& file, char type, const std::vector<Record>& records,
                  std::size_t a_block, std::vector<IndexEntry>& index,
                  std::map<std::string, std::vector<std::uint64_t>>* objects) const {
    for (std::size_t begin = 0; begin < records.size(); begin += a_block) {
      const std::size_t end = std::min(records.size(), begin + a_block);
      if (type != 'g') pad(file);
      // The first block shares its offsets with the header of the file.
      const bool is_first = file.size() == kHeaderSize;
      const std::uint64_t position = is_first ? 0 : file.size();
      const std::string block =
          block_of(type, records, begin, end, is_first ? kHeaderSize : 0, file.size());
      file += block;
      index.push_back({records[end - 1].key, position});
      if (objects == nullptr) continue;
      for (std::size_t i = begin; i < end; ++i) {
        for (const ObjectId& id : records[i].ids) {
          auto& positions = (*objects)[raw(id).substr(0, kAbbreviation)];
          if (positions.empty() || positions.back() != position) positions.push_back(position);
        }
      }
    }
  }

  // Returns: the position of the index.
  std::uint64_t add_index(std::string& file, const std::vector<IndexEntry>& blocks) const {
    if (blocks.empty() || file[blocks[0].position] != 'g') pad(file);
    const std::uint64_t position = file.size();
    std::vector<Record> records;
    for (const IndexEntry& entry : blocks) {
      records.push_back({entry.last_key, 0, reftable_number(entry.position), {}});
    }
    file += block_of('i', records, 0, records.size(), 0, file.size());
    return position;
  }

  void pad(std::string& file) const {
    if (block_size != 0 && file.size() > kHeaderSize) {
      file.resize((file.size() + block_size - 1) / block_size * block_size, '\0');
    }
  }

  std::string block_of(char type, const std::vector<Record>& records, std::size_t begin,
                       std::size_t end, std::size_t header, std::size_t) const {
    std::string body;
    std::string restarts;
    std::size_t restart_count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      std::size_t prefix = 0;
      if ((i - begin) % restart_interval == 0) {
        restarts += be_text(header + 4 + body.size(), 3);
        ++restart_count;
      } else {
        const std::string& former = records[i - 1].key;
        while (prefix < former.size() && prefix < records[i].key.size() &&
               former[prefix] == records[i].key[prefix]) {
          ++prefix;
        }
      }
      const std::string suffix = records[i].key.substr(prefix);
      body += reftable_number(prefix) +
              reftable_number(std::uint64_t{suffix.size()} << 3 | records[i].extra) + suffix +
              records[i].value;
    }
    body += restarts + be_text(restart_count, 2);
    const std::string head = std::string(1, type) + be_text(header + 4 + body.size(), 3);
    return head + (type == 'g' ? deflated(body) : body);
  }

  std::vector<Record> refs_;
  std::vector<Record> logs_;
};

}  // namespace assay::testing
