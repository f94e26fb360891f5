/* Reports loads and stores at addresses of another node's memory or of a device. */
#ifndef CWI_REGION_FAULT_H
#define CWI_REGION_FAULT_H

/* cwi_faults_watch installs a handler that reports which process an address belongs to when a load
 * or store faults at one that cwi_is_loadable rejects. The process then ends as it would without
 * the handler. cwi_faults_leave removes it. */
void cwi_faults_watch(void);
void cwi_faults_leave(void);
#endif
