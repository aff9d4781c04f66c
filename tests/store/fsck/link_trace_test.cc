#include "store/fsck/link_trace.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr std::size_t kRoomy = 1000;

std::vector<std::uint32_t> items_of(const LinkTrace& trace, std::uint32_t number) {
  const auto items = trace.record(number).items;
  return {items.begin(), items.end()};
}

std::vector<std::uint32_t> order_of(const LinkTrace& trace) {
  std::vector<std::uint32_t> numbers;
  for (const LinkTrace::Place place : trace.in_order()) {
    numbers.push_back(trace.record_at(place).number);
  }
  return numbers;
}

void record_new(LinkTrace::Writer& writer, std::uint32_t number, std::uint32_t target) {
  writer.begin(number, LinkTrace::kNoBase);
  writer.set_target(writer.add_new(), target);
  writer.end();
}

void record_derived(LinkTrace::Writer& writer, std::uint32_t number, std::uint32_t base) {
  writer.begin(number, base);
  writer.inherit(0, 1);
  writer.end();
}

TEST(LinkTrace, GivesBackWhatWasRecorded) {
  LinkTrace trace;
  LinkTrace::Writer writer(kRoomy);
  writer.begin(3, LinkTrace::kNoBase);
  const std::size_t late = writer.add_new();
  (void)writer.add_new();
  writer.end();
  writer.begin(1, 3);
  writer.inherit(1, 2);
  writer.end();
  writer.set_target(late, 7);  // the lookup ended after the record
  trace.take(std::move(writer));
  trace.index(8);
  EXPECT_EQ(items_of(trace, 3), (std::vector<std::uint32_t>{7, LinkTrace::kNoTarget}));
  EXPECT_EQ(items_of(trace, 1), (std::vector<std::uint32_t>{LinkTrace::kInherited | 2, 1}));
  EXPECT_EQ(trace.record(1).base, 3U);
  EXPECT_FALSE(trace.has_record(0));
  EXPECT_FALSE(trace.record(0).known);
}

TEST(LinkTrace, BasesComeBeforeWhatDerivesFromThem) {
  // The derived ones were recorded by another worker, who handed over first.
  LinkTrace trace;
  LinkTrace::Writer first(kRoomy);
  record_derived(first, 0, 1);
  record_derived(first, 1, 2);
  LinkTrace::Writer second(kRoomy);
  record_new(second, 2, 5);
  trace.take(std::move(first));
  trace.take(std::move(second));
  trace.index(6);
  EXPECT_EQ(order_of(trace), (std::vector<std::uint32_t>{2, 1, 0}));
}

TEST(LinkTrace, WhatDerivesFromABadCopyIsUnknown) {
  LinkTrace trace;
  LinkTrace::Writer writer(kRoomy);
  record_new(writer, 2, 5);
  record_derived(writer, 1, 2);
  record_derived(writer, 0, 1);
  record_new(writer, 3, 5);
  trace.take(std::move(writer));
  trace.distrust(2);
  trace.index(6);
  EXPECT_EQ(order_of(trace), (std::vector<std::uint32_t>{3}));
  EXPECT_FALSE(trace.has_record(0));
  EXPECT_FALSE(trace.has_record(1));
  EXPECT_FALSE(trace.has_record(2));
}

TEST(LinkTrace, AWriterWithoutRoomForgetsEverything) {
  LinkTrace trace;
  LinkTrace::Writer writer(7);
  record_new(writer, 1, 5);
  EXPECT_TRUE(writer.is_open());
  record_new(writer, 2, 5);
  EXPECT_FALSE(writer.is_open());
  writer.set_target(3, 4);  // of a lookup that was under way
  trace.take(std::move(writer));
  trace.index(6);
  EXPECT_TRUE(trace.in_order().empty());
  EXPECT_FALSE(LinkTrace::Writer(0).is_open());
}

}  // namespace
}  // namespace assay
