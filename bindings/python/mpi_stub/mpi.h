/* Stands for MPI's header when the declarations of causeway.h are read for Python: they are the
 * same for every MPI. */
typedef struct causeway_python_comm *MPI_Comm;
