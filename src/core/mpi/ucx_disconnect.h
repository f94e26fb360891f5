/* Ends MPI without closing UCX's connections, where closing them hangs. */
#pragma once

/* Makes MPI_Finalize leave TCP connections open from now on, if the setting or the table of
 * work-arounds requires it. */
void cwi_disconnect_start(void);
