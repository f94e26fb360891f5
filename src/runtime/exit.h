/* Reports processes that call exit while Causeway runs. */
#ifndef CWI_RUNTIME_EXIT_H
#define CWI_RUNTIME_EXIT_H

/* From now on a process that calls exit before cw_finalize prints a message. Otherwise the other
 * processes would wait for it, or the launcher would end the job without an explanation. */
void cwi_exit_watch(void);
#endif
