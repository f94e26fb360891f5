/* Objects of one kind that programs name by their address or by a number, and may name after they
 * are gone.
 *
 * Places are never given back to the system, and a place is used again only after many others: so
 * an address can be asked about whatever it is, and what was freed is recognised, not read. */
#ifndef CWI_WAIT_OBJECT_TABLE_H
#define CWI_WAIT_OBJECT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Slab k holds CWI_FIRST_OBJECTS << k places. */
enum { CWI_OBJECT_SLABS = 24, CWI_FIRST_OBJECTS = 64 };

/* Start with CWI_OBJECTS(type). */
struct cwi_objects {
  const char *name;                    /* for users, in the singular; NULL: nobody lists them */
  bool (*is_mine)(const void *object); /* is it this process that lists it? NULL: it is */
  size_t size;                         /* bytes of an object */
  unsigned shift;                      /* log2 of the bytes of a place */
  uint32_t most;                       /* places; 0: as many as there is memory for */
  char *slabs[CWI_OBJECT_SLABS];       /* NULL: not made yet */
  uint32_t lock;
  uint32_t fresh;                 /* places that were never used begin here */
  uint32_t alive, idle;           /* objects, and places that wait for their next use */
  uint32_t first_idle, last_idle; /* place + 1, in the order in which they were freed; 0: none */
  bool known;                     /* it is among the kinds */
  struct cwi_objects *next;
};

/* Each place has 16 bytes of ours before the object. */
#define CWI_OBJECTS(type) CWI_OBJECTS_NAMED(type, NULL, NULL)
#define CWI_OBJECTS_AT_MOST(type, places)                                                          \
  {                                                                                                \
    .most = (places), .size = sizeof(type), .shift = CWI_OBJECT_SHIFT(type)                        \
  }
#define CWI_OBJECTS_NAMED(type, its_name, whose)                                                   \
  {                                                                                                \
    .name = (its_name), .is_mine = (whose), .size = sizeof(type), .shift = CWI_OBJECT_SHIFT(type)  \
  }
#define CWI_OBJECT_SHIFT(type) (64 - (unsigned)__builtin_clzl(sizeof(type) + 15))

/* A new object, all zeros; NULL when there is no memory, or there are as many as may be. */
void *cwi_object_make(struct cwi_objects *objects);
void cwi_object_end(struct cwi_objects *objects, void *object);

/* Let nobody make or end one meanwhile: for fork, whose child would find the lock taken for ever.
 */
void cwi_objects_stop(struct cwi_objects *objects);
void cwi_objects_resume(struct cwi_objects *objects);

/* How many objects of all kinds have ended, plus 1: while it stays the same, what lived lives. */
extern uint64_t cwi_objects_ended;

/* Is there an object of this kind at the address? Takes no lock. */
bool cwi_object_lives(const struct cwi_objects *objects, const void *address);

/* The number of an object's place, from 0 on, and the object that lives at a number; NULL: none.
 * Take no lock. */
uint32_t cwi_object_number(const void *object);
void *cwi_object_numbered(const struct cwi_objects *objects, uint32_t number);

/* The objects that live, one after the other: NULL gives the first, NULL comes after the last. */
void *cwi_object_next(const struct cwi_objects *objects, const void *object);

/* The kinds of which there has been an object: NULL gives the first, NULL comes after the last. */
const struct cwi_objects *cwi_object_kinds(const struct cwi_objects *kind);
#endif
