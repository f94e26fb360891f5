/* Lists what a program has not freed at cw_finalize (CW_CHECK=1). */
#ifndef CWI_RUNTIME_LEAKS_H
#define CWI_RUNTIME_LEAKS_H

/* Lists regions, mutex sets and teams that were not freed (on their lowest member), and mutexes
 * that this process holds and operations for which it has not waited. Local. */
void cwi_leaks_list(void);
#endif
