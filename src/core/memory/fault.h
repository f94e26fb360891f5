/* Faults at addresses that name another node's memory. */
#ifndef CWI_MEMORY_FAULT_H
#define CWI_MEMORY_FAULT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Has the process say whose address it was when a load or store faults at one that
 * cwi_is_loadable rejects; the process then ends as it would have without. */
void cwi_faults_watch(void);
void cwi_faults_leave(void);

#ifdef __cplusplus
}
#endif
#endif
