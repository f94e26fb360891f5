/* EAF and SF on a disk of 64 KiB, in a program that may write files of 64 KiB, and on the same disk
 * when nothing can be written to it:
 *
 *   full FOLDER      a write that does not fit returns the code, and earlier data stays
 *   limited FOLDER   the same, and no signal ends the program
 *   readonly FOLDER  nothing is made, emptied or deleted
 *
 * disks.sh checks the messages. */
#include "kit/kit.h"

#include <eaf.h>
#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>
#include <sf.h>

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FIRST = 20000, MORE = 60000 };
static char path[200], bytes[MORE], seen[MORE];

static char *in_folder(const char *folder, const char *name)
{
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void kept(int fd)
{
  kit_check_long(EAF_Read(fd, 0, seen, FIRST), 0, "reading what had room");
  kit_check_bytes(seen, bytes, FIRST, "what had room");
}

static void eaf_full(const char *folder)
{
  int fd = -1, request = 0;
  kit_check_long(EAF_Open(in_folder(folder, "eaf"), EAF_RW, &fd), 0, "opening");
  kit_check_long(EAF_Write(fd, 0, bytes, FIRST), 0, "what has room");
  kit_check_long(EAF_Write(fd, FIRST, bytes, MORE), -1999, "what has none");
  kit_check_long(EAF_Awrite(fd, FIRST, bytes, MORE, &request), -1999, "the same, asynchronous");
  kit_check_long(EAF_Wait(fd, request), 0, "waiting for what has failed");
  kept(fd);
  kit_check_long(EAF_Truncate(fd, FIRST), 0, "room again");
  kit_check_long(EAF_Write(fd, FIRST, bytes, 1000), 0, "what has room again");
  kept(fd);
  kit_check_long(EAF_Close(fd), 0, "closing");
}

/* One process has no space, and the others continue. */
static void sf_full(const char *folder)
{
  int file = 0, request = 0;
  const int me = GA_Nodeid();
  kit_check_long(SF_Create(in_folder(folder, "sf"), 1, 1, 1, &file), 0, "creating");
  kit_check_long(SF_Write(file, 100. * me, 100, bytes, &request), 0, "what has room");
  GA_Sync();
  if (me == 0)
    kit_check_long(SF_Write(file, FIRST, MORE, bytes, &request), -1999, "what has none");
  kit_check_long(SF_Read(file, 100. * me, 100, seen, &request), 0, "reading what had room");
  kit_check_bytes(seen, bytes, 100, "what had room");
  kit_check_long(SF_Destroy(file), 0, "destroying");
}

static void eaf_readonly(const char *folder)
{
  static const int modes[] = {EAF_RW, EAF_W};
  char text[80];
  int fd = -1;
  for (int i = 0; i < 2; i++) {
    kit_check_long(EAF_Open(in_folder(folder, "new"), modes[i], &fd), -44, "a new file");
    EAF_Errmsg(-44, text);
    kit_check(strstr(text, "Read-only file system") != NULL, "the text of -44 is '%s'", text);
    kit_check(access(path, F_OK) != 0, "there is a new file");
    kit_check_long(EAF_Open(in_folder(folder, "eaf"), modes[i], &fd), -44, "the old file");
  }
  kit_check_long(EAF_Open(path, EAF_R, &fd), 0, "to read");
  kept(fd);
  kit_check_long(EAF_Close(fd), 0, "closing");
  kit_check_long(EAF_Delete(path), -10013, "deleting");
  kit_check(access(path, F_OK) == 0, "the old file has gone");
}

static void sf_readonly(const char *folder)
{
  int file = 0;
  kit_check_long(SF_Create(in_folder(folder, "sf"), 1, 1, 1, &file), -1990, "creating");
  kit_check_long(SF_Create_suffix(path, 1, 1, 1, &file, 3), -1990, "with a number of its own");
  kit_check(access(in_folder(folder, "sf.3"), F_OK) != 0, "a file was made");
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "pario.disks");
  GA_Initialize();
  kit_use_world(GA_MPI_Comm());
  memset(bytes, 'x', sizeof bytes);
  const int is_limited = argc == 3 && strcmp(argv[1], "limited") == 0;
  const int is_full = is_limited || (argc == 3 && strcmp(argv[1], "full") == 0);
  const struct rlimit low = {1 << 16, 1 << 16};
  kit_check(!is_limited || setrlimit(RLIMIT_FSIZE, &low) == 0, "the limit");
  if (GA_Nodeid() == 0)
    (is_full ? eaf_full : eaf_readonly)(argv[2]);
  GA_Sync();
  (is_full ? sf_full : sf_readonly)(argv[2]);
  GA_Terminate();
  return kit_finish();
}
