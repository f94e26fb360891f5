/* CWI_CLONES: compiles a function for newer processors, too, and selects a version when the program
 * is loaded. */
#pragma once

/* An ifunc selects the version. Ifuncs do not work with the sanitizers, nor on other processors. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CWI_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CWI_CLONES
#endif
