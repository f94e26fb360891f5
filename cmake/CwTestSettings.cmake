# The settings under which tests run, by name. A folder may add its own: set(cw_setting_mine VARIABLE=value).
# "rma" is pure MPI: no two processes share memory.
set(cw_pure CW_SERVER=none CW_ROUTE=rma CW_NODE_SIZE=1)
set(cw_setting_default "")
set(cw_setting_zone-mpi CW_ZONE=mpi CW_ZONE_SIZE=256M)
set(cw_setting_merge CW_TEAM_METHOD=merge)
set(cw_setting_nodes CW_SERVER=none CW_NODE_SIZE=2) # some targets direct, some through windows
set(cw_setting_rma ${cw_pure})
set(cw_setting_conservative ${cw_pure} CW_RMA_METHOD=conservative)
set(cw_setting_datatypes ${cw_pure} CW_RMA_METHOD=direct)
set(cw_setting_auto ${cw_pure} CW_RMA_METHOD=auto)
set(cw_setting_batch ${cw_pure} CW_RMA_METHOD=batched CW_RMA_BATCH=3)
set(cw_setting_flushes ${cw_pure} CW_RMA_REQUESTS=0)
set(cw_setting_stage ${cw_pure} CW_RMA_STAGE=1)
set(cw_setting_check ${cw_pure} CW_RMA_CHECK=1)
set(cw_setting_chunk ${cw_pure} CW_CHUNK_SIZE=65536)
set(cw_setting_around ${cw_pure} CW_WORKAROUNDS=+all) # each MPI takes the ways round that others need
# Open MPI's windows between hosts, on one machine.
set(cw_setting_ucx ${cw_pure} OMPI_MCA_osc=ucx,sm OMPI_MCA_opal_common_ucx_tls=any OMPI_MCA_opal_common_ucx_devices=any)
# Open MPI 4 and 5 differ in what some tests expect. With 5.0.7 and these windows, UCX ends a program in which another thread
# than the one that made a window uses it.
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
include(CheckCSourceCompiles)
check_c_source_compiles("#include <mpi.h>\n_Static_assert(OMPI_MAJOR_VERSION < 5, \"\"); int main(void) { return 0; }" CW_OPENMPI_4)
unset(CMAKE_REQUIRED_LIBRARIES)
set(cw_setting_rma-served CW_ROUTE=rma CW_NODE_SIZE=1) # and servers, which are not asked
set(cw_setting_checked CW_CHECK=1)

# Devices of a driver that is none (tests/device/fake_cuda): node peers' by CUDA's IPC, or by agents. The driver may
# give a name of memory again.
set(cw_cuda CW_DEVICE=cuda CW_CUDA_LIBRARY=$<TARGET_FILE:fake_cuda>)
set(cw_setting_ipc ${cw_cuda} FAKE_CUDA_NAMES=1)
set(cw_setting_ipc-agents ${cw_cuda} CW_DEVICE_PEER=agent)

# Several nodes with servers: one process on each, two on each, one with a server rank beside it.
set(cw_setting_server CW_NODE_SIZE=1)
set(cw_setting_server-nodes CW_NODE_SIZE=2)
set(cw_setting_server-rank CW_SERVER=rank CW_NODE_SIZE=1)
# Everything through servers, with small buffers and few credits, so that all of it has to wait, and
# with forwarding: on 4 nodes in two hops at most.
set(cw_tight CW_ROUTE=server CW_NODE_SIZE=1 CW_SERVER_BUFFER=4096 CW_SERVER_CREDITS=2
    CW_SERVER_BULK=3000)
set(cw_setting_mfcg ${cw_tight} CW_TOPOLOGY=mfcg)
set(cw_setting_cfcg ${cw_tight} CW_TOPOLOGY=cfcg)
set(cw_setting_hypercube ${cw_tight} CW_TOPOLOGY=hypercube)
# Nearly everything in messages of its own.
set(cw_setting_bulk CW_ROUTE=server CW_NODE_SIZE=1 CW_SERVER_BULK=32)

