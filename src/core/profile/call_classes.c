/* Names of the classes of calls. cw-top, which reads counters from outside, is linked with this
 * file, too. */
#include "profile/profile.h"

static const char *const words[CW_CALL_CLASSES] = {[CW_CALL_PUT] = "put",
                                                   [CW_CALL_GET] = "get",
                                                   [CW_CALL_ACCUMULATE] = "accumulate",
                                                   [CW_CALL_RMW] = "read-modify-write",
                                                   [CW_CALL_LOCK] = "lock",
                                                   [CW_CALL_FENCE] = "fence",
                                                   [CW_CALL_PATCH] = "patch",
                                                   [CW_CALL_ELEMENTS] = "gather/scatter",
                                                   [CW_CALL_WAIT] = "wait",
                                                   [CW_CALL_FLUSH] = "flush",
                                                   [CW_CALL_BARRIER] = "barrier",
                                                   [CW_CALL_COLLECTIVE] = "collective",
                                                   [CW_CALL_ARRAY] = "array operation",
                                                   [CW_CALL_LINEAR] = "linear algebra",
                                                   [CW_CALL_FILE] = "file",
                                                   [CW_CALL_TASK_PHASE] = "task phase",
                                                   [CW_CALL_MAKE] = "create/free",
                                                   [CW_CALL_FINALIZE] = "finalize",
                                                   [CW_CALL_TASK] = "task",
                                                   [CW_CALL_PROGRAM_PHASE] = "phase"};

const char *cw_call_class_word(cw_call_class call_class)
{
  return (unsigned)call_class < CW_CALL_CLASSES ? words[call_class] : "";
}

bool cwi_is_wait(cw_call_class call_class)
{
  return call_class == CW_CALL_LOCK || call_class == CW_CALL_FENCE || call_class == CW_CALL_WAIT ||
         call_class == CW_CALL_FLUSH || call_class == CW_CALL_BARRIER ||
         call_class == CW_CALL_FINALIZE;
}

bool cwi_awaits_processes(cw_call_class call_class)
{
  return call_class == CW_CALL_WAIT || call_class == CW_CALL_BARRIER ||
         call_class == CW_CALL_COLLECTIVE || call_class == CW_CALL_FINALIZE;
}
