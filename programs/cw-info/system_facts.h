/* The sections of cw-info --report that need no MPI process. */
#pragma once

#include <stdio.h>

/* Versions of Causeway, MPI, the compiler, the system and the libraries that are loaded. */
void print_versions(FILE *out);

/* Settings of Causeway that differ from their defaults, and variables of MPI. */
void print_changed_settings(FILE *out);

/* Processor, cores, memory, /dev/shm and limits of this machine. */
void print_hardware(FILE *out);
