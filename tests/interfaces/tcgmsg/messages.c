/* TCGMSG from C: random messages between all processes, waited for at once and later; collective
 * calls; the shared counter; copies of files. */
#include "kit/kit.h"

#include <armci.h>
#include <causeway/runtime.h>
#include <causeway/team.h>
#include <farg.h>
#include <msgtypesc.h>
#include <tcgmsg.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 70000, ROUNDS = 40, LATER = 5, DRAWS = 200 };

static char plus[] = "+", most[] = "max", bits[] = "or";
static unsigned char sent[LATER][LONGEST], got[LATER][LONGEST];

static int byte_of(long from, int round, long place)
{
  return (int)((from * 31 + round * 7 + place) & 0xff);
}

static void fill(unsigned char *buffer, int round, long bytes)
{
  for (long i = 0; i < bytes; i++)
    buffer[i] = (unsigned char)byte_of(kit_me(), round, i);
}

static void check_filled(const unsigned char *buffer, long from, int round, long bytes)
{
  for (long i = 0; i < bytes; i++)
    if (!kit_check_long(buffer[i], byte_of(from, round, i), "a byte of a message"))
      return;
}

/* Each process sends to the process `distance` after it. Half of them receive from any process. */
static void ring(int round)
{
  const int all = kit_processes(), distance = kit_common(all);
  const long to = (kit_me() + distance) % all, from = (kit_me() - distance + all) % all;
  const unsigned bytes = (unsigned)(kit_common(3) == 0 ? kit_common(LONGEST) : kit_common(100));
  const long type = 1 + kit_common(32767) + (kit_common(2) ? 262144 : 0);
  long length = -2, sender = -2;
  fill(sent[0], round, bytes);
  memset(got[0], 0, bytes);
  tcg_snd(type, sent[0], bytes, to, 0);
  tcg_rcv(type, got[0], LONGEST, &length, kit_own(2) ? from : -1, &sender, 1);
  kit_check_long(length, bytes, "length");
  kit_check_long(sender, from, "who sent it");
  check_filled(got[0], from, round, bytes);
  tcg_waitcom(to);
}

/* Several messages at a time; none has arrived before the wait. */
static void later(void)
{
  const int all = kit_processes();
  const long to = (kit_me() + 1) % all, from = (kit_me() - 1 + all) % all;
  for (int i = 0; i < LATER; i++) {
    long length = 5, sender = 5;
    memset(got[i], 0, 1000);
    tcg_rcv(100 + i, got[i], LONGEST, &length, from, &sender, 0);
    kit_check_long(length, -1, "length of a message that is under way");
  }
  for (int i = LATER - 1; i >= 0; i--) {
    fill(sent[i], i, 1000 + i);
    tcg_snd(100 + i, sent[i], 1000 + i, to, 0);
  }
  tcg_waitcom(from);
  for (int i = 0; i < LATER; i++)
    check_filled(got[i], from, i, 1000 + i);
}

/* Blocking sends, and probes for a message. Its type must match. */
static void probed(void)
{
  const int all = kit_processes();
  long length = 0, sender = 0;
  tcg_synch(1);
  kit_check_long(tcg_probe(9, -1), 0, "a message that nobody has sent");
  tcg_synch(1);
  if (kit_me() != 0) {
    fill(sent[0], 9, 4);
    tcg_snd(9, sent[0], 4, 0, 1);
    return;
  }
  for (int i = 1; i < all; i++) {
    while (!tcg_probe(9, i))
      ;
    kit_check_long(tcg_probe(8, i), 0, "a message of another type");
    tcg_rcv(9, got[0], LONGEST, &length, i, &sender, 1);
    check_filled(got[0], i, 9, length);
  }
}

static void together(void)
{
  const int all = kit_processes(), root = kit_common(all);
  long numbers[300], flags[2] = {kit_me() == root, 1 << kit_me() % 8};
  double reals[300];
  for (int i = 0; i < 300; i++)
    reals[i] = numbers[i] = kit_me() + i;
  tcg_igop(7, numbers, 300, plus);
  tcg_dgop(7, reals, 300, most);
  for (int i = 0; i < 300; i++) {
    kit_check_long(numbers[i], (long)all * (all - 1) / 2 + (long)all * i, "a sum");
    kit_check(reals[i] == all - 1 + i, "a maximum is %g", reals[i]);
  }
  tcg_igop(7, flags, 1, bits);
  kit_check_long(flags[0], 1, bits);
  tcg_brdcst(7, numbers, sizeof numbers, root);
  fill(sent[0], 1, LONGEST);
  tcg_brdcst(7, sent[0], LONGEST, root);
  check_filled(sent[0], root, 1, LONGEST);
  tcg_brdcst(7, NULL, 0, root);
}

/* Checks that all values are returned once, to any process; each process sees them grow. */
static void counted(int life)
{
  long mine = 0, sum = 0, last = -1;
  for (int i = 0; i < DRAWS; i++) {
    mine = tcg_nxtval(kit_processes());
    kit_check(mine > last, "value %ld after %ld", mine, last);
    last = mine;
    sum += mine;
  }
  const long all = (long)DRAWS * kit_processes();
  tcg_igop(3, &sum, 1, plus);
  kit_check_long(sum, all * (all - 1) / 2, "the sum of all values");
  tcg_igop(3, &last, 1, most);
  kit_check_long(last, all - 1, "the greatest value");
  kit_check_long(tcg_nxtval(-kit_processes()), 0, "what the new beginning returns");
  kit_about("life %d", life);
}

