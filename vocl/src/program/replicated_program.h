/* Programs and kernels of contexts over several locations.
 *
 * include_files.c       files that a program's source may include
 * replicated_kernel.c   kernels and their arguments
 * replicated_program.c  programs and their builds
 * replicated_query.c    answers to queries about replicated objects */
#pragma once

#include "replica/replicated_memory.h"

/* Inputs of the build of a program. */
struct vocl_build_record {
  uint32_t refs; /* one for each device for which the program was built, one during the build */
  uint64_t generation; /* number among all builds of this process */
  enum vocl_build_step step;
  char *options;
  cl_uint count;
  struct vocl_replicated_program **programs; /* headers, or linked programs; referenced */
  char **names;                              /* names of the headers */
  struct vocl_includes *includes;            /* NULL if the source includes nothing */
};

/* The last build of a program for a device. */
struct vocl_build {
  struct vocl_build_record *record; /* NULL if it was never built */
  bool has_succeeded;
};

struct vocl_replicated_program {
  struct vocl_replicated replicated;
  enum vocl_sort sort;
  cl_uint device_count;
  void **devices;            /* as given by the program */
  struct vocl_build *builds; /* one for each device */
  char *source;              /* source, or the names of built-in kernels */
  unsigned char **binaries;
  size_t *lengths;
  uint32_t kernel_count; /* number of kernels that exist */
};

/* An argument as the program has set it. */
struct vocl_replicated_argument {
  bool is_set;
  size_t size;
  struct vocl_replicated
      *object; /* memory or a sampler; `generation` shows whether it still exists */
  uint64_t generation;
  unsigned char *value; /* NULL for local memory and objects */
};

struct vocl_replicated_kernel {
  struct vocl_replicated replicated;
  struct vocl_replicated_program *program;
  char *name;
  cl_uint count;
  struct vocl_replicated_argument *arguments;
  unsigned char *reads_only; /* for each argument, 1 if the kernel never writes through it */
  uint32_t stale;            /* bit mask of locations whose replica lacks arguments */
};

/* --- replicated_program.c --- */

extern const struct vocl_replicated_kind vocl_replicated_program_kind;
cl_int vocl_replicated_program_make(const struct vocl_making *making, void **object);

/* Returns the last build for the device, or NULL if the program does not have the device. */
const struct vocl_build *vocl_program_build_for(const struct vocl_replicated_program *program,
                                                const void *given);
/* Returns a location of the program. Prefers a location with a device for which the program is
 * built, because it has the results of the build. Among these, prefers one that is not lost. */
uint32_t vocl_program_location(const struct vocl_replicated_program *program);
/* Makes the program at a location that has only this device, and repeats the last build for it,
 * if there was one. */
cl_int vocl_program_rebuild(struct vocl_replicated_program *program, const void *given,
                            uint32_t location);

/* --- include_files.c --- */

/* The files that a program's source may include, and its options, for the proxies that build it. */
struct vocl_includes {
  size_t count;
  struct vocl_include_folder
      *folders;  /* the working directory, then the directories of the options */
  char *options; /* contains placeholders for the directories, see wire/message.h */
  char *archive;
};

/* Collects the files that the sources may include. Sets *includes to NULL if they include
 * nothing. Returns false if there is no memory, or if the files are too large to send. */
bool vocl_includes_collect(const struct vocl_building *b, const char *const *texts,
                           size_t text_count, struct vocl_includes **includes);
void vocl_includes_unref(struct vocl_includes *includes);
/* Returns text of a proxy (a log or options) with the directories as the program named them. The
 * caller frees it. Returns NULL if there is no memory. */
char *vocl_includes_as_given(const struct vocl_includes *includes, const char *text);

/* --- replicated_kernel.c --- */

extern const struct vocl_replicated_kind vocl_replicated_kernel_kind;
cl_int vocl_replicated_kernel_make(const struct vocl_making *making, void **object);
/* Returns true if the argument names no object, or one that still exists. */
bool vocl_argument_is_alive(const struct vocl_replicated_argument *argument);
/* Returns a copy of the arguments for a deferred launch, which references their objects, or
 * NULL. */
struct vocl_replicated_argument *
vocl_arguments_snapshot(const struct vocl_replicated_kernel *kernel);
void vocl_arguments_free(struct vocl_replicated_argument *arguments, cl_uint count);
/* Gets the kernel at a location with its arguments set. If `arguments` is NULL, that is the
 * kernel's own replica; otherwise a new object with these arguments, which the caller drops. */
cl_int vocl_kernel_replica(struct vocl_replicated_kernel *kernel,
                           const struct vocl_replicated_argument *arguments, uint32_t location,
                           void **replica);
