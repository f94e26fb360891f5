/* Faults at addresses that name another node's memory. */
#ifndef CWI_REGION_FAULT_H
#define CWI_REGION_FAULT_H

/* Has the process say whose address it was when a load or store faults at one that
 * cwi_is_loadable rejects; the process then ends as it would have without. */
void cwi_faults_watch(void);
void cwi_faults_leave(void);
#endif
