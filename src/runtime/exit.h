/* Reports processes that call exit while Causeway runs. */
#ifndef CWI_RUNTIME_EXIT_H
#define CWI_RUNTIME_EXIT_H

/* From now on a process that calls exit before cw_finalize prints a message. Without the message,
 * users would not learn why the other processes wait, or why the launcher has ended the job. */
void cwi_exit_watch(void);
#endif
