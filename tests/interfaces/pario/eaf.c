/* Exclusive access files on disk and in MA's heap: random reads and writes against a plain copy;
 * ways of opening, which keep or empty a file; the end of files; files that are too large for 32
 * bits; every error code that a program can get. */
#include "kit/kit.h"

#include <eaf.h>
#include <macdecls.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILES = 6, MOST = 1 << 20, MIB = 1 << 20 };

/* Existing files, and what they should hold. */
static struct file {
  char name[64];
  int fd; /* -1 if it is closed */
  bool there, memory;
  long length;
  unsigned char *bytes;
} files[FILES];

static unsigned char buffer[70000];

static void make_name(char *name, const char *what, int number)
{
  sprintf(name, "eaf_%s_%d_%d.%d", what, (int)getpid(), kit_me(), number);
}

static void begin(void)
{
  for (int i = 0; i < FILES; i++) {
    struct file *file = &files[i];
    make_name(file->name, "random", i);
    file->fd = -1;
    file->memory = i == 0;
    file->bytes = kit_alloc(MOST, 1);
  }
}

/* --- Random operations --- */

static void open_one(struct file *file)
{
  const int modes[] = {EAF_RW, EAF_RW, EAF_W, EAF_R};
  const int type = file->memory ? 1 : modes[kit_own(4)];
  const int code = EAF_Open(file->name, type, &file->fd);
  if (type == EAF_R && !file->there) {
    kit_check_long(code, -44, "a file to read that is not there");
    file->fd = -1;
    return;
  }
  kit_check_long(code, 0, "opening");
  if (type == EAF_W || !file->there) {
    memset(file->bytes, 0, MOST);
    file->length = file->memory ? MIB : 0;
  }
  file->there = true;
  if (type == EAF_R || type == EAF_W) { /* the random operations read and write */
    kit_check_long(EAF_Close(file->fd), 0, "closing");
    kit_check_long(EAF_Open(file->name, EAF_RW, &file->fd), 0, "opening again");
  }
}

static void write_some(struct file *file)
{
  const long bytes = kit_own(4) == 0 ? kit_own(sizeof buffer) : kit_own(200);
  const long offset = kit_own(MOST - (int)sizeof buffer);
  int request = 0;
  for (long i = 0; i < bytes; i++)
    buffer[i] = (unsigned char)kit_own(256);
  const int code = kit_own(2)
                       ? EAF_Write(file->fd, (double)offset, buffer, (size_t)bytes)
                       : EAF_Awrite(file->fd, (double)offset, buffer, (size_t)bytes, &request);
  kit_check_long(code, 0, "writing");
  if (request != 0)
    kit_check_long(EAF_Wait(file->fd, request), 0, "waiting for a write");
  memcpy(file->bytes + offset, buffer, (size_t)bytes);
  if (bytes > 0 && offset + bytes > file->length)
    file->length = offset + bytes;
}

static void read_some(const struct file *file)
{
  const long bytes = kit_own(4) == 0 ? kit_own(sizeof buffer) : kit_own(200);
  const long offset = kit_own(MOST - (int)sizeof buffer);
  const bool ends = bytes > 0 && offset + bytes > file->length;
  int request = 0, status = 7;
  const int code = kit_own(2)
                       ? EAF_Read(file->fd, (double)offset, buffer, (size_t)bytes)
                       : EAF_Aread(file->fd, (double)offset, buffer, (size_t)bytes, &request);
  kit_check_long(code, ends ? -1977 : 0, "reading");
  kit_check_long(EAF_Eof(code), ends, "the end");
  if (request != 0) {
    kit_check_long(EAF_Probe(request, &status), 0, "probing");
    kit_check_long(status, 0, "the status of what is done");
  }
  if (!ends)
    kit_check_bytes(buffer, file->bytes + offset, (size_t)bytes, "what was read");
}

static void truncate_file(struct file *file)
{
  const long length = file->memory ? MIB : kit_own(MOST);
  kit_check_long(EAF_Truncate(file->fd, (double)length), 0, "another length");
  if (length < file->length)
    memset(file->bytes + length, 0, (size_t)(file->length - length));
  file->length = length;
}

static void check_length(const struct file *file)
{
  double length = -1;
  kit_check_long(EAF_Length(file->fd, &length), 0, "asking for the length");
  kit_check_long((long)length, file->length, "the length");
}

static void delete_one(struct file *file)
{
  kit_check_long(EAF_Close(file->fd), 0, "closing");
  kit_check_long(EAF_Delete(file->name), 0, "deleting");
  kit_check(access(file->name, F_OK) != 0, "a deleted file is there");
  file->fd = -1;
  file->there = false;
}

static void step(void)
{
  struct file *file = &files[kit_own(FILES)];
  if (file->fd < 0) {
    open_one(file);
    return;
  }
  switch (kit_own(16)) {
  case 0:
    kit_check_long(EAF_Close(file->fd), 0, "closing");
    file->fd = -1;
    break;
  case 1:
    truncate_file(file);
    break;
  case 2:
    if (kit_own(4) == 0)
      delete_one(file);
    break;
  case 3:
    check_length(file);
    break;
  default:
    kit_own(2) ? write_some(file) : read_some(file);
  }
}

