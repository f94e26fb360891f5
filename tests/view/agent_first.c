/* The kernel rejects copies of memory of handles, which the first try shows: another node requests
 * a list, of which the owner's agent handles the rows from the middle on. */
#include "kit/native.h"

#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum { SEGMENTS = 40, WORDS = 8, APART = 2 * WORDS, ALL = SEGMENTS * APART };

/* Replaces the system's call for this program, but not for MPI (--wrap). */
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *mine, unsigned long count,
                                const struct iovec *there, unsigned long there_count,
                                unsigned long flags);
ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *mine, unsigned long count,
                                 const struct iovec *there, unsigned long there_count,
                                 unsigned long flags);

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *mine, unsigned long count,
                                const struct iovec *there, unsigned long there_count,
                                unsigned long flags)
{
  (void)pid, (void)mine, (void)count, (void)there, (void)there_count, (void)flags;
  errno = EPERM;
  return -1;
}

ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *mine, unsigned long count,
                                 const struct iovec *there, unsigned long there_count,
                                 unsigned long flags)
{
  return __wrap_process_vm_readv(pid, mine, count, there, there_count, flags);
}

static int64_t *memory;

static int64_t value_of(int process, int segment, int word)
{
  return 1000000 * process + 100 * segment + word;
}

/* Process 0 transfers all rows of the last process. */
static void move(cw_operation operation, cw_view view, int64_t *there, int owner)
{
  static int64_t here[SEGMENTS][WORDS];
  void *local[SEGMENTS], *remote[SEGMENTS];
  const cw_vector vector = {local, remote, SEGMENTS, sizeof here[0]};
  cw_handle handle = {0};
  for (int i = 0; i < SEGMENTS; i++) {
    local[i] = here[i];
    remote[i] = there + (ptrdiff_t)i * APART;
    for (int word = 0; word < WORDS; word++)
      here[i][word] = operation == CW_PUT ? value_of(owner + 1, i, word) : -1;
  }
  const cw_transfer list = cw_vectors(operation, &vector, 1, owner);
  KIT_OK(cw_view_start(view, &list, &handle));
  KIT_OK(cw_wait(&handle));
  KIT_OK(cw_view_flush(view, owner));
  for (int i = 0; operation == CW_GET && i < SEGMENTS; i++)
    for (int word = 0; word < WORDS; word++)
      kit_check_long(here[i][word], value_of(owner, i, word), "word that was read");
}

static void check_mine(int process, bool written)
{
  for (int i = 0; i < SEGMENTS; i++)
    for (int word = 0; word < APART; word++) {
      const bool mine = word >= WORDS;
      const int64_t want = mine ? -2 : value_of(written ? process + 1 : process, i, word);
      if (!kit_check_long(memory[i * APART + word], want, "word of the owner"))
        return;
    }
}

/* First puts or first gets: each process's kernel rejects only once. */
int main(int argc, char **argv)
{
  unsigned char handle[CW_MEMORY_HANDLE_BYTES];
  cw_view view = NULL;
  kit_start_native(&argc, &argv, "agent_first");
  kit_hang_guard();
  const cw_operation operation = argc > 1 && strcmp(argv[1], "put") == 0 ? CW_PUT : CW_GET;
  const int owner = kit_processes() - 1;
  memory = malloc(ALL * sizeof *memory);
  for (int i = 0; i < ALL; i++)
    memory[i] = i % APART < WORDS ? value_of(kit_me(), i / APART, i % APART) : -2;
  if (kit_me() == owner)
    KIT_MUST(cw_memory_handle_create(memory, ALL * sizeof *memory, handle));
  KIT_MUST(cw_broadcast(cw_team_world(), owner, handle, sizeof handle));
  if (kit_me() == 0) {
    void *base = NULL;
    size_t bytes = 0;
    KIT_MUST(cw_view_from_memory(handle, &view));
    KIT_MUST(cw_view_address(view, owner, &base, &bytes));
    move(operation, view, base, owner);
    move(operation, view, base, owner);
    KIT_OK(cw_view_free(&view));
  }
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == owner) {
    check_mine(owner, operation == CW_PUT);
    KIT_OK(cw_memory_handle_release(handle));
  }
  KIT_OK(cw_barrier(cw_team_world()));
  free(memory);
  return kit_finish_native();
}