/* All processes see one folder here: the file of process 0 must be unchanged afterwards. */
static void copied(void)
{
  enum { BYTES = 3000000 };
  char name[] = "tcgmsg_copied_XXXXXX";
  if (kit_me() == 0)
    close(mkstemp(name));
  tcg_brdcst(1, name, sizeof name, 0);
  FILE *file = kit_me() == 0 ? fopen(name, "w") : NULL;
  for (int i = 0; file != NULL && i < BYTES; i++)
    fputc(byte_of(0, 3, i), file);
  if (file != NULL)
    fclose(file);
  tcg_pfcopy(2, 0, name);
  file = fopen(name, "r");
  int i = 0;
  while (i < BYTES && fgetc(file) == byte_of(0, 3, i))
    i++;
  kit_check_long(i, BYTES, "bytes of the copy that are right");
  kit_check_long(fgetc(file), EOF, "what stands behind them");
  fclose(file);
  tcg_synch(2);
  if (kit_me() == 0)
    remove(name);
}

static void local(void)
{
  kit_check_long(tcg_mdtob(3), 24, "bytes of doubles");
  kit_check_long(tcg_mitob(3), 24, "bytes of integers");
  kit_check_long(tcg_mdtoi(3), 3, "doubles in integers");
  kit_check_long(tcg_mitod(3), 3, "integers in doubles");
  kit_check(tcg_time() >= 0 && tcg_time() < 100, "seconds");
  kit_check(tcg_mtime() >= 0 && tcg_mtime() < 10000, "hundredths");
  tcg_srand48(5);
  const double first = tcg_drand48();
  tcg_srand48(5);
  kit_check(tcg_drand48() == first && first >= 0 && first < 1, "a random number");
  kit_check_long(tcg_ready(), 1, "ready");
  kit_check_long(tcg_nnodes(), kit_processes(), "processes");
  kit_check_long(tcg_nodeid(), kit_me(), "my number");
}

/* Calls that no header declares. The numbers are those that GA's library returns. */
void Error(const char *message, long code);
int str_len(const char *text);
int str_match(const char *word, char **list, int count);
unsigned char CheckByte(const unsigned char *bytes, long count);

static void helpers(char **argv)
{
  char apple[] = "apple", banana[] = "banana", apricot[] = "apricot", b[] = "b";
  char *list[] = {apple, banana, apricot, b};
  unsigned char bytes[1000], all[257];
  for (int i = 0; i < 1000; i++)
    bytes[i] = (unsigned char)((i * 7919 + 13) >> 3);
  memset(all, 255, sizeof all);
  kit_check_long(CheckByte(bytes, 3), 158, "checksum of 3 bytes");
  kit_check_long(CheckByte(bytes, 1000), 206, "checksum of 1000 bytes");
  kit_check_long(CheckByte(all, 257), 254, "checksum of 257 bytes");
  kit_check_long(str_match("app", list, 4), 0, "the only word that begins so");
  kit_check_long(str_match("ap", list, 4), -2, "one of two words");
  kit_check_long(str_match("b", list, 4), 3, "a whole word before a longer one");
  kit_check_long(str_match("zzz", list, 4), -1, "no word");
  kit_check_long(str_len("hello"), 5, "length");
  kit_check_long(MSGDBL | MSGINT | MSGCHR, 7 << 16, "marks of types");

  char text[9] = "xxxxxxxx", place[5] = "yyyy";
  Integer number = f2c_iargc_();
  F2C_GETARG(&number, text, 8);
  kit_check(strcmp(text, "        ") == 0, "an argument too many");
  number = 0;
  F2C_GETARG(&number, text, 2);
  kit_check(memcmp(text, argv[0], 2) == 0 && text[2] == ' ', "the program's name");
  kit_check_long(F2C_IARGC(), 1, "arguments");
  char name[] = "abc", wide[] = "ab  cd  ";
  ga_c2fstring(name, text, 8);
  kit_check(strcmp(text, "abc     ") == 0, "text for Fortran");
  ga_f2cstring(wide, 8, text, sizeof text);
  kit_check(strcmp(text, "ab  cd") == 0, "text of Fortran");
  ga_f2cstring(wide, 8, place, 2);
  kit_check(strcmp(place, "a") == 0 && place[2] == 'y', "text of Fortran, cut");
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "tcgmsg.messages");
  if (argc > 1)
    Error("a message", 256);
  helpers(argv);
  for (int life = 0; life < 2; life++) {
    tcg_pbeginf();
    kit_check_long(ARMCI_Initialized(), 1, "ARMCI runs");
    kit_use_world(cw_team_comm(cw_team_world()));
    local();
    for (int round = 0; round < ROUNDS; round++)
      ring(round);
    later();
    probed();
    together();
    counted(life);
    counted(life);
    copied();
    kit_check(cw_finalize() == CW_OK, "the end");
    kit_check_long(tcg_ready(), 0, "no longer ready");
    kit_check_long(ARMCI_Initialized(), 0, "ARMCI no longer runs");
  }
  return kit_finish();
}
