/* Reports loads and stores at addresses of another node's memory or of a device. */
#pragma once

/* cwi_faults_watch installs a handler for loads and stores that fault. If cwi_is_loadable rejects
 * the address, the handler reports the process to which it belongs. The process then ends as it
 * would without the handler. cwi_faults_leave removes it. */
void cwi_faults_watch(void);
void cwi_faults_leave(void);
