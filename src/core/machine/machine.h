/* Facts about the machine and this process's place in it: memory, limits, namespaces, NUMA. All are
 * read from the kernel when asked, but for the places of the cgroups: those once.
 *
 * caller.c        from where in the program a call of ours comes
 * copy.c          ways to copy
 * copy_choice.c   which of them: the fastest here
 * kernels_rows.c  the copy of rows
 * machine.c       memory, cores and limits of this machine */
#ifndef CWI_MACHINE_MACHINE_H
#define CWI_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of memory: all of the machine's; and what it, and every cgroup above this process (v1 and
 * v2), still have. SIZE_MAX when nobody says. */
size_t cwi_machine_memory(void);
size_t cwi_machine_available(void);

/* Processors of which the cgroups let this process and those beside it use the time: whole ones, at
 * least 1; SIZE_MAX: no limit. */
size_t cwi_machine_quota(void);

/* The same where /proc, and what is mounted, lie under `root` (tests). */
size_t cwi_machine_available_under(const char *root);
size_t cwi_machine_quota_under(const char *root);

/* Bytes that files in /dev/shm may still take. */
size_t cwi_machine_shm_free(void);

/* Addresses that this process may still map (ulimit -v); SIZE_MAX: any. */
size_t cwi_machine_address_space(void);

/* Which processes a PID names: those with equal namespaces know each other by the same numbers. All
 * zeros when the kernel does not say: then nobody's is known to be equal. */
struct cwi_pid_namespace {
  unsigned long long device, inode;
  char boot[40]; /* of which run of which kernel */
};
void cwi_machine_pid_namespace(struct cwi_pid_namespace *space);
bool cwi_same_pid_namespace(const struct cwi_pid_namespace *a, const struct cwi_pid_namespace *b);

/* What the kernel calls the processor; "": it does not say. */
void cwi_machine_processor(char *name, size_t size);

/* NUMA nodes that are on line, at least 1; and that of the core that runs this thread, or -1. */
int cwi_machine_numa_nodes(void);
int cwi_machine_numa_node(void);
#endif
