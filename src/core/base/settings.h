/* The table of settings: name, type, default, range, help; with one parser and one printer. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum cwi_route_setting { CWI_ROUTE_AUTO, CWI_ROUTE_DIRECT, CWI_ROUTE_RMA, CWI_ROUTE_SERVER };
enum cwi_server_setting { CWI_SERVER_AUTO, CWI_SERVER_THREAD, CWI_SERVER_RANK, CWI_SERVER_NONE };
enum cwi_topology_setting {
  CWI_TOPOLOGY_AUTO,
  CWI_TOPOLOGY_FCG,
  CWI_TOPOLOGY_MFCG,
  CWI_TOPOLOGY_CFCG,
  CWI_TOPOLOGY_HYPERCUBE
};
enum cwi_rma_method_setting { CWI_CONSERVATIVE, CWI_BATCHED, CWI_DATATYPE, CWI_METHOD_AUTO };
enum cwi_zone_kind { CWI_ZONE_AUTO, CWI_ZONE_MEMFD, CWI_ZONE_MPI };
enum cwi_punch_setting { CWI_PUNCH_AUTO, CWI_PUNCH_ALWAYS, CWI_PUNCH_NEVER };
enum cwi_numa { CWI_NUMA_AUTO, CWI_NUMA_OFF, CWI_NUMA_FORCE };
/* The first values are those of cw_device_kind. */
enum cwi_device_choice {
  CWI_DEVICE_ANY,
  CWI_DEVICE_HOST,
  CWI_DEVICE_OPENCL,
  CWI_DEVICE_CUDA,
  CWI_DEVICE_NONE
};
enum cwi_device_peer { CWI_DEVICE_PEER_AUTO, CWI_DEVICE_PEER_AGENT };
enum cwi_device_sharing { CWI_SHARED_AUTO, CWI_SHARED_ALWAYS, CWI_SHARED_NEVER };
enum cwi_vocl_local { CWI_VOCL_PROGRAM, CWI_VOCL_PROXY };
enum cwi_attach { CWI_ATTACH_AUTO, CWI_ATTACH_NEVER };
enum cwi_team_method { CWI_TEAM_CREATE_GROUP, CWI_TEAM_MERGE };
enum cwi_domains { CWI_DOMAINS_PROCESS, CWI_DOMAINS_NODE };
enum cwi_failures_setting { CWI_FAILURES_END, CWI_FAILURES_SURVIVE };
enum cwi_errors { CWI_ERRORS_RETURN, CWI_ERRORS_FATAL };
/* Sign of a word in a list "+word,-word". CWI_PLUS_ALL: the word has its '+' from "+all". */
enum cwi_sign { CWI_NO_SIGN, CWI_PLUS, CWI_MINUS, CWI_PLUS_ALL };
enum cwi_leave { CWI_LEAVE_AUTO, CWI_LEAVE_ALWAYS, CWI_LEAVE_NEVER };

/* Observers of the program's calls. CW_PROFILE, CW_TIMELINE and tools share one mechanism and one
 * bit. CW_STATS and CW_CHECK share another bit. */
enum cwi_observed {
  CWI_OBSERVED_BY_PROFILE = 1,
  CWI_OBSERVED_BY_OTHERS = 2,
  CWI_BUFFERS_OBSERVED = 4 /* set by cwi_settings_watch_buffers, not by settings */
};

/* Values in force, each as a long. A choice is a value of one of the enums above. A list has two
 * bits for the sign of each word. A text is a number for cwi_settings_text. */
