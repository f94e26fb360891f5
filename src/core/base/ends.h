/* What rooms have to do when Causeway stops that the start and the stop do not know, because a
 * library may be built without them. */
#ifndef CWI_BASE_ENDS_H
#define CWI_BASE_ENDS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Static memory of the room. */
struct cwi_end {
  void (*run)(void);
  struct cwi_end *next;
  int noted;
};

/* Run it at each stop from now on, after all memory has gone. It may be told more than once; any
 * thread. */
void cwi_at_end(struct cwi_end *end);
void cwi_ends_run(void);

#ifdef __cplusplus
}
#endif
#endif