static void end(void)
{
  for (int i = 0; i < FILES; i++) {
    if (files[i].fd >= 0)
      kit_check_long(EAF_Close(files[i].fd), 0, "closing");
    kit_check_long(EAF_Delete(files[i].name), 0, "deleting, there or not");
    free(files[i].bytes);
  }
}

/* --- One by one --- */

/* Checks offsets beyond 2 and 4 GiB: the file is a hole. */
static void large(void)
{
  const double offsets[] = {0x1p31 - 3, 0x1p32 - 3, 5e9};
  char name[64], got[8];
  int fd = -1;
  double length = 0;
  make_name(name, "large", 0);
  kit_check_long(EAF_Open(name, EAF_RW, &fd), 0, "a large file");
  for (int i = 0; i < 3; i++)
    kit_check_long(EAF_Write(fd, offsets[i], "beyond", 6), 0, "writing far away");
  for (int i = 0; i < 3; i++) {
    memset(got, 0, sizeof got);
    kit_check_long(EAF_Read(fd, offsets[i], got, 6), 0, "reading far away");
    kit_check(strcmp(got, "beyond") == 0, "at %.0f there is '%s'", offsets[i], got);
  }
  kit_check_long(EAF_Read(fd, 3e9, got, 8), 0, "a hole");
  kit_check_bytes(got, "\0\0\0\0\0\0\0", 8, "a hole");
  kit_check_long(EAF_Length(fd, &length), 0, "its length");
  kit_check(length == 5e9 + 6, "the length is %.0f", length);
  kit_check_long(EAF_Truncate(fd, 4e9), 0, "a little less");
  kit_check_long(EAF_Length(fd, &length), 0, "its length");
  kit_check(length == 4e9, "the length is %.0f", length);
  kit_check_long(EAF_Close(fd), 0, "closing");
  kit_check_long(EAF_Delete(name), 0, "deleting");
}

/* Checks that files in memory are found by their names, have one size, and are freed when they are
 * deleted. */
static void in_memory(void)
{
  char got[4] = "";
  int fd = -1, again = -1;
  double length = 0;
  const Integer available = MA_inquire_avail(MT_C_DBL);
  kit_check_long(EAF_Open("one", 1, &fd), 0, "one MiB");
  kit_check(MA_inquire_avail(MT_C_DBL) <= available - MIB / 8, "MA's heap has given nothing");
  kit_check_long(EAF_Write(fd, MIB - 3, "end", 3), 0, "up to its end");
  kit_check_long(EAF_Write(fd, MIB - 3, "more", 4), -10007, "beyond its end");
  kit_check_long(EAF_Close(fd), 0, "closing");
  kit_check_long(EAF_Open("one", 3, &again), 0, "opening again");
  kit_check_long(EAF_Length(again, &length), 0, "its length");
  kit_check(length == MIB, "the length is %.0f", length);
  kit_check_long(EAF_Read(again, MIB - 3, got, 3), 0, "reading");
  kit_check(strcmp(got, "end") == 0, "'%s' was read", got);
  memset(got, 0, sizeof got);
  kit_check_long(EAF_Read(again, MIB - 2, got, 4), -1977, "reading across the end");
  kit_check(strcmp(got, "nd") == 0, "'%s' was read up to the end", got);
  kit_check_long(EAF_Read(again, MIB + 1, got, 1), -1977, "reading beyond the end");
  kit_check_long(EAF_Read(again, MIB, got, 1), -1977, "reading at the end");
  kit_check_long(EAF_Read(again, MIB + 1, got, 0), 0, "reading nothing there");
  kit_check_long(EAF_Write(again, MIB + 1, got, 0), 0, "writing nothing there");
  kit_check_long(EAF_Truncate(again, 5), -10019, "another size");
  kit_check_long(EAF_Delete("one"), 0, "deleting while it is open");
  kit_check_long(EAF_Read(again, 0, got, 1), -10006, "reading what is deleted");
  kit_check_long(EAF_Close(again), -10006, "closing what is deleted");
  kit_check_long(MA_inquire_avail(MT_C_DBL), available, "what MA has got back");
  kit_check_long(EAF_Open("two", 1 << 20, &fd), -10003, "more than MA has");
}

