/* Copies compared with a loop over bytes: every class of size and of address difference, all
 * alignments of both ends, overlapping ranges, for each way of copying that this processor has; and
 * the choice among them. One process. */
#include "kit/kit.h"

#include "machine/copy.h"
#include "machine/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, MOST = (32 << 20) + 3 * PAGE, BUFFER_BYTES = MOST + 4 * PAGE, GUARD = 64 };

static const char *way_name;
static cwi_copy_function way;
static unsigned char *from_buffer, *to_buffer, *wanted;

/* Fills with values whose period is not a vector's length. */
static void fill(unsigned char *memory, size_t bytes, unsigned step)
{
  unsigned value = step;
  for (size_t i = 0; i < bytes; i++) {
    value = value * 1103515245u + 12345u;
    memory[i] = (unsigned char)(value >> 16);
  }
}

/* Checks a copy, and that the bytes around the destination stay unchanged. */
static void copies(size_t to_at, size_t from_at, size_t bytes)
{
  unsigned char *to = to_buffer + PAGE + to_at, *from = from_buffer + PAGE + from_at;
  kit_about("%s: %zu bytes from page + %zu to page + %zu", way_name, bytes, from_at, to_at);
  memset(to - GUARD, 0x5a, bytes + (size_t)2 * GUARD);
  kit_check(way(to, from, bytes) == to, "the destination is not returned");
  size_t i = 0;
  while (i < bytes && to[i] == from[i])
    i++;
  kit_check(i == bytes, "byte %zu is wrong", i);
  for (i = 0; i < GUARD && to[-1 - (ptrdiff_t)i] == 0x5a && to[bytes + i] == 0x5a;)
    i++;
  kit_check(i == GUARD, "byte %zu outside was written", i);
}

/* Checks a copy whose ranges are `ahead` bytes apart in one array. */
static void overlaps(ptrdiff_t ahead, size_t bytes)
{
  unsigned char *from = from_buffer + (size_t)2 * PAGE, *to = from + ahead;
  kit_about("%s: %zu bytes, %td ahead of themselves", way_name, bytes, ahead);
  fill(from_buffer, 4 * PAGE + bytes, 7);
  for (size_t i = 0; i < bytes; i++)
    wanted[i] = from[i];
  way(to, from, bytes);
  size_t i = 0;
  while (i < bytes && to[i] == wanted[i])
    i++;
  kit_check(i == bytes, "byte %zu is wrong", i);
}

static void check_short_ones(void)
{
  for (size_t bytes = 0; bytes <= 700; bytes += bytes < 300 ? 1 : 13)
    for (size_t to = 0; to < 64; to += bytes < 40 ? 1 : 7)
      copies(to, to * 5 % 37, bytes);
}

static void check_long_ones(void)
{
  static const size_t sizes[] = {256,  257,  1000,  1024,  2048,       3001,       4095,   4096,
                                 4097, 8192, 16385, 65536, 65536 + 31, 262144 + 5, 1 << 20};
  static const size_t differences[] = {0,  1,  2,  4,  8,  15,  16,   17,   24,   31,   32,   33,
                                       40, 48, 63, 64, 65, 128, 2048, 4032, 4063, 4064, 4080, 4095};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (size_t d = 0; d < sizeof differences / sizeof *differences; d++)
      for (size_t at = 0; at <= 21; at += sizes[s] < 65536 ? 3 : 21)
        copies(at + differences[d], at, sizes[s]);
}

static void check_largest(void)
{
  for (size_t bytes = (32 << 20) - 33; bytes <= (32 << 20) + 33; bytes += 33)
    copies(20, 3, bytes);
}

