/* Checks, before main and in error messages, that INTEGER has the same size in the program and in
 * the library. If the sizes differ, a call uses only half of an argument, or reads and writes out
 * of bounds.
 *
 * Each include file that declares functions has a common block. cwga-integer.fh gives the block a
 * name that ends with the size of INTEGER in that compilation. The library has weak references to
 * the names with the other size. The linker resolves them if the program has such blocks. (A common
 * block is a definition, so the linker never reports it as missing.) A program that was compiled
 * with other include files has no such blocks, only the common block of MA. If it is linked with
 * the shared library, the size of that block is in its dynamic symbol. */
#include "ga/arguments/fortran_names.h"

#include "macommon.h"

#include <dlfcn.h>
#include <link.h>

/* The two libraries, and the advice to the user of a program whose INTEGER has the other size. */
static const struct {
  const char *library, *remedy;
  int other; /* size in bytes of the INTEGER that this library does not support */
} widths[] = {
    {"libcwga", "compile the program with -fdefault-integer-8, or link libcwga-i4 instead", 4},
    {"libcwga-i4", "link libcwga instead, or compile the program without -fdefault-integer-8", 8}};
enum { OWN = sizeof(Integer) == sizeof(int) };

#define INCLUDE_FILES(with)                                                                        \
  with(ga, "global.fh") with(ma, "mafdecls.fh") with(tcg, "tcgmsg.fh") with(eaf, "eaf.fh")         \
      with(sf, "sf.fh") with(dra, "dra.fh")
#define DECLARE(name, file)                                                                        \
  extern char cwga_##name##_4[] __attribute__((weak));                                             \
  extern char cwga_##name##_8[] __attribute__((weak));
#define ROW(name, file) {file, OWN == 1 ? cwga_##name##_8 : cwga_##name##_4},
INCLUDE_FILES(DECLARE)

const char cwi_integer_is_checked = 1;

static void reject_file(const char *file)
{
  cwi_abort_with(1,
                 "INTEGER has %d bytes in this program (where it includes %s), but %zu in %s: %s",
                 widths[OWN].other, file, sizeof(Integer), widths[OWN].library, widths[OWN].remedy);
}

__attribute__((constructor)) static void integer_check(void)
{
  static const struct {
    const char *file, *other;
  } blocks[] = {INCLUDE_FILES(ROW)};
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
    if (blocks[i].other != NULL)
      reject_file(blocks[i].file);
}

void cwi_integer_check_block(const char *file, const void *pair)
{
  Dl_info place;
  const ElfW(Sym) *symbol = NULL;
  if (dladdr1(pair, &place, (void **)&symbol, RTLD_DL_SYMENT) != 0 && symbol != NULL &&
      symbol->st_size == 2 * (size_t)widths[OWN].other)
    reject_file(file);
}

void cwi_integer_reject(const char *call, const char *what, int64_t number)
{
  cwi_abort_with(
      1,
      "%s: %s is %lld, whose lower 4 bytes are %d: INTEGER seems to have %d bytes in this "
      "program, but it has %zu in %s: %s",
      call, what, (long long)number, (int)number, widths[OWN].other, sizeof(Integer),
      widths[OWN].library, widths[OWN].remedy);
}

int cwi_integer_code(const char *call, const char *what, int64_t code)
{
  if (cwi_integer_fits(code))
    return (int)code;
  if ((int)code >= MT_FIRST && (int)code <= MT_LAST)
    cwi_integer_reject(call, what, code);
  return 0;
}

cw_error cwi_integer_remark(cw_error error)
{
  return cwi_error_append(error, "if INTEGER has %d bytes in this program, %s", widths[OWN].other,
                          widths[OWN].remedy);
}