/* Checks error codes and their texts. */
static void codes(void)
{
  char text[80], name[64], small[2];
  int fd = -1, other = -1, request = 0;
  double length = 0;
  make_name(name, "codes", 0);
  kit_check_long(EAF_Open("/dev/null/file", EAF_RW, &fd), -44, "below a file");
  EAF_Errmsg(-44, text);
  kit_check(strstr(text, "Not a directory") != NULL, "the text of -44 is '%s'", text);
  kit_check_long(EAF_Open(name, -4, &fd), -44, "no mode");
  kit_check_long(EAF_Open("/tmp", EAF_R, &fd), -44, "a folder");
  kit_check_long(EAF_Open(name, EAF_RW, &fd), 0, "opening");
  kit_check_long(EAF_Write(fd, 0, "0123456789", 10), 0, "writing");
  kit_check_long(EAF_Write(fd, 0.5, "x", 1), -10018, "half a byte");
  kit_check_long(EAF_Read(fd, -1, text, 1), -10018, "before the file");
  kit_check_long(EAF_Read(fd, 0. / 0., text, 1), -10018, "no number");
  kit_check_long(EAF_Truncate(fd, 1e30), -10018, "more than there can be");
  kit_check_long(EAF_Write(fd, 0, NULL, 1), -10007, "from nowhere");
  kit_check_long(EAF_Read(fd, 8, text, 4), -1977, "beyond the end");
  kit_check_long(EAF_Read(fd, 0, text, (size_t)-1), -10009, "a negative number of bytes");
  kit_check_long(EAF_Wait(fd, 5), -1994, "a request that is none");
  kit_check_long(EAF_Open(name, EAF_R, &other), 0, "to read");
  kit_check_long(EAF_Write(other, 0, "x", 1), -1999, "writing what is only read");
  kit_check_long(EAF_Close(other), 0, "closing");
  kit_check_long(EAF_Close(other), -10006, "closing again");
  kit_check_long(EAF_Length(1024, &length), -10006, "a number that is none");
  kit_check_long(EAF_Awrite(fd, 10, "x", 1, &request), 0, "at the end");
  kit_check_long(request, -1, "a request that is done");
  kit_check_long(EAF_Delete("/tmp"), -10013, "deleting a folder");
  EAF_Print_stats(fd);
  kit_check_long(EAF_Close(fd), 0, "closing");
  kit_check_long(EAF_Delete(name), 0, "deleting");
  long mib = -1;
  kit_check_long(EAF_Stat(name, &mib, text, sizeof text), 0, "the folder of a file");
  kit_check(mib > 0 && strcmp(text, "UFS") == 0, "%ld MiB of '%s'", mib, text);
  kit_check_long(EAF_Stat("/nowhere/", &mib, text, sizeof text), -1991, "no folder");
  kit_check_long(EAF_Stat("/tmp", &mib, small, sizeof small), -10016, "room for the type");
  EAF_Errmsg(-1977, text);
  kit_check(strcmp(text, ">End of File") == 0, "the text of -1977 is '%s'", text);
}

/* Opens as many files as are allowed, and one more. */
static void many(void)
{
  enum { MOST_FILES = 1024 };
  static int fds[MOST_FILES];
  int one = -1;
  struct rlimit limit;
  kit_check(getrlimit(RLIMIT_NOFILE, &limit) == 0, "the limit");
  for (int i = 0; i < MOST_FILES; i++)
    kit_check_long(EAF_Open("many", 1, &fds[i]), 0, "one of many");
  kit_check_long(EAF_Open("many", 1, &one), -10002, "one too many");
  for (int i = 0; i < MOST_FILES; i++)
    kit_check_long(EAF_Close(fds[i]), 0, "closing one of many");
  kit_check_long(EAF_Delete("many"), 0, "deleting it");
}

static volatile sig_atomic_t signal_received; /* signal that a write of EAF sent to the program */

static void never(int number)
{
  signal_received = number;
}

/* Simulates a full disk for this process. */
static void full(void)
{
  char name[64];
  int fd = -1;
  struct rlimit before;
  make_name(name, "full", 0);
  kit_check_long(EAF_Open(name, EAF_RW, &fd), 0, "opening");
  getrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, never);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){10000, before.rlim_max});
  kit_check_long(EAF_Write(fd, 0, buffer, 10000), 0, "what has room");
  kit_check_long(EAF_Write(fd, 9000, buffer, 2000), -1999, "more than has room");
  kit_check_long(EAF_Truncate(fd, 20000), -10019, "longer than has room");
  setrlimit(RLIMIT_FSIZE, &before);
  kit_check_long(signal_received, 0, "the signal of a write of EAF that came to the program");
  kit_check_long(EAF_Write(fd, 9000, buffer, 2000), 0, "once there is room");
  kit_check_long(EAF_Close(fd), 0, "closing");
  kit_check_long(EAF_Delete(name), 0, "deleting");
  if ((fd = open("/dev/full", O_WRONLY)) >= 0 && close(fd) == 0) {
    kit_check_long(EAF_Open("/dev/full", EAF_RW, &fd), 0, "the full device");
    kit_check_long(EAF_Write(fd, 0, "x", 1), -1999, "writing to it");
    kit_check_long(EAF_Close(fd), 0, "closing");
  }
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "pario.eaf");
  kit_check(MA_init(MT_C_DBL, 1000, 3 * MIB / 8), "MA_init");
  begin();
  const long rounds = kit_rounds(argc > 1 ? argv[1] : NULL, 3000);
  for (long i = 0; i < rounds; i++)
    step();
  end();
  large();
  in_memory();
  codes();
  many();
  full();
  return kit_finish();
}
