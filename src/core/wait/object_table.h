/* Objects of one kind that programs name by address or number, perhaps after they have been freed.
 *
 * Places are never returned to the system, and a place is used again only after many others. So any
 * address can be tested, and a freed object is recognised without reading it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Slab k has CWI_FIRST_OBJECTS << k places. */
enum { CWI_OBJECT_SLABS = 24, CWI_FIRST_OBJECTS = 64 };

/* Initialize it with CWI_OBJECTS(type), or with CWI_OBJECTS_OF(type) and more fields in braces. */
struct cwi_objects {
  const char *name; /* name of the kind in messages, in the singular; NULL if reports do not list
                       this kind */
  /* returns true if reports of this process list the object; NULL if they list all objects */
  bool (*is_mine)(const void *object);
  /* Texts with which the messages of cwi_check_object end. They follow "region is NULL" and "region
   * is 0x..., which is ". */
  const char *null_text, *dead_text;
  size_t size;    /* bytes of an object */
  unsigned shift; /* log2 of the bytes of a place */
  uint32_t most;  /* upper bound on the number of places; 0 if only memory limits it */
  char *slabs[CWI_OBJECT_SLABS]; /* NULL until it is allocated */
  uint32_t lock;
  uint32_t fresh;       /* first place that was never used */
  uint32_t alive, idle; /* number of objects; number of places that wait for their next use */
  /* place + 1 of the idle places freed first and last, or 0 if none is idle */
  uint32_t first_idle, last_idle;
  bool known; /* true if it is in the list of kinds */
  struct cwi_objects *next;
};

/* Each place has a header of 16 bytes before the object. */
#define CWI_OBJECTS(type)                                                                          \
  {                                                                                                \
    CWI_OBJECTS_OF(type)                                                                           \
  }
#define CWI_OBJECTS_OF(type) .size = sizeof(type), .shift = CWI_OBJECT_SHIFT(type)
#define CWI_OBJECT_SHIFT(type) (64 - (unsigned)__builtin_clzl(sizeof(type) + 15))

/* cwi_object_make returns a new object, all zeros, or NULL if there is no memory or the upper bound
 * is reached. cwi_object_end frees one. */
void *cwi_object_make(struct cwi_objects *objects);
void cwi_object_end(struct cwi_objects *objects, void *object);

/* cwi_objects_stop keeps other threads from making or ending objects until cwi_objects_resume. It
 * is for fork: otherwise the child may inherit a lock that is never released. */
void cwi_objects_stop(struct cwi_objects *objects);
void cwi_objects_resume(struct cwi_objects *objects);

/* Number of objects of all kinds that have been freed, plus 1. While this count is unchanged, no
 * object has been freed. */
extern uint64_t cwi_objects_ended;

/* Returns true if there is a living object of this kind at the address. Takes no lock. */
bool cwi_object_lives(const struct cwi_objects *objects, const void *address);

/* cwi_object_number returns the number of an object's place, from 0 on. cwi_object_numbered returns
 * the living object of that number, or NULL. Neither takes a lock. */
uint32_t cwi_object_number(const void *object);
void *cwi_object_numbered(const struct cwi_objects *objects, uint32_t number);

/* Returns the living object after `object`, or the first one for NULL. Returns NULL after the last.
 */
void *cwi_object_next(const struct cwi_objects *objects, const void *object);

/* Lists the kinds that have had objects: returns the one after `kind`, or the first one for NULL.
 * Returns NULL after the last. */
const struct cwi_objects *cwi_object_kinds(const struct cwi_objects *kind);
