/* Settings, maps, intervals and sizes, compared with plain models. One process. */
#include "kit/kit.h"

#include "base/hash_map.h"
#include "base/interval.h"
#include "base/settings.h"
#include "base/size.h"
#include "base/spelling.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Settings --------------------------------------------------------------------------------- */

struct example {
  const char *name, *text;
  const long *value; /* variable that the setting sets */
  long wanted;
};

#define INTO(field) (&cwi_settings.field)

static const struct example good[] = {
    {"CW_ROUTE", "rma", INTO(route), CWI_ROUTE_RMA},
    {"CW_ROUTE", "window", INTO(route), CWI_ROUTE_RMA}, /* an old name */
    {"CW_ROUTE", "DIRECT", INTO(route), CWI_ROUTE_DIRECT},
    {"CW_ROUTE", "auto", INTO(route), CWI_ROUTE_AUTO},
    {"CW_NODE_SIZE", "3", INTO(node_size), 3},
    {"CW_NODE_SIZE", "0x10", INTO(node_size), 16},
    {"CW_CHUNK_SIZE", "64k", INTO(chunk_size), 65536},
    {"CW_CHUNK_SIZE", "64K", INTO(chunk_size), 65536},
    {"CW_CHUNK_SIZE", "65536", INTO(chunk_size), 65536},
    {"CW_ZONE_SIZE", "3G", INTO(zone_size), 3L << 30},
    {"CW_ZONE_SIZE", "2T", INTO(zone_size), 2L << 40},
    {"CW_ZONE_ADDRESS", "0x300000000000", INTO(zone_address), 0x300000000000L},
    {"CW_RMA_METHOD", "direct", INTO(rma_method), CWI_DATATYPE},
    {"CW_RMA_METHOD", "Auto", INTO(rma_method), CWI_METHOD_AUTO},
    {"ARMCI_IOV_METHOD", "CONSRV", INTO(rma_method), CWI_CONSERVATIVE},
    {"ARMCI_IOV_BATCHED_LIMIT", "5", INTO(rma_batch), 5},
    {"ARMCI_IOV_CHECKS", "TRUE", INTO(rma_check), 1},
    {"CW_RMA_STAGE", "y", INTO(rma_stage), 1},
    {"CW_RMA_REQUESTS", "no", INTO(rma_requests), 0},
    {"CW_MEMORY_LIMIT", "0", INTO(memory_limit), 0},
    {"CW_GA_DISTRIBUTION", "block", INTO(ga_distribution), 0},
    {"CW_GA_DISTRIBUTION", "Cyclic", INTO(ga_distribution), 1},
    {"CW_GA_DISTRIBUTION", "block-cyclic:1", INTO(ga_distribution), 1},
    {"CW_GA_DISTRIBUTION", "block-cyclic:32", INTO(ga_distribution), 32}};

static const char *const bad[][2] = {{"CW_ROUTE", "foo"},
                                     {"CW_ROUTE", "windows"},
                                     {"CW_ROUTE", ""},
                                     {"CW_ROUTE", "auto|direct"},
                                     {"CW_NODE_SIZE", "-1"},
                                     {"CW_NODE_SIZE", "2k"},
                                     {"CW_NODE_SIZE", "two"},
                                     {"CW_NODE_SIZE", ""},
                                     {"CW_NODE_SIZE", "99999999999"},
                                     {"CW_CHUNK_SIZE", "65535"},
                                     {"CW_CHUNK_SIZE", "1Q"},
                                     {"CW_CHUNK_SIZE", "1MB"},
                                     {"CW_ZONE_SIZE", "9999999T"},
                                     {"CW_ZONE_SIZE", "0x"},
                                     {"CW_GA_DISTRIBUTION", "rows"},
                                     {"CW_GA_DISTRIBUTION", ""},
                                     {"CW_GA_DISTRIBUTION", "cyclic:3"},
                                     {"CW_GA_DISTRIBUTION", "block-cyclic"},
                                     {"CW_GA_DISTRIBUTION", "block-cyclic:"},
                                     {"CW_GA_DISTRIBUTION", "block-cyclic:b"},
                                     {"CW_GA_DISTRIBUTION", "block-cyclic:0"},
                                     {"CW_GA_DISTRIBUTION", "block-cyclic:-1"},
                                     {"CW_GA_DISTRIBUTION", "block-cyclic:2147483648"},
                                     {"CW_STATS", "2"},
                                     {"CW_STATS", ""},
                                     {"CW_LOG", "4"},
                                     {"CW_SPIN", "1e3"},
                                     {"CW_MEMORY_LIMIT", "99999999999999999999"}};

