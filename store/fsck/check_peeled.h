// check_peeled: whether the peeled values in packed-refs are what the tags lead to.
//
// A line "^ID" behind an annotated tag says what it peels to, so that git need not read the tag:
// what it advertises to those who fetch comes from there. git never compares the two.
#pragma once

#include "store/fsck/object_view.h"
#include "store/fsck/read_object.h"
#include "store/refs/packed_refs.h"
#include "store/report/policy.h"
#include "store/report/sink.h"

namespace assay {

// Findings: kPeeledUntrue. Of what is not there, or cannot be read, nothing is said.
// `shown`: what messages call packed-refs.
void check_peeled(const PackedRefs& packed, const std::string& shown, const ObjectView& objects,
                  const ReadObject& read, const Policy& policy, FindingSink& findings);

}  // namespace assay
