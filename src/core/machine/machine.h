/* Facts about the machine and about this process on it: memory, limits, namespaces, NUMA. All are
 * read from the kernel at each call, except the directories of the cgroups, which are found once.
 *
 * caller.c        place in the program from which a call of Causeway comes
 * copy.c          ways to copy
 * copy_choice.c   chooses the fastest way to copy
 * kernels_rows.c  copies rows
 * machine.c       memory, processors and limits of this machine */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* cwi_machine_memory returns the bytes of the machine's memory. cwi_machine_available returns the
 * bytes that are still available both in the machine and in every cgroup above this process (v1 and
 * v2). Both return SIZE_MAX if the kernel does not report the number. */
size_t cwi_machine_memory(void);
size_t cwi_machine_available(void);

/* Returns the number of processors whose time the cgroups grant to their processes: a whole number,
 * at least 1, or SIZE_MAX if there is no limit. */
size_t cwi_machine_quota(void);

/* Like the functions above, with /proc and all mount points under `root` (tests). */
size_t cwi_machine_available_under(const char *root);
size_t cwi_machine_quota_under(const char *root);

/* Returns the bytes that files in /dev/shm may still take. */
size_t cwi_machine_shm_free(void);

/* Returns the bytes of addresses that this process may still map (ulimit -v), or SIZE_MAX if there
 * is no limit. */
size_t cwi_machine_address_space(void);

/* The namespace in which a PID is valid: processes with equal namespaces know each other by the
 * same PIDs. It is all zeros if the kernel does not report it. Such namespaces never count as
 * equal. */
struct cwi_pid_namespace {
  unsigned long long device, inode;
  char boot[40]; /* boot ID of the running kernel */
};
void cwi_machine_pid_namespace(struct cwi_pid_namespace *space);
bool cwi_same_pid_namespace(const struct cwi_pid_namespace *a, const struct cwi_pid_namespace *b);

/* Writes the kernel's name of the processor, or "" if it has none. */
void cwi_machine_processor(char *name, size_t size);

/* Returns true if the kernel never gives shared memory huge pages, even if a program asks for them.
 */
bool cwi_machine_denies_huge_pages(void);

/* cwi_machine_numa_nodes returns the number of NUMA nodes that are online, at least 1.
 * cwi_machine_numa_node returns the node of the core that runs this thread, or -1. */
int cwi_machine_numa_nodes(void);
int cwi_machine_numa_node(void);
