/* Memory as the client side keeps it: its description, its mappings, and at which locations its
 * ranges are valid. */
#pragma once

#include "replica/replicated_event.h"

/* Callbacks for the deletion of memory and all its replicas, the last registered one first. */
struct vocl_memory_deletion {
  uint32_t awaited;   /* number of references: the memory and its replicas */
  uint32_t locations; /* locations whose replicas are counted */
  char *shadow;       /* memory for mappings */
  struct vocl_deleted_callback *deleted;
};

/* A range that the program has mapped. */
struct vocl_mapping {
  struct vocl_mapping *next;
  char *address;
  cl_bitfield flags;
  size_t offset, size;         /* of a buffer */
  size_t origin[3], region[3]; /* of an image */
};

/* A range of a buffer and the bit mask of the locations where it is valid. 0 means that it was
 * never written. The mask assumes that the last writes succeed. Until that is known, the
 * previous masks are kept in `unsure`. */
struct vocl_valid_range {
  struct vocl_valid_range *next;
  size_t from, to;
  uint32_t valid;
  struct vocl_memory_use *unsure; /* in order, the first one first */
};

/* A command that may not be complete and uses a range at its location. */
struct vocl_memory_use {
  struct vocl_memory_use *next;
  struct vocl_replicated_event *event;
  size_t from, to;
  bool writes;
  uint32_t location,
      before; /* for unsure writes: the command's location, and the mask before the write */
};

/* Validity of a buffer by ranges of bytes, or of an image by ranges of rows of all slices. Kept
 * only in contexts with several locations. */
struct vocl_contents {
  struct vocl_valid_range *segments;
  struct vocl_memory_use *uses, *last_use; /* by commands of the program */
  struct vocl_memory_use *transfers;       /* by our transfers */
};

/* Buffers, sub-buffers and images. */
struct vocl_replicated_memory {
  struct vocl_replicated replicated;
  struct vocl_replicated_memory
      *whole; /* for a sub-buffer, its buffer; for an image made from memory, that memory */
  enum vocl_sort sort;
  uint64_t generation; /* distinguishes it from all other objects of this process */
  cl_mem_flags given;  /* flags as given by the program */
  cl_mem_flags flags;  /* flags with defaults */
  size_t size, offset; /* size of a buffer; offset in `whole` */
  void *host;          /* the program's memory for CL_MEM_USE_HOST_PTR */
  struct vocl_memory_deletion *deletion; /* NULL if there are no callbacks for its deletion */
  cl_image_format format;
  cl_image_desc image;           /* its memory object is `whole` */
  size_t element;                /* bytes of a pixel */
  size_t row_pitch, slice_pitch; /* pitches of mapped images */
  struct vocl_contents contents; /* used if there is no `whole` */
  struct vocl_mapping *maps;     /* mappings of the program */
  uint32_t map_count;
};
