/* Short names of four calls, which GA's examples use. */
#ifndef CWGA_COMS_H
#define CWGA_COMS_H

#include "ga.h"

#define SYNC GA_Sync
#define NPROC GA_Nnodes
#define ME GA_Nodeid
#define ERROR GA_Error

#endif
