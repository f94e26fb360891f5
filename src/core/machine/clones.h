/* CWI_CLONES: compile a function also for newer processors, and choose when the program is loaded.
 */
#ifndef CWI_MACHINE_CLONES_H
#define CWI_MACHINE_CLONES_H

/* The choice is an ifunc, which the sanitizers and other processors cannot have. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CWI_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CWI_CLONES
#endif

#endif