static void test_settings(void)
{
  kit_about("settings");
  kit_check(cwi_settings_read() == CW_OK, "the defaults are refused: %s", cw_error_message());
  const struct cwi_settings defaults = cwi_settings;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    setenv(good[i].name, good[i].text, 1);
    kit_check(cwi_settings_read() == CW_OK, "%s=%s is refused: %s", good[i].name, good[i].text,
              cw_error_message());
    kit_check(*good[i].value == good[i].wanted, "%s=%s is read as %ld; it should be %ld",
              good[i].name, good[i].text, *good[i].value, good[i].wanted);
    unsetenv(good[i].name);
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    setenv(bad[i][0], bad[i][1], 1);
    kit_check(cwi_settings_read() == CW_MISUSE, "%s=%s is accepted", bad[i][0], bad[i][1]);
    kit_check(strstr(cw_error_message(), bad[i][0]) != NULL, "the sentence lacks %s: %s", bad[i][0],
              cw_error_message());
    unsetenv(bad[i][0]);
  }
  kit_check(cwi_settings_read() == CW_OK, "the defaults are refused: %s", cw_error_message());
  kit_check_bytes(&cwi_settings, &defaults, sizeof defaults, "settings after all");
}

/* Words that the message of a rejected value must have: the range on both sides, and the format. */
static const char *const messages[][3] = {
    {"CW_NODE_SIZE", "99999999999", "0 to 2147483647 processes, a whole number"},
    {"CW_NODE_SIZE", "2k", "a whole number"},
    {"CW_SERVER_CREDITS", "1", "2 to 4096"},
    {"CW_CHUNK_SIZE", "65535", "64k to 8388607T bytes; the suffixes k, M, G and T"},
    {"CW_SERVER_BUFFER", "17M", "4k to 16M"},
    {"CW_MEMORY_LIMIT", "99999999999999999999", "0 to 8388607T"},
    {"CW_MEMORY_LIMIT", "8388608T", "0 to 8388607T"},
    {"CW_ZONE_ADDRESS", "1", "0x10000 to 0x7fffff0000000000, an address"},
    {"CW_ROUTE", "windows", "auto|direct|rma|server"},
    {"CW_GA_DISTRIBUTION", "block-cyclic:0", "block|cyclic|block-cyclic:b, b from 1 on"}};

static void test_messages(void)
{
  kit_about("an array without a name");
  kit_check(cwi_misuse("array '%s' and array '%s' have %d", "", "b", 3) == CW_MISUSE &&
                strcmp(cw_error_message(), "array (unnamed) and array 'b' have 3") == 0,
            "%s", cw_error_message());
  kit_check(cwi_misuse("%*s array '%s' ends", 1000, "", "") == CW_MISUSE &&
                strlen(cw_error_message()) < 1024,
            "a long one");
  for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
    kit_about("%s=%s", messages[i][0], messages[i][1]);
    setenv(messages[i][0], messages[i][1], 1);
    kit_check(cwi_settings_read() == CW_MISUSE, "accepted");
    kit_check(strstr(cw_error_message(), messages[i][2]) != NULL, "the sentence lacks '%s': %s",
              messages[i][2], cw_error_message());
    unsetenv(messages[i][0]);
  }
  kit_check(cwi_settings_set("CW_CHUNCK_SIZE", "7", "test") == CW_MISUSE &&
                strstr(cw_error_message(), "nearest name is CW_CHUNK_SIZE") != NULL,
            "no nearest name: %s", cw_error_message());
}

