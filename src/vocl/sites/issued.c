/* Gives commands to the executor of their queue's site. */
#include "sites/site.h"

#include <stdlib.h>

/* What a command names beside memory and kernel that needs no memory to be asked for. */
enum { FEW = 32 };

/* Events of other sites are complete by now; so may those be that never left home. */
static void add_wait(struct cwi_command *c, void **waits, const struct cwi_sited_event *event,
                     uint32_t site)
{
  void *copy = event->site == site ? cwi_site_copy_known(event, site) : NULL;
  if (copy != NULL)
    waits[c->wait_count++] = copy;
}

/* objects: room for all that it names. */
static cl_int command_translate(struct cwi_command *c, const struct cwi_waits *more, uint32_t site,
                                void **objects)
{
  const cl_uint named = c->sort == CWI_COMMAND_MIGRATE ? c->count : 0;
  const cl_uint wait_count = c->wait_count;
  void *const *waits = c->waits;
  cl_int code = CL_SUCCESS;
  c->queue = cwi_site_copy(c->queue, site, &code);
  for (int i = 0; i < 2 && code == CL_SUCCESS; i++)
    if (c->memory[i] != NULL)
      c->memory[i] = cwi_site_copy(c->memory[i], site, &code);
  if (code == CL_SUCCESS && named > 0)
    code = cwi_site_copies(c->objects, named, site, objects);
  if (named > 0)
    c->objects = objects;
  c->wait_count = 0;
  for (cl_uint i = 0; i < wait_count; i++)
    add_wait(c, objects + named, waits[i], site);
  for (cl_uint i = 0; more != NULL && i < more->count; i++)
    add_wait(c, objects + named, more->events[i], site);
  c->waits = c->wait_count > 0 ? objects + named : NULL;
  return code;
}

bool cwi_command_is_certain(const struct cwi_command *given, uint32_t site)
{
  struct cwi_command c = *given;
  cl_int code = CL_SUCCESS;
  c.queue = cwi_site_copy(c.queue, site, &code);
  for (int i = 0; i < 2 && code == CL_SUCCESS; i++)
    if (c.memory[i] != NULL)
      c.memory[i] = cwi_site_copy(c.memory[i], site, &code);
  if (code == CL_SUCCESS && c.kernel != NULL)
    code = cwi_kernel_at(c.kernel, NULL, site, &c.kernel);
  return code == CL_SUCCESS && cwi_is_remote(c.queue) && cwi_remote_is_certain(&c);
}

cl_int cwi_command_issue(struct cwi_command *given, const struct cwi_sited_argument *arguments,
                         const struct cwi_waits *more, uint32_t site, void **event)
{
  struct cwi_command c = *given;
  void *few[FEW];
  const size_t all = (size_t)(c.sort == CWI_COMMAND_MIGRATE ? c.count : 0) + c.wait_count +
                     (more != NULL ? more->count : 0);
  void **objects = all <= FEW ? few : malloc(all * sizeof *objects);
  if (objects == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  cl_int code = command_translate(&c, more, site, objects);
  if (code == CL_SUCCESS && c.kernel != NULL)
    code = cwi_kernel_at(c.kernel, arguments, site, &c.kernel);
  if (code == CL_SUCCESS) {
    c.event = event;
    code = cwi_copy_execute(&c);
    if (arguments != NULL)
      cwi_copy_drop(CWI_KERNEL, c.kernel);
  }
  if (objects != few)
    free(objects);
  return code;
}