struct cwi_settings {
  long route;
  long server;
  long topology;
  long server_buffer;
  long server_credits;
  long server_bulk;
  long server_spin;
  long server_timeout;
  long server_place;
  long gather;
  long node_size;
  long zone;
  long zone_address;
  long zone_size;
  long memory_limit;
  long chunk_size;
  long punch;
  long punch_size;
  long numa;
  long copy;
  long huge_pages;
  long core_regions;
  long clear_memory;
  long rma_method;
  long rma_batch;
  long rma_requests;
  long rma_stage;
  long rma_check;
  long attach;
  long device;      /* enum cwi_device_choice */
  long device_peer; /* enum cwi_device_peer */
  long device_pack;
  long device_shared; /* enum cwi_device_sharing */
  long device_host_count;
  long device_host_memory;
  long device_host_latency; /* nanoseconds */
  long device_host_rate;    /* bytes in a microsecond */
  long device_host_item;    /* nanoseconds */
  long team_method;
  long domains;
  /* 0 for blocks; else the width of the blocks that are distributed round robin */
  long ga_distribution;
  long raise_threads;
  long alone;
  long spin;
  long leave_connections;
  long cuda_library; /* a text */
  long vocl_vendors; /* a text */
  long vocl_service; /* a text */
  long vocl_local;
  long vocl_sessions;
  long vocl_ahead;
  long vocl_balance;
  long vocl_drain;
  long vocl_silence;
  long workarounds; /* words in the order of enum cwi_workaround_id */
  long stats;
  long check;
  long leaks;
  long errors;
  long failures; /* enum cwi_failures_setting */
  long wait_report;
  long log;
  long profile;  /* a text */
  long timeline; /* a text */
  long timeline_events;
  long tools;    /* not a setting: 1 if tools observe this run (cw_profile_register) */
  long observed; /* not a setting but derived from some: enum cwi_observed, or 0 */
};

extern struct cwi_settings cwi_settings;

/* Returns the sign of a word in a list; `place` is its position after "all". */
static inline enum cwi_sign cwi_settings_sign(long list, int place)
{
  return (enum cwi_sign)(list >> (2 * place) & 3);
}

/* Returns the text of a value, which is "" for 0. The text is never freed. */
const char *cwi_settings_text(long value);

/* Sets the defaults and then the values of the environment. Errors: CW_MISUSE with the variable,
 * its value and its range. */
CWI_CHECKED cw_error cwi_settings_read(void);

/* Reads CW_ERRORS and CW_LOG if cwi_settings_read has not succeeded. They are needed to report the
 * failure of an earlier call, or of cwi_settings_read itself. Invalid values are ignored here;
 * cw_init reports them. */
void cwi_settings_read_early(void);

/* Changes one setting as the environment would (tests, ARMCI_Set_shm_limit). */
CWI_CHECKED cw_error cwi_settings_set(const char *name, const char *value, const char *origin);

/* Stores the value of a setting as text. */
CWI_CHECKED cw_error cwi_settings_get(const char *name, char *value, size_t size);

/* Makes calls notify the program's tools from now on. */
void cwi_settings_add_tools(void);

/* Sets whether calls check that loads and stores can reach their buffers. The check is needed if
 * this process knows addresses that they cannot reach, such as addresses of device memory. */
void cwi_settings_watch_buffers(bool watch);

/* Logs a warning for each CW_* variable of the environment that is not a setting, and for each
 * ARMCI_* value that is not understood. */
void cwi_settings_warn(void);

/* These functions compare, at start, the settings that all processes of a job must share.
 * cwi_settings_count returns the number of settings. cwi_settings_shared returns the value of one,
 * or 0 if each process may have its own. cwi_settings_differ returns the misuse for a setting that
 * differs between two ranks. */
size_t cwi_settings_count(void);
long cwi_settings_shared(size_t index);
CWI_CHECKED cw_error cwi_settings_differ(size_t index, long value, int rank, long other_value,
                                         int other_rank);

/* Stores the name of a setting and its value as text. Returns false if the setting was not set and
 * so has its default. */
bool cwi_settings_given(size_t index, const char **name, char *value, size_t size);

/* Prints the table: name, value, origin, help. */
void cwi_settings_print(FILE *out);

/* Prints the tables of docs/reference/settings.md, one for each topic. */
void cwi_settings_print_markdown(FILE *out);