/* Checks differences modulo 4 GiB for which a way may have a special path. */
static void check_distant_buffers(void)
{
  const size_t distance = (size_t)1 << 32;
  char *memories = mmap(NULL, distance + BUFFER_BYTES, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!kit_check(memories != MAP_FAILED, "no addresses"))
    return;
  unsigned char *const to = to_buffer, *const from = from_buffer;
  from_buffer = (unsigned char *)memories;
  to_buffer = (unsigned char *)memories + distance;
  if (kit_check(mprotect(from_buffer, BUFFER_BYTES, PROT_READ | PROT_WRITE) == 0 &&
                    mprotect(to_buffer, BUFFER_BYTES, PROT_READ | PROT_WRITE) == 0,
                "no memory")) {
    fill(from_buffer, BUFFER_BYTES, 3);
    static const size_t sizes[] = {4096, 32767, 32768, 100003, 1 << 20};
    static const size_t differences[] = {0, 1, 8, 62, 63, 64, 65};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (size_t d = 0; d < sizeof differences / sizeof *differences; d++)
        copies(5 + differences[d], 5, sizes[s]);
  }
  munmap(memories, distance + BUFFER_BYTES);
  from_buffer = from;
  to_buffer = to;
}

static void check_overlapping(void)
{
  static const ptrdiff_t ahead[] = {0,  1,  7,  8,  15,  16,  31,  32,
                                    33, 63, 64, 65, 127, 128, 300, 4095};
  static const size_t sizes[] = {1, 3, 7, 12, 16, 31, 32, 33, 64, 100, 256, 257, 300, 1000, 4096};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (size_t a = 0; a < sizeof ahead / sizeof *ahead; a++) {
      overlaps(ahead[a], sizes[s]);
      overlaps(-ahead[a], sizes[s]);
    }
}

static void check_way(const char *name, cwi_copy_function function)
{
  way_name = name;
  way = function;
  fill(from_buffer, BUFFER_BYTES, 1);
  check_short_ones();
  check_long_ones();
  check_largest();
  check_distant_buffers();
  check_overlapping();
}

static const char *const names[CWI_COPIES] = {[CWI_COPY_LIBRARY] = "library",
                                              [CWI_COPY_LOOP] = "loop",
                                              [CWI_COPY_STRING] = "string",
                                              [CWI_COPY_WIDE] = "wide"};

static void check_ways(void)
{
  for (int each = CWI_COPY_LIBRARY; each < CWI_COPIES; each++)
    if (cwi_copy_by((enum cwi_copies)each) != NULL)
      check_way(names[each], cwi_copy_by((enum cwi_copies)each));
}

/* A requested way is chosen and its name reported; the measured choice is kept. */
static void check_choice(void)
{
  kit_about("the choice");
  kit_check(cwi_copy_choose(CWI_COPY_AUTO), "none was found");
  const cwi_copy_function fastest = cwi_copy_ways.run;
  char text[300];
  snprintf(text, sizeof text, "%s", cwi_copy_describe());
  for (int each = CWI_COPY_LIBRARY; each < CWI_COPIES; each++) {
    const cwi_copy_function copy = cwi_copy_by((enum cwi_copies)each);
    const cwi_copy_function before = cwi_copy_ways.run;
    kit_check(cwi_copy_choose((enum cwi_copies)each) == (copy != NULL), "%s", names[each]);
    kit_check(cwi_copy_ways.run == (copy != NULL ? copy : before), "%s is not in force",
              names[each]);
    kit_check(copy == NULL || strncmp(cwi_copy_describe(), names[each], strlen(names[each])) == 0,
              "%s is described as %s", names[each], cwi_copy_describe());
  }
  kit_check(cwi_copy_choose(CWI_COPY_AUTO) && cwi_copy_ways.run == fastest &&
                strcmp(text, cwi_copy_describe()) == 0,
            "a second time: %s, and not %s", cwi_copy_describe(), text);
}

/* Checks the message on processors with fewer capabilities than this one. */
static void check_unavailable(enum cwi_copies requested_way, unsigned here, const char *wanted_text)
{
  char text[200];
  cwi_copy_unavailable(requested_way, here, text, sizeof text);
  kit_check(strcmp(text, wanted_text) == 0, "'%s', and not '%s'", text, wanted_text);
}

