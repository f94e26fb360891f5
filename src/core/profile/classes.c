/* The classes of calls, in words. Programs that read counters from outside have this file, too
 * (cw-top). */
#include "profile/profile.h"

const char *cwi_call_class_word(enum cwi_call_class call_class)
{
  static const char *const words[CWI_CALL_CLASSES] = {[CWI_CALL_PUT] = "put",
                                                      [CWI_CALL_GET] = "get",
                                                      [CWI_CALL_ACCUMULATE] = "accumulate",
                                                      [CWI_CALL_RMW] = "read-modify-write",
                                                      [CWI_CALL_LOCK] = "lock",
                                                      [CWI_CALL_FENCE] = "fence",
                                                      [CWI_CALL_PATCH] = "patch",
                                                      [CWI_CALL_ELEMENTS] = "gather/scatter",
                                                      [CWI_CALL_WAIT] = "wait",
                                                      [CWI_CALL_FLUSH] = "flush",
                                                      [CWI_CALL_BARRIER] = "barrier",
                                                      [CWI_CALL_COLLECTIVE] = "collective",
                                                      [CWI_CALL_ARRAY] = "array operation",
                                                      [CWI_CALL_LINEAR] = "linear algebra",
                                                      [CWI_CALL_FILE] = "file",
                                                      [CWI_CALL_PHASE] = "task phase",
                                                      [CWI_CALL_MAKE] = "create/free",
                                                      [CWI_CALL_STOP] = "finalize",
                                                      [CWI_CALL_TASK] = "task"};
  return words[call_class];
}

bool cwi_is_wait(enum cwi_call_class call_class)
{
  return call_class == CWI_CALL_LOCK || call_class == CWI_CALL_FENCE ||
         call_class == CWI_CALL_WAIT || call_class == CWI_CALL_FLUSH ||
         call_class == CWI_CALL_BARRIER || call_class == CWI_CALL_STOP;
}