static void test_spelling(void)
{
  static const struct {
    const char *one, *other;
    unsigned edits;
  } pairs[] = {
      {"", "", 0},         {"", "abc", 3},         {"abc", "abc", 0}, {"abc", "acb", 1},
      {"abc", "abd", 1},   {"abc", "abcd", 1},     {"abc", "bc", 1},  {"kitten", "sitting", 3},
      {"abcd", "badc", 2}, {"CW_LGO", "CW_LOG", 1}};
  kit_about("spelling");
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    kit_check_long(cwi_edits_between(pairs[i].one, pairs[i].other), pairs[i].edits, pairs[i].one);
    kit_check_long(cwi_edits_between(pairs[i].other, pairs[i].one), pairs[i].edits, pairs[i].one);
  }
  char name[200];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  kit_check_long(cwi_edits_between(name, "x"), 62, "a name that is cut");
}

static void test_aliases(void)
{
  kit_about("settings with two names");
  setenv("ARMCI_IOV_METHOD", "batched", 1);
  setenv("CW_RMA_METHOD", "direct", 1);
  kit_check(cwi_settings_read() == CW_OK, "refused: %s", cw_error_message());
  kit_check_long(cwi_settings.rma_method, CWI_DATATYPE, "method, our name given too");
  unsetenv("CW_RMA_METHOD");
  setenv("ARMCI_IOV_METHOD", "something new", 1);
  kit_check(cwi_settings_read() == CW_OK, "an unknown ARMCI_ value is refused: %s",
            cw_error_message());
  unsetenv("ARMCI_IOV_METHOD");
  setenv("CW_WINDOW_METHOD", "direct", 1);
  kit_check(cwi_settings_read() == CW_OK, "the name of version 0.2: %s", cw_error_message());
  kit_check_long(cwi_settings.rma_method, CWI_DATATYPE, "method by its name of version 0.2");
  setenv("CW_RMA_METHOD", "auto", 1);
  kit_check(cwi_settings_read() == CW_OK, "both names: %s", cw_error_message());
  kit_check_long(cwi_settings.rma_method, CWI_METHOD_AUTO, "method by both names");
  unsetenv("CW_RMA_METHOD");
  setenv("CW_WINDOW_METHOD", "neither", 1);
  kit_check(cwi_settings_read() == CW_MISUSE && strstr(cw_error_message(), "CW_WINDOW_METHOD"),
            "the error of a wrong value lacks the name that is set: %s", cw_error_message());
  unsetenv("CW_WINDOW_METHOD");
  kit_check(cwi_settings_set("CW_SPIN", "7", "test") == CW_OK, "CW_SPIN=7 is refused");
  kit_check_long(cwi_settings.spin, 7, "CW_SPIN");
  kit_check(cwi_settings_set("CW_NONE", "7", "test") == CW_MISUSE, "CW_NONE is accepted");
}

/* --- Maps ------------------------------------------------------------------------------------- */

enum { KEYS = 500 };

static void test_map(void)
{
  struct cwi_hash_map map = {0};
  uint64_t keys[KEYS];
  bool present[KEYS] = {false};
  static char values[KEYS];
  size_t count = 0;
  /* Adjacent keys, and keys that differ only in the high half, collide. */
  for (uint64_t i = 0; i < KEYS; i++)
    keys[i] = i % 3 == 0 ? i + 1 : i % 3 == 1 ? (i + 1) << 32 : (i + 1) << 28 | 77;
  kit_check(cwi_hash_map_find(&map, 1) == NULL, "an empty map has a key");
  cwi_hash_map_remove(&map, 1);
  for (int step = 0; step < 40000; step++) {
    const int i = kit_own(KEYS);
    kit_about("map, step %d, key 0x%llx", step, (unsigned long long)keys[i]);
    kit_check(cwi_hash_map_find(&map, keys[i]) == (present[i] ? &values[i] : NULL),
              "the map says the key is %s", present[i] ? "absent" : "present");
    if (present[i])
      cwi_hash_map_remove(&map, keys[i]);
    else
      kit_check(cwi_hash_map_insert(&map, keys[i], &values[i]) == CW_OK, "no memory");
    present[i] = !present[i];
    count += present[i] ? 1 : SIZE_MAX;
    kit_check(map.count == count, "%zu keys; there should be %zu", map.count, count);
  }
  for (int i = 0; i < KEYS; i++)
    kit_check(cwi_hash_map_find(&map, keys[i]) == (present[i] ? &values[i] : NULL), "key %d", i);
  cwi_hash_map_clear(&map);
  kit_check(map.count == 0 && cwi_hash_map_find(&map, keys[0]) == NULL, "a cleared map has keys");
}

