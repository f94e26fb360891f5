/* Shared files: each process writes blocks of its own at random, and reads those of all, against a
 * plain copy; files of several groups; files that stay or are deleted; error codes. */
#include "kit/kit.h"

#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>
#include <sf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 40, BLOCK = 1000 };

/* Makes a name that all processes share. */
static char *shared_name(void)
{
  static char name[64];
  int pid = (int)getpid();
  MPI_Bcast(&pid, 1, MPI_INT, 0, kit_comm());
  sprintf(name, "sf_%d", pid);
  return name;
}

static void fill(char *bytes, int block, int round)
{
  for (int i = 0; i < BLOCK; i++)
    bytes[i] = (char)(block * 7 + round * 31 + i);
}

/* In each round a block has one writer; then all read. */
static void random_blocks(int file)
{
  static char bytes[BLOCK], want[BLOCK];
  int last[BLOCKS], requests[2];
  memset(last, -1, sizeof last);
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < BLOCKS; i++) {
      const int writer = kit_common(GA_Nnodes() + 1);
      if (writer < GA_Nnodes())
        last[i] = round;
      if (writer != GA_Nodeid())
        continue;
      fill(bytes, i, round);
      kit_check_long(SF_Write(file, (double)i * BLOCK, BLOCK, bytes, &requests[0]), 0, "writing");
      kit_check_long(SF_Wait(&requests[0]), 0, "waiting");
    }
    GA_Sync();
    const int i = kit_own(BLOCKS);
    if (last[i] >= 0) {
      fill(want, i, last[i]);
      kit_check_long(SF_Read(file, i * BLOCK, BLOCK, bytes, &requests[0]), 0, "reading");
      kit_check_long(SF_Read(file, i * BLOCK, BLOCK, bytes, &requests[1]), 0, "reading twice");
      kit_check_long(SF_Waitall(requests, 2), 0, "waiting for both");
      kit_check_bytes(bytes, want, BLOCK, "a block");
    }
    GA_Sync();
  }
}

static void kept(char *name)
{
  char path[80], got[5] = "";
  int file = 0, other = 0, request = 0;
  sprintf(path, "%s.7", name);
  kit_check_long(SF_Create_suffix(name, 1, 1, 1, &file, 7), 0, "with a number of its own");
  kit_check(access(path, F_OK) == 0, "'%s' is not there", path);
  if (GA_Nodeid() == 0)
    kit_check_long(SF_Write(file, 5e9, 4, (char *)"kept", &request), 0, "far away");
  kit_check_long(SF_Fsync(file), 0, "bringing it to disk");
  GA_Sync();
  kit_check_long(SF_Create_suffix(name, 1, 1, 1, &other, 7), 0, "what is there");
  kit_check_long(other, file + 1, "the next handle");
  kit_check_long(SF_Read(other, 5e9, 4, got, &request), 0, "reading what was there");
  kit_check(strcmp(got, "kept") == 0, "'%s' was kept", got);
  kit_check_long(SF_Destroy(other), 0, "destroying");
  kit_check(access(path, F_OK) != 0, "'%s' is still there", path);
  kit_check_long(SF_Destroy(file), 0, "destroying what is not there");
}

static void states(int file)
{
  char byte = 'x', text[80];
  int request = 0;
  kit_check_long(SF_Close(file), 0, "closing");
  kit_check_long(SF_Read(file, 0, 1, &byte, &request), -2000, "reading what is closed");
  kit_check_long(SF_Open(file), 0, "opening");
  kit_check_long(SF_Open(file), 0, "opening what is open");
  kit_check_long(SF_Read(file, 0, 1, &byte, &request), 0, "reading");
  GA_Sync();
  kit_check_long(SF_Rwtor(file), 0, "only to read");
  kit_check_long(SF_Write(file, 0, 1, &byte, &request), -1999, "writing");
  kit_check_long(SF_Read(file, 0, 1, &byte, &request), 0, "reading");
  kit_check_long(SF_Read(file, BLOCKS * BLOCK, 1, &byte, &request), -1977, "beyond the end");
  kit_check_long(SF_Read(file, 0.5, 1, &byte, &request), -2000, "half a byte");
  kit_check_long(SF_Read(file, 0, -1, &byte, &request), -1997, "a negative number of bytes");
  request = 5;
  kit_check_long(SF_Wait(&request), -1994, "a request that is none");
  kit_check_long(SF_Waitall(&request, 1), 1, "a list with one that is none");
  SF_Errmsg(-1999, text);
  kit_check(strcmp(text, ">Write Failed") == 0, "the text of -1999 is '%s'", text);
}

/* Each half of the processes has a file. The handle is free on all members. */
static void groups(char *name)
{
  char own[80];
  int file = 0, both = 0, members[64], count = 0, request = 0, got = -1;
  const int half = GA_Nodeid() % 2;
  for (int p = half; p < GA_Nnodes(); p += 2)
    members[count++] = p;
  const int group = GA_Pgroup_create(members, count);
  GA_Pgroup_set_default(group);
  sprintf(own, "%s_%d", name, half);
  kit_check_long(SF_Create(own, 1, 1, 1, &file), 0, "a group's file");
  kit_check_long(SF_Write(file, 4. * GA_Nodeid(), 4, (char *)&half, &request), 0, "writing");
  GA_Sync();
  for (int i = 0; i < count; i++) {
    kit_check_long(SF_Read(file, 4. * i, 4, (char *)&got, &request), 0, "reading");
    kit_check_long(got, half, "what a member of my group wrote");
  }
  if (half == 1)
    kit_check_long(SF_Destroy(file), 0, "destroying");
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  kit_check_long(SF_Create(name, 1, 1, 1, &both), 0, "a file of all");
  int least = both, most = both;
  GA_Igop(&least, 1, (char *)"min");
  GA_Igop(&most, 1, (char *)"max");
  kit_check_long(least, most, "the handle of all");
  kit_check_long(SF_Destroy(both), 0, "destroying");
  GA_Pgroup_set_default(group);
  if (half == 0)
    kit_check_long(SF_Destroy(file), 0, "destroying");
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  GA_Pgroup_destroy(group);
}

int main(int argc, char **argv)
{
  int file = 0;
  kit_start(&argc, &argv, "pario.sf");
  GA_Initialize();
  kit_use_world(GA_MPI_Comm());
  char *name = shared_name();
  kit_check_long(SF_Create((char *)"/dev/null/file", 1, 1, 1, &file), -1990, "below a file");
  kit_check_long(SF_Create(name, 1, 1, 1, &file), 0, "creating");
  kit_check_long(file, -3000, "the first handle");
  random_blocks(file);
  states(file);
  kit_check_long(SF_Destroy(file), 0, "destroying");
  kept(name);
  groups(name);
  GA_Terminate();
  return kit_finish();
}
