/* Answers to questions: at home where the answer is known there, else by a copy. */
#include "sites/site.h"

#include <stdlib.h>
#include <string.h>

/* The site whose copy is asked: that of the device, else the first where the object is, or, of a
 * program, is built. */
static uint32_t site_to_ask(const struct cwi_sited *sited, const void *device)
{
  const struct cwi_site_device *there =
      device != NULL ? cwi_site_device_of(sited->context, device) : NULL;
  uint32_t site = there != NULL ? there->site : 0;
  if (there == NULL && sited->kind == &cwi_sited_programs)
    return cwi_program_site((const struct cwi_sited_program *)sited);
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

/* Where among the program's devices is the one that works at the site by this one? The count: it
 * works elsewhere, since it was moved. */
static cl_uint program_device_at(const struct cwi_sited_program *program, uint32_t site,
                                 const void *there)
{
  for (cl_uint i = 0; i < program->device_count; i++) {
    const struct cwi_site_device *device =
        cwi_site_device_of(program->sited.context, program->devices[i]);
    if (device->site == site && device->device == there)
      return i;
  }
  return program->device_count;
}

/* The items of a site's devices, from where the program wants them or, if they come, to there. */
static void items_carry(const struct cwi_sited_program *program, uint32_t site,
                        void *const *devices, size_t count, size_t item, char *there, char *items,
                        bool they_come)
{
  for (size_t i = 0; i < count; i++) {
    const cl_uint place = program_device_at(program, site, devices[i]);
    if (place == program->device_count)
      continue;
    if (they_come)
      memcpy(items + place * item, there + i * item, item);
    else
      memcpy(there + i * item, items + place * item, item);
  }
}

/* Each site's copy gives the items of the devices that it was made with. What nobody wants goes to
 * addresses of none. */
static cl_int program_gather_at(const struct cwi_sited_program *program, uint32_t site,
                                cl_uint what, size_t item, char *items)
{
  size_t bytes = 0;
  struct cwi_native_question question = {.about = CWI_ABOUT_PROGRAM,
                                         .object = program->sited.copies[site],
                                         .what = CL_PROGRAM_DEVICES};
  if (question.object == NULL)
    return CL_SUCCESS;
  cl_int code = cwi_copy_ask(&question, 0, NULL, &bytes);
  if (code != CL_SUCCESS)
    return code;
  const size_t count = bytes / sizeof(void *);
  void **devices = calloc(count + 1, sizeof *devices + item);
  if (devices == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  char *there = (char *)(devices + count);
  code = cwi_copy_ask(&question, bytes, devices, NULL);
  if (code == CL_SUCCESS) {
    items_carry(program, site, devices, count, item, there, items, false);
    question.what = what;
    code = cwi_copy_ask(&question, count * item, there, NULL);
  }
  if (code == CL_SUCCESS)
    items_carry(program, site, devices, count, item, there, items, true);
  free(devices);
  return code;
}

/* An answer that has an item for each device. */
static cl_int program_gather(const struct cwi_sited_program *program, cl_uint what, size_t item,
                             char *items)
{
  cl_int code = CL_SUCCESS;
  for (uint32_t site = 0; site < CWI_SITES_MOST && code == CL_SUCCESS; site++)
    code = program_gather_at(program, site, what, item, items);
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

/* Is the device the one of the program's for which it was not built, while it was for others? At
 * its site nothing is known of a build then, and vendors refuse to say what comes of none. If it
 * was built for another device of its site, the vendor knows: of parts of one device some say the
 * same. */
static bool build_is_elsewhere(const struct cwi_sited_program *program, const void *given)
{
  const struct cwi_sited_context *context = program->sited.context;
  bool is_built = false, is_built_there = false;
  for (cl_uint i = 0; i < program->device_count; i++) {
    const bool is_one = program->builds[i].record != NULL;
    is_built = is_built || is_one;
    is_built_there =
        is_built_there || (is_one && cwi_site_device_of(context, program->devices[i])->site ==
                                         cwi_site_device_of(context, given)->site);
  }
  return is_built && cwi_program_build(program, given) != NULL && !is_built_there;
}

static bool no_build_knows(cl_uint what, const void **answer, size_t *bytes)
{
  static const cl_build_status status = CL_BUILD_NONE;
  static const cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
  static const char text[] = "";
  switch (what) {
  case CL_PROGRAM_BUILD_STATUS:
    return CWI_KNOWN(status);
  case CL_PROGRAM_BINARY_TYPE:
    return CWI_KNOWN(type);
  case CL_PROGRAM_BUILD_OPTIONS:
  case CL_PROGRAM_BUILD_LOG:
    return CWI_KNOWN(text);
  default:
    return false;
  }
}

/* Options and logs that name the proxy's folder for included files. */
static cl_int ask_build(const struct cwi_native_question *question, size_t size, void *value,
                        size_t *size_needed)
{
  const struct cwi_build *build = cwi_program_build(question->object, question->device);
  const struct cwi_build_record *record = build != NULL ? build->record : NULL;
  const bool is_text =
      question->what == CL_PROGRAM_BUILD_LOG || question->what == CL_PROGRAM_BUILD_OPTIONS;
  size_t bytes = 0;
  if (record == NULL || record->includes == NULL || !is_text)
    return ask_copy(question, size, value, size_needed);
  cl_int code = ask_copy(question, 0, NULL, &bytes);
  char *text = code == CL_SUCCESS ? calloc(1, bytes + 1) : NULL;
  if (text != NULL)
    code = ask_copy(question, bytes, text, NULL);
  char *given = text == NULL ? NULL
                : question->what == CL_PROGRAM_BUILD_OPTIONS && record->options != NULL &&
                        strcmp(text, record->includes->options) == 0
                    ? strdup(record->options)
                    : cwi_includes_as_given(record->includes, text);
  if (code == CL_SUCCESS)
    code = given != NULL ? cwi_answer_give(given, strlen(given) + 1, size, value, size_needed)
                         : CL_OUT_OF_HOST_MEMORY;
  free(text);
  free(given);
  return code;
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
  case CWI_ABOUT_BUILD:
    return build_is_elsewhere(question->object, question->device) &&
                   no_build_knows(question->what, &answer, &bytes)
               ? cwi_answer_give(answer, bytes, size, value, size_needed)
               : ask_build(question, size, value, size_needed);
  case CWI_ABOUT_EVENT:
  case CWI_ABOUT_PROFILE:
    return ask_event(question, size, value, size_needed);
  default:
    return ask_copy(question, size, value, size_needed);
  }
}

/* --- formats of images: those of all sites --- */

struct formats {
  cl_image_format *each;
  cl_uint count;
};

static bool formats_have(const struct formats *formats, const cl_image_format *format)
{
  for (cl_uint i = 0; i < formats->count; i++)
    if (memcmp(&formats->each[i], format, sizeof *format) == 0)
      return true;
  return false;
}

static cl_int formats_add(struct formats *formats, void *copy, cl_mem_flags flags,
                          cl_mem_object_type type)
{
  cl_uint more = 0;
  cl_int code = cwi_copy_ask_formats(copy, flags, type, 0, NULL, &more);
  if (code != CL_SUCCESS || more == 0)
    return code;
  cl_image_format *each =
      realloc(formats->each, (formats->count + (size_t)more) * sizeof *formats->each);
  if (each == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  formats->each = each;
  cl_image_format *its = each + formats->count;
  code = cwi_copy_ask_formats(copy, flags, type, more, its, NULL);
  for (cl_uint i = 0; code == CL_SUCCESS && i < more; i++)
    if (!formats_have(formats, &its[i]))
      each[formats->count++] = its[i];
  return code;
}

static cl_int formats_find(struct formats *formats, void *context, cl_mem_flags flags,
                           cl_mem_object_type type)
{
  uint32_t sites = cwi_sites_alive(context, cwi_context_sites(context));
  cl_int code = sites != 0 ? CL_SUCCESS : CL_DEVICE_NOT_AVAILABLE;
  for (; sites != 0 && code == CL_SUCCESS; sites &= sites - 1) {
    void *copy = cwi_site_copy(context, (uint32_t)__builtin_ctz(sites), &code);
    if (code == CL_SUCCESS)
      code = formats_add(formats, copy, flags, type);
  }
  return code;
}

cl_int cwi_sites_ask_formats(void *object, cl_mem_flags flags, cl_mem_object_type type,
                             cl_uint most, cl_image_format *formats, cl_uint *count)
{
  struct formats found = {NULL, 0};
  if (formats != NULL && most == 0)
    return CL_INVALID_VALUE;
  const cl_int code = formats_find(&found, object, flags, type);
  if (code == CL_SUCCESS && formats != NULL && found.count > 0)
    memcpy(formats, found.each, (most < found.count ? most : found.count) * sizeof *formats);
  if (code == CL_SUCCESS && count != NULL)
    *count = found.count;
  free(found.each);
  return code;
}