/* --- Intervals -------------------------------------------------------------------------------- */

static bool any_overlap(const struct cwi_interval *intervals, int count)
{
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++) {
      const uintptr_t begin =
          intervals[i].begin > intervals[j].begin ? intervals[i].begin : intervals[j].begin;
      const uintptr_t end =
          intervals[i].end < intervals[j].end ? intervals[i].end : intervals[j].end;
      if (begin < end)
        return true;
    }
  return false;
}

static void test_intervals(void)
{
  int with = 0;
  for (int round = 0; round < 20000; round++) {
    struct cwi_interval intervals[12];
    const int count = kit_own(13);
    for (int i = 0; i < count; i++) {
      intervals[i].begin = (uintptr_t)kit_own(100);
      intervals[i].end = intervals[i].begin + (uintptr_t)kit_own(6);
    }
    const bool wanted = any_overlap(intervals, count);
    with += wanted;
    kit_about("intervals, round %d: %d of them", round, count);
    kit_check(cwi_intervals_overlap(intervals, (size_t)count) == wanted, "they %s overlap",
              wanted ? "do" : "do not");
  }
  kit_about("intervals");
  kit_check(with > 1000 && with < 19000, "%d of 20000 overlap: the test is lame", with);
  struct cwi_interval far[2] = {{UINTPTR_MAX - 8, UINTPTR_MAX}, {0, 8}};
  kit_check(!cwi_intervals_overlap(far, 2), "both ends of the address range overlap");
}

/* --- Sizes ------------------------------------------------------------------------------------ */

static void test_sizes(void)
{
  size_t result = 0;
  kit_about("sizes");
  kit_check(cwi_multiply(SIZE_MAX / 3, 3, &result) && result == SIZE_MAX / 3 * 3, "product");
  kit_check(!cwi_multiply(SIZE_MAX / 3 + 1, 3, &result), "a product that does not fit");
  kit_check(!cwi_multiply((size_t)1 << 32, (size_t)1 << 32, &result), "2^64 fits");
  kit_check(cwi_multiply(0, SIZE_MAX, &result) && result == 0, "nothing times the most");
  kit_check(cwi_add(SIZE_MAX - 1, 1, &result) && result == SIZE_MAX, "sum");
  kit_check(!cwi_add(SIZE_MAX, 1, &result), "a sum that does not fit");
  for (size_t value = 0; value < 5000; value++)
    for (size_t power = 1; power <= 4096; power *= 8) {
      const size_t up = cwi_round_up(value, power);
      kit_check(up >= value && up % power == 0 && up - value < power, "%zu up to %zu gives %zu",
                value, power, up);
    }
  kit_check(cwi_round_up_fits(SIZE_MAX - 65535, 65536, &result) && result == SIZE_MAX - 65535,
            "the largest multiple of 64 KiB is rounded to %zu", result);
  kit_check(!cwi_round_up_fits(SIZE_MAX - 65534, 65536, &result), "rounding up that wraps fits");
  kit_check(!cwi_round_up_fits(SIZE_MAX, 65536, &result), "the largest size rounded up fits");
  kit_check(cwi_round_up_fits(0, 65536, &result) && result == 0, "0 rounded up is %zu", result);
  for (unsigned bit = 0; bit < 64; bit++)
    kit_check(cwi_log2((size_t)1 << bit) == bit && cwi_log2(((size_t)1 << bit) | 1) == bit,
              "log2 of 2^%u is %u", bit, cwi_log2((size_t)1 << bit));
  kit_check(cwi_log2(0) == 0 && cwi_log2(SIZE_MAX) == 63, "log2 at the ends");
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "base");
  test_settings();
  test_messages();
  test_spelling();
  test_aliases();
  test_map();
  test_intervals();
  test_sizes();
  return kit_finish();
}
