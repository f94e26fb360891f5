/* Tools of the program that are notified of each call. They are registered once and are notified
 * from the next start on. */
#include "profile/profile_counters.h"
#include "wait/lock.h"

#include <causeway/profile.h>

enum { MOST_TOOLS = 8 };

static uint32_t tools_lock;
static cw_profile_tool tools[MOST_TOOLS];
static int registered;
static int started; /* number of tools that are notified in this run */

/* Set while this thread is in a tool. Calls that a tool makes are not reported to any tool. */
static __thread __attribute__((tls_model("initial-exec"))) bool notifying;

bool cwi_tools_are_running(void)
{
  return notifying;
}

cw_error cw_profile_register(const cw_profile_tool *tool)
{
  static const char call[] = "cw_profile_register";
  if (tool == NULL)
    return cwi_in_call(call, cwi_misuse("tool is NULL"));
  if (tool->begin == NULL && tool->end == NULL)
    return cwi_in_call(call, cwi_misuse("tool has neither begin nor end"));
  cwi_lock(&tools_lock);
  const int count = registered;
  if (count < MOST_TOOLS)
    tools[registered++] = *tool;
  cwi_unlock(&tools_lock);
  return count < MOST_TOOLS
             ? CW_OK
             : cwi_in_call(call, cwi_misuse("%d tools are registered already", MOST_TOOLS));
}

bool cwi_tools_start(void)
{
  cwi_lock(&tools_lock);
  started = registered;
  cwi_unlock(&tools_lock);
  if (started > 0)
    cwi_settings_add_tools();
  return started > 0;
}

static cw_profile_call notify_call(const struct cwi_timeline_event *event,
                                   struct cwi_call_site *site)
{
  const uintptr_t place = site != NULL ? site->address : 0;
  return (cw_profile_call){.call_class = event->what,
                           .place = (const void *)place, /* NOLINT(performance-no-int-to-ptr) */
                           .call = site != NULL ? cwi_call_name(site) : NULL,
                           .name = event->name,
                           .target = event->target,
                           .bytes = event->bytes};
}

void cwi_tools_notify_begin(const struct cwi_timeline_event *event, struct cwi_call_site *site)
{
  const cw_profile_call call = notify_call(event, site);
  if (notifying)
    return;
  notifying = true;
  for (int i = 0; i < started; i++)
    if (tools[i].begin != NULL)
      tools[i].begin(&call, tools[i].context);
  notifying = false;
}

/* Notifies the last tool first, so that tools nest as calls do. */
void cwi_tools_notify_end(const struct cwi_timeline_event *event, struct cwi_call_site *site)
{
  const cw_profile_call call = notify_call(event, site);
  if (notifying)
    return;
  notifying = true;
  for (int i = started; i-- > 0;)
    if (tools[i].end != NULL)
      tools[i].end(&call, tools[i].context);
  notifying = false;
}
