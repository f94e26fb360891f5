/* Classes of tasks and common objects, which all members register together. Public calls. */
#include "base/hash.h"
#include "collective_call/collective_check.h"
#include "device_task/planning.h"
#include "team/agreement.h"
#include "worker/pool.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 200 };

static void forget_last(struct cwi_names *names)
{
  free(names->all[names->count].name);
}

void cwi_names_clear(struct cwi_names *names)
{
  while (names->count > 0) {
    names->count--;
    cwi_class_free(names->all[names->count].planned);
    forget_last(names);
  }
  free(names->all);
  names->all = NULL;
}

static cw_error check_name(cw_tasks pool, const struct cwi_names *names, const char *name,
                           const int *number)
{
  if (pool->running)
    return cwi_misuse("this process is in a phase of this pool");
  CWI_TRY(cwi_check_not_null("name", name));
  CWI_TRY(cwi_check_not_null("number, which receives it,", number));
  const size_t length = strnlen(name, MOST_NAME + 1);
  if (length == 0 || length > MOST_NAME)
    return cwi_misuse("name has %s; it may have 1 to %d bytes",
                      length == 0 ? "no bytes" : "too many", MOST_NAME);
  for (int i = 0; i < names->count; i++)
    if (strcmp(names->all[i].name, name) == 0)
      return cwi_misuse("name is '%s', which is registered already, as number %d", name, i);
  if (names->count == CW_TASKS_MOST_CLASSES)
    return cwi_misuse("the pool already has %d of them, the maximum", names->count);
  return CW_OK;
}

/* Stores the name after the last one, but does not count it yet. */
static cw_error append(struct cwi_names *names, struct cwi_named named)
{
  const size_t count = (size_t)names->count;
  struct cwi_named *all = realloc(names->all, (count + 1) * sizeof *all);
  if (all == NULL)
    return cwi_outside("no memory for '%s'", named.name);
  names->all = all;
  named.name = strdup(named.name);
  if (named.name == NULL)
    return cwi_outside("no memory for a name");
  all[count] = named;
  return CW_OK;
}

static cw_error class_register(cw_tasks pool, struct cwi_names *names, cw_error checked,
                               struct cwi_named named, int *number)
{
  const cw_error mine = checked == CW_OK ? append(names, named) : checked;
  const struct cwi_argument list[] = {cwi_argument_text("name", named.name), CWI_ARGUMENTS_END};
  const struct cwi_entry entry = {.key = mine == CW_OK ? cwi_hash_text(CWI_HASH_EMPTY, named.name)
                                                       : 0};
  const cw_error error = cwi_team_agree_on(pool->team, mine, &entry, list, NULL);
  if (error == CW_OK)
    *number = names->count++;
  else if (mine == CW_OK)
    forget_last(names);
  return error;
}

static cw_error register_collectively(const char *call, cw_tasks pool, struct cwi_names *names,
                                      cw_error checked, struct cwi_named named, int *number)
{
  const struct cwi_argument agreed[] = {cwi_argument_region("pool", pool->region),
                                        cwi_argument_text("name", named.name), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY(call, pool->team, checked == CW_OK ? agreed : NULL,
                          class_register(pool, names, checked, named, number));
}

cw_error cw_tasks_register(cw_tasks pool, const char *name, cw_task_function function,
                           void *argument, int *number)
{
  static const char call[] = "cw_tasks_register";
  CWI_TRY(cwi_in_call(call, cwi_check_tasks(pool)));
  cw_error checked = check_name(pool, &pool->classes, name, number);
  if (checked == CW_OK && function == NULL)
    checked = cwi_null_argument("function");
  const struct cwi_named class = {(char *)(uintptr_t)name, function, argument, NULL};
  return register_collectively(call, pool, &pool->classes, checked, class, number);
}

cw_error cw_tasks_register_class(cw_tasks pool, const char *name, const cw_task_class *description,
                                 void *argument, int *number)
{
  static const char call[] = "cw_tasks_register_class";
  CWI_TRY(cwi_in_call(call, cwi_check_tasks(pool)));
  struct cwi_named named = {(char *)(uintptr_t)name, cwi_class_run, NULL, NULL};
  cw_error checked = check_name(pool, &pool->classes, name, number);
  if (checked == CW_OK && pool->options.survive)
    checked = cwi_misuse("the pool was created with survive = true; its classes cannot have plans "
                         "or kernels: register a function by cw_tasks_register");
  if (checked == CW_OK)
    checked = cwi_class_make(pool, description, argument, &named.planned);
  named.argument = named.planned;
  const cw_error error = register_collectively(call, pool, &pool->classes, checked, named, number);
  if (error != CW_OK)
    cwi_class_free(named.planned);
  return error;
}

cw_error cw_tasks_share(cw_tasks pool, const char *name, void *object, int *number)
{
  static const char call[] = "cw_tasks_share";
  CWI_TRY(cwi_in_call(call, cwi_check_tasks(pool)));
  const cw_error checked = check_name(pool, &pool->objects, name, number);
  const struct cwi_named shared = {(char *)(uintptr_t)name, NULL, object, NULL};
  return register_collectively(call, pool, &pool->objects, checked, shared, number);
}
