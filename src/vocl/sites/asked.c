/* Answers to questions: at home where the answer is known there, else by a copy. */
#include "sites/site.h"

#include <stdlib.h>
#include <string.h>

/* The site whose copy is asked: that of the device, else the first where the object is. */
static uint32_t site_to_ask(const struct cwi_sited *sited, const void *device)
{
  const struct cwi_site_device *there =
      device != NULL ? cwi_site_device_of(sited->context, device) : NULL;
  uint32_t site = there != NULL ? there->site : 0;
  while (there == NULL && site + 1 < CWI_SITES_MOST && sited->copies[site] == NULL)
    site++;
  return site;
}

static cl_int ask_copy(const struct cwi_native_question *question, size_t size, void *value,
                       size_t *size_needed)
{
  struct cwi_sited *sited = question->object;
  const struct cwi_site_device *device =
      question->device != NULL ? cwi_site_device_of(sited->context, question->device) : NULL;
  struct cwi_native_question there = *question;
  cl_int code = CL_SUCCESS;
  there.object = cwi_site_copy(sited, site_to_ask(sited, question->device), &code);
  if (device != NULL)
    there.device = device->device;
  return code == CL_SUCCESS ? cwi_copy_ask(&there, size, value, size_needed) : code;
}

/* Of an event that is at home, or never left it, nothing else is known. */
static cl_int ask_event(const struct cwi_native_question *question, size_t size, void *value,
                        size_t *size_needed)
{
  const struct cwi_sited_event *event = question->object;
  struct cwi_native_question there = *question;
  const cl_int status = __atomic_load_n(&event->status, __ATOMIC_ACQUIRE);
  there.object = cwi_site_copy_known(event, event->site);
  if (there.object != NULL)
    return cwi_copy_ask(&there, size, value, size_needed);
  if (question->about == CWI_ABOUT_PROFILE)
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  return cwi_answer_give(&status, sizeof status, size, value, size_needed);
}

static bool memory_knows(const struct cwi_sited_memory *memory, cl_uint what, const void **answer,
                         size_t *bytes)
{
  switch (what) {
  case CL_MEM_FLAGS:
    return CWI_KNOWN(memory->flags);
  case CL_MEM_HOST_PTR:
    return CWI_KNOWN(memory->host);
  case CL_MEM_MAP_COUNT:
    return CWI_KNOWN(memory->map_count);
  default:
    return false;
  }
}

/* --- programs: all sites together --- */

static bool program_knows(const struct cwi_sited_program *program, cl_uint what,
                          const void **answer, size_t *bytes)
{
  if (what == CL_PROGRAM_NUM_DEVICES)
    return CWI_KNOWN(program->device_count);
  *answer = program->devices;
  *bytes = program->device_count * sizeof *program->devices;
  return what == CL_PROGRAM_DEVICES;
}

/* An answer that has an item for each device. Each site's copy gives those of its devices, in their
 * order, which is ours. */
static cl_int program_gather(const struct cwi_sited_program *program, cl_uint what, size_t item,
                             char *items)
{
  const struct cwi_sited_context *context = program->sited.context;
  const cl_uint count = program->device_count;
  char *there = malloc((count + 1) * item);
  cl_int code = there != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  for (uint32_t site = 0; site < CWI_SITES_MOST && code == CL_SUCCESS; site++) {
    const struct cwi_native_question question = {
        .about = CWI_ABOUT_PROGRAM, .object = program->sited.copies[site], .what = what};
    if (question.object == NULL)
      continue;
    char *at = there;
    for (cl_uint i = 0; i < count; i++)
      if (cwi_site_device_of(context, program->devices[i])->site == site)
        memcpy(at, items + i * item, item), at += item;
    code = cwi_copy_ask(&question, (size_t)(at - there), there, NULL);
    at = there;
    for (cl_uint i = 0; i < count && code == CL_SUCCESS; i++)
      if (cwi_site_device_of(context, program->devices[i])->site == site)
        memcpy(items + i * item, at, item), at += item;
  }
  free(there);
  return code;
}

static cl_int ask_program(const struct cwi_sited_program *program,
                          const struct cwi_native_question *question, size_t size, void *value,
                          size_t *size_needed)
{
  const size_t item =
      question->what == CL_PROGRAM_BINARIES ? sizeof(unsigned char *) : sizeof(size_t);
  const size_t bytes = program->device_count * item;
  if (question->what != CL_PROGRAM_BINARIES && question->what != CL_PROGRAM_BINARY_SIZES)
    return ask_copy(question, size, value, size_needed);
  if (value != NULL && size < bytes)
    return CL_INVALID_VALUE;
  if (size_needed != NULL)
    *size_needed = bytes;
  return value != NULL ? program_gather(program, question->what, item, value) : CL_SUCCESS;
}

cl_int cwi_sites_ask(const struct cwi_native_question *question, size_t size, void *value,
                     size_t *size_needed)
{
  const void *answer = NULL;
  size_t bytes = 0;
  switch (question->about) {
  case CWI_ABOUT_MEMORY:
    return memory_knows(question->object, question->what, &answer, &bytes)
               ? cwi_answer_give(answer, bytes, size, value, size_needed)
               : ask_copy(question, size, value, size_needed);
  case CWI_ABOUT_PROGRAM:
    return program_knows(question->object, question->what, &answer, &bytes)
               ? cwi_answer_give(answer, bytes, size, value, size_needed)
               : ask_program(question->object, question, size, value, size_needed);
  case CWI_ABOUT_EVENT:
  case CWI_ABOUT_PROFILE:
    return ask_event(question, size, value, size_needed);
  default:
    return ask_copy(question, size, value, size_needed);
  }
}

cl_int cwi_sites_ask_formats(void *object, cl_mem_flags flags, cl_mem_object_type type,
                             cl_uint most, cl_image_format *formats, cl_uint *count)
{
  cl_int code = CL_SUCCESS;
  void *copy = cwi_site_copy(object, 0, &code);
  return code == CL_SUCCESS ? cwi_copy_ask_formats(copy, flags, type, most, formats, count) : code;
}