static void check_all_unavailable(void)
{
  const unsigned least = 1U << CWI_COPY_AUTO | 1U << CWI_COPY_LIBRARY;
  const unsigned avx2 = least | 1U << CWI_COPY_LOOP | 1U << CWI_COPY_STRING;
  kit_about("refusals");
  check_unavailable(CWI_COPY_WIDE, avx2,
                    "CW_COPY is wide: this processor lacks AVX-512F; choose auto, library, loop or "
                    "string");
  check_unavailable(CWI_COPY_WIDE, least,
                    "CW_COPY is wide: this processor lacks AVX-512F; choose auto or library");
  check_unavailable(CWI_COPY_LOOP, least,
                    "CW_COPY is loop: this processor lacks AVX2; choose auto or library");
  for (int each = CWI_COPY_LIBRARY; each < CWI_COPIES; each++) {
    const bool here = cwi_copy_by((enum cwi_copies)each) != NULL;
    kit_check(cwi_copy_named(names[each]) == (enum cwi_copies)each, "%s is another", names[each]);
    kit_check((cwi_copies_here() >> each & 1) == here, "%s is here: %d", names[each], here);
  }
  kit_check(cwi_copy_named("auto") == CWI_COPY_AUTO && cwi_copy_named("wider") == CWI_COPIES,
            "names of no way");
}

/* Checks rows against memmove row by row, also where a row overlaps itself, and the bytes between
 * rows. */
static void check_rows_at(size_t run, size_t stride, size_t rows, ptrdiff_t ahead)
{
  const size_t extent = rows * stride + run + (size_t)2 * PAGE;
  unsigned char *from = from_buffer + PAGE, *to = ahead != 0 ? from + ahead : to_buffer + PAGE;
  unsigned char *end = wanted + PAGE + (ahead != 0 ? ahead : 0);
  kit_about("%zu rows of %zu bytes, %zu apart, %td ahead of themselves", rows, run, stride, ahead);
  fill(from_buffer, extent, (unsigned)run);
  if (ahead == 0)
    fill(to_buffer, extent, 3);
  memcpy(wanted, ahead != 0 ? from_buffer : to_buffer, extent);
  for (size_t row = 0; row < rows; row++)
    memmove(end + row * stride, ahead != 0 ? wanted + PAGE + row * stride : from + row * stride,
            run);
  cwi_copy_rows((char *)to, (ptrdiff_t)stride, (const char *)from, (ptrdiff_t)stride, run, rows);
  kit_check(memcmp(wanted, ahead != 0 ? from_buffer : to_buffer, extent) == 0, "bytes are wrong");
}

static void check_rows(void)
{
  static const size_t runs[] = {65, 100, 128, 255, 256, 257, 1024, 4095, 4096, 5000};
  static const size_t strides[] = {0, 3, 512, 1024, 2048, 4096, 8192, 12288};
  for (size_t s = 0; s < sizeof strides / sizeof *strides; s++) {
    for (size_t run = 1; run <= 70; run++)
      for (size_t rows = 1; rows <= 81; rows += rows < 10 ? 1 : 71)
        check_rows_at(run, strides[s] > run ? strides[s] : run + strides[s], rows, 0);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
      check_rows_at(runs[i], strides[s] > runs[i] ? strides[s] : runs[i] + strides[s], 70, 0);
  }
  for (size_t run = 2; run <= 300; run += 1 + run / 20)
    for (ptrdiff_t ahead = 1; ahead < (ptrdiff_t)run; ahead += 1 + ahead / 2) {
      check_rows_at(run, 512, 20, ahead);
      check_rows_at(run, 1024, 40, -ahead);
    }
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "copy");
  from_buffer = aligned_alloc(PAGE, BUFFER_BYTES);
  to_buffer = aligned_alloc(PAGE, BUFFER_BYTES);
  wanted = malloc(BUFFER_BYTES);
  if (kit_check(from_buffer != NULL && to_buffer != NULL && wanted != NULL, "no memory")) {
    check_ways();
    check_rows();
    check_choice();
    check_all_unavailable();
  }
  free(from_buffer);
  free(to_buffer);
  free(wanted);
  return kit_finish();
}
