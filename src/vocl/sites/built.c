/* Programs: made of sources, binaries or names at home, and built at all sites of their devices. */
#include "sites/site.h"

#include <stdlib.h>
#include <string.h>

/* --- what is kept --- */

static void record_let_go(struct cwi_build_record *record)
{
  if (record == NULL || __atomic_sub_fetch(&record->held, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  for (cl_uint i = 0; i < record->count; i++) {
    cwi_sited_let_go(record->programs[i]);
    if (record->names != NULL)
      free(record->names[i]);
  }
  free(record->programs);
  free(record->names);
  free(record->options);
  cwi_includes_let_go(record->includes);
  free(record);
}

static bool record_programs(struct cwi_build_record *record, const struct cwi_building *b)
{
  record->programs = calloc(b->program_count + 1, sizeof *record->programs);
  record->names = b->names != NULL ? calloc(b->program_count, sizeof *record->names) : NULL;
  if (record->programs == NULL || (b->names != NULL && record->names == NULL))
    return false;
  for (cl_uint i = 0; i < b->program_count; i++) {
    record->programs[record->count++] = b->programs[i];
    cwi_sited_hold(b->programs[i]);
    if (b->names != NULL && (record->names[i] = strdup(b->names[i])) == NULL)
      return false;
  }
  return true;
}

/* Collects what the program's text, and those of its headers, include. */
static bool record_includes(struct cwi_build_record *record,
                            const struct cwi_sited_program *program, const struct cwi_building *b)
{
  const char **texts = calloc(b->program_count + (size_t)1, sizeof *texts);
  size_t count = 0;
  for (cl_uint i = 0; texts != NULL && i <= b->program_count && b->step != CWI_LINK; i++) {
    const struct cwi_sited_program *of = i == 0 ? program : b->programs[i - 1];
    if (of->sort == CWI_SOURCE_PROGRAM && of->source != NULL)
      texts[count++] = of->source;
  }
  const bool is_done = texts != NULL && cwi_includes_collect(b, texts, count, &record->includes);
  free(texts);
  return is_done;
}

/* Held once. NULL: no memory. */
static struct cwi_build_record *record_new(const struct cwi_sited_program *program,
                                           const struct cwi_building *b)
{
  static uint64_t births;
  struct cwi_build_record *record = calloc(1, sizeof *record);
  if (record == NULL)
    return NULL;
  record->held = 1;
  record->birth = __atomic_add_fetch(&births, 1, __ATOMIC_RELAXED);
  record->step = b->step;
  record->options = b->options != NULL ? strdup(b->options) : NULL;
  if ((b->options == NULL || record->options != NULL) && record_programs(record, b) &&
      record_includes(record, program, b))
    return record;
  record_let_go(record);
  return NULL;
}

static bool building_is_for(const struct cwi_building *b, const void *given)
{
  for (cl_uint i = 0; i < b->device_count; i++)
    if (b->devices[i] == given)
      return true;
  return b->device_count == 0;
}

/* It was built so for those of its devices that are at the site. */
static void builds_set(struct cwi_sited_program *program, const struct cwi_building *b,
                       struct cwi_build_record *record, uint32_t site, bool has_succeeded)
{
  for (cl_uint i = 0; i < program->device_count; i++) {
    void *given = program->devices[i];
    struct cwi_build_record *before = program->builds[i].record;
    if (cwi_site_device_of(program->sited.context, given)->site != site ||
        !building_is_for(b, given))
      continue;
    __atomic_fetch_add(&record->held, 1, __ATOMIC_RELAXED);
    program->builds[i] = (struct cwi_build){.record = record, .has_succeeded = has_succeeded};
    record_let_go(before);
  }
}

const struct cwi_build *cwi_program_build(const struct cwi_sited_program *program,
                                          const void *given)
{
  for (cl_uint i = 0; i < program->device_count; i++)
    if (program->devices[i] == given)
      return &program->builds[i];
  return NULL;
}

uint32_t cwi_program_site(const struct cwi_sited_program *program)
{
  const struct cwi_sited_context *context = program->sited.context;
  uint32_t sites = 0;
  for (cl_uint i = 0; i < program->device_count; i++)
    if (program->builds[i].has_succeeded)
      sites |= 1u << cwi_site_device_of(context, program->devices[i])->site;
  for (uint32_t site = 0; sites == 0 && site < CWI_SITES_MOST; site++)
    sites |= program->sited.copies[site] != NULL ? 1u << site : 0;
  const uint32_t alive = cwi_sites_alive(context, sites);
  return (uint32_t)__builtin_ctz(alive != 0 ? alive : sites | 1u << (CWI_SITES_MOST - 1));
}

static void program_end(struct cwi_sited *sited)
{
  struct cwi_sited_program *program = (struct cwi_sited_program *)sited;
  for (cl_uint i = 0; program->builds != NULL && i < program->device_count; i++)
    record_let_go(program->builds[i].record);
  for (cl_uint i = 0; program->binaries != NULL && i < program->device_count; i++)
    free(program->binaries[i]);
  free(program->binaries);
  free(program->lengths);
  free(program->source);
  free(program->builds);
  free(program->devices);
}

/* --- copies --- */

/* Binaries of those devices that are at the site. A site that is lost meanwhile says nothing of
 * them. */
static cl_int binaries_make_at(const struct cwi_sited_program *program, uint32_t site,
                               struct cwi_making *making, cl_int *statuses, void **copy)
{
  const cl_uint count = program->device_count;
  const void **strings = calloc(count, sizeof *strings);
  size_t *lengths = calloc(count, sizeof *lengths);
  cl_int *there = calloc(count, sizeof *there);
  cl_int code = CL_OUT_OF_HOST_MEMORY;
  cl_uint known = 0;
  const bool has_memory = strings != NULL && lengths != NULL && there != NULL;
  for (cl_uint i = 0; has_memory && i < count; i++)
    if (cwi_site_device_of(program->sited.context, program->devices[i])->site == site) {
      there[known] = CL_DEVICE_NOT_AVAILABLE;
      strings[known] = program->binaries[i];
      lengths[known++] = program->lengths[i];
    }
  making->strings = strings;
  making->lengths = lengths;
  making->statuses = there;
  if (has_memory)
    code = cwi_copy_make(making, copy);
  for (cl_uint i = 0, at = 0; statuses != NULL && has_memory && i < count; i++)
    if (cwi_site_device_of(program->sited.context, program->devices[i])->site == site)
      statuses[i] = there[at++];
  free(strings);
  free(lengths);
  free(there);
  return code;
}

/* What was linked is only where it was linked. */
static cl_int program_make_at(const struct cwi_sited_program *program, uint32_t site,
                              cl_int *statuses, void **copy)
{
  cl_int code = CL_SUCCESS;
  if (program->source == NULL && program->binaries == NULL)
    return CL_INVALID_PROGRAM_EXECUTABLE;
  const void *const strings[] = {program->source};
  void **there = malloc((program->device_count + 1) * sizeof *there);
  struct cwi_making making = {.sort = program->sort,
                              .parent = cwi_site_copy(program->sited.context, site, &code),
                              .devices = there,
                              .name = program->source,
                              .count = 1,
                              .strings = strings};
  if (there == NULL)
    code = CL_OUT_OF_HOST_MEMORY;
  if (code == CL_SUCCESS && program->sort != CWI_SOURCE_PROGRAM)
    making.device_count = cwi_site_devices(program->sited.context, program->devices,
                                           program->device_count, site, there);
  if (code == CL_SUCCESS)
    code = program->sort == CWI_BINARY_PROGRAM
               ? binaries_make_at(program, site, &making, statuses, copy)
               : cwi_copy_make(&making, copy);
  free(there);
  return code;
}

static cl_int program_copy(struct cwi_sited *sited, uint32_t site, void **copy)
{
  return program_make_at((const struct cwi_sited_program *)sited, site, NULL, copy);
}

const struct cwi_sited_kind cwi_sited_programs = {.sort = CWI_SOURCE_PROGRAM,
                                                  .bytes = sizeof(struct cwi_sited_program),
                                                  .copy = program_copy,
                                                  .end = program_end};

/* --- making --- */

/* All strings, one behind the other. */
static char *source_join(const struct cwi_making *making)
{
  size_t bytes = 0;
  for (cl_uint i = 0; i < making->count; i++)
    bytes += making->lengths != NULL && making->lengths[i] != 0 ? making->lengths[i]
                                                                : strlen(making->strings[i]);
  char *source = malloc(bytes + 1);
  char *at = source;
  for (cl_uint i = 0; source != NULL && i < making->count; i++) {
    const size_t length = making->lengths != NULL && making->lengths[i] != 0
                              ? making->lengths[i]
                              : strlen(making->strings[i]);
    memcpy(at, making->strings[i], length);
    at += length;
  }
  if (source != NULL)
    *at = '\0';
  return source;
}

static bool binaries_keep(struct cwi_sited_program *program, const struct cwi_making *making)
{
  const cl_uint count = making->device_count;
  program->binaries = calloc(count, sizeof *program->binaries);
  program->lengths = calloc(count, sizeof *program->lengths);
  bool is_whole = program->binaries != NULL && program->lengths != NULL;
  for (cl_uint i = 0; is_whole && i < count; i++) {
    program->lengths[i] = making->lengths[i];
    program->binaries[i] = malloc(making->lengths[i] + 1);
    is_whole = program->binaries[i] != NULL;
    if (is_whole)
      memcpy(program->binaries[i], making->strings[i], making->lengths[i]);
  }
  return is_whole;
}

/* A program of these devices, or of all. NULL: no memory. */
static struct cwi_sited_program *program_new(struct cwi_sited_context *context, enum cwi_sort sort,
                                             cl_uint count, void *const *devices)
{
  struct cwi_sited_program *program = cwi_sited_new(&cwi_sited_programs, context);
  if (program == NULL)
    return NULL;
  program->sort = sort;
  program->device_count = count > 0 ? count : context->device_count;
  program->devices = malloc(program->device_count * sizeof *program->devices);
  program->builds = calloc(program->device_count, sizeof *program->builds);
  if (program->devices == NULL || program->builds == NULL) {
    cwi_sited_let_go(program);
    return NULL;
  }
  for (cl_uint i = 0; i < program->device_count; i++)
    program->devices[i] = count > 0 ? devices[i] : context->devices[i].given;
  return program;
}

static uint32_t sites_of_program(const struct cwi_sited_program *program)
{
  return cwi_sites_to_ask(program->sited.context, program->devices, program->device_count);
}

/* A binary of no bytes, or none. */
static bool has_empty_binary(const struct cwi_making *making)
{
  for (cl_uint i = 0; making->sort == CWI_BINARY_PROGRAM && i < making->device_count; i++)
    if (making->lengths[i] == 0 || making->strings[i] == NULL)
      return true;
  return false;
}

static cl_int empty_binaries(const struct cwi_making *making)
{
  for (cl_uint i = 0; making->statuses != NULL && i < making->device_count; i++)
    making->statuses[i] =
        making->lengths[i] == 0 || making->strings[i] == NULL ? CL_INVALID_VALUE : CL_SUCCESS;
  return CL_INVALID_VALUE;
}

/* At all sites at once: what is wrong is said now. Sites that are lost are not asked. */
static cl_int program_make_everywhere(struct cwi_sited_program *program, cl_int *statuses)
{
  const uint32_t sites = sites_of_program(program);
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; statuses != NULL && i < program->device_count; i++)
    statuses[i] = CL_DEVICE_NOT_AVAILABLE;
  for (uint32_t site = 0; site < CWI_SITES_MOST; site++) {
    if ((sites >> site & 1) == 0)
      continue;
    const cl_int made = program_make_at(program, site, statuses, &program->sited.copies[site]);
    code = code != CL_SUCCESS ? code : made;
  }
  return code;
}

cl_int cwi_built_make(const struct cwi_making *making, void **object)
{
  if (has_empty_binary(making))
    return empty_binaries(making);
  struct cwi_sited_program *program =
      program_new(making->parent, making->sort, making->device_count, making->devices);
  if (program == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  bool is_kept = true;
  if (making->sort == CWI_BINARY_PROGRAM)
    is_kept = binaries_keep(program, making);
  else
    is_kept = (program->source = making->sort == CWI_SOURCE_PROGRAM ? source_join(making)
                                                                    : strdup(making->name)) != NULL;
  *object = program;
  return cwi_site_make_at(is_kept ? program_make_everywhere(program, making->statuses)
                                  : CL_OUT_OF_HOST_MEMORY,
                          0, object);
}

/* --- building --- */

/* The devices, and the programs that go in, as they are at a site. Freed with free(). */
struct building_there {
  struct cwi_building building;
  void *objects[];
};

static struct building_there *building_at(const struct cwi_sited_context *context,
                                          const struct cwi_building *given, uint32_t site,
                                          cl_int *code)
{
  struct building_there *there =
      malloc(sizeof *there + (given->device_count + given->program_count + 1) * sizeof(void *));
  *code = CL_OUT_OF_HOST_MEMORY;
  if (there == NULL)
    return NULL;
  void **inputs = there->objects + given->device_count;
  there->building = *given;
  there->building.device_count =
      cwi_site_devices(context, given->devices, given->device_count, site, there->objects);
  there->building.devices = there->building.device_count > 0 ? there->objects : NULL;
  there->building.programs = given->program_count > 0 ? inputs : NULL;
  *code = cwi_site_copies(given->programs, given->program_count, site, inputs);
  if (*code == CL_SUCCESS)
    return there;
  free(there);
  return NULL;
}

static cl_int build_at(struct cwi_sited_program *program, const struct cwi_building *given,
                       const struct cwi_build_record *record, uint32_t site)
{
  cl_int code = CL_SUCCESS;
  struct building_there *there = building_at(program->sited.context, given, site, &code);
  if (there == NULL)
    return code;
  struct cwi_building *b = &there->building;
  if (record->includes != NULL) {
    b->options_there = record->includes->options;
    b->archive = record->includes->archive;
  }
  if (b->step == CWI_LINK) {
    b->program = cwi_site_copy(program->sited.context, site, &code);
    b->linked = &program->sited.copies[site];
  } else {
    b->program = cwi_site_copy(program, site, &code);
  }
  if (code == CL_SUCCESS)
    code = cwi_copy_build(b);
  free(there);
  return code;
}

/* A build that was refused has changed nothing. */
static bool was_refused(cl_int code)
{
  return code != CL_SUCCESS && code != CL_BUILD_PROGRAM_FAILURE &&
         code != CL_COMPILE_PROGRAM_FAILURE && code != CL_LINK_PROGRAM_FAILURE;
}

/* Built at all sites, so that each has its log; the first error is the verdict. */
static cl_int build_everywhere(struct cwi_sited_program *program, const struct cwi_building *given)
{
  const uint32_t sites =
      given->device_count > 0
          ? cwi_sites_to_ask(program->sited.context, given->devices, given->device_count)
          : sites_of_program(program);
  struct cwi_build_record *record = record_new(program, given);
  cl_int code = record != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  for (uint32_t site = 0; site < CWI_SITES_MOST && !was_refused(code); site++) {
    if ((sites >> site & 1) == 0)
      continue;
    const cl_int built = build_at(program, given, record, site);
    if (!was_refused(built))
      builds_set(program, given, record, site, built == CL_SUCCESS);
    code = code != CL_SUCCESS ? code : built;
  }
  record_let_go(record);
  return code;
}

static bool is_anywhere(const struct cwi_sited *sited)
{
  for (uint32_t site = 0; site < CWI_SITES_MOST; site++)
    if (sited->copies[site] != NULL)
      return true;
  return false;
}

/* Also a program whose linking failed has a log. */
static cl_int link_everywhere(const struct cwi_building *given)
{
  struct cwi_sited_program *program =
      program_new(given->program, CWI_SOURCE_PROGRAM, given->device_count, given->devices);
  if (program == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  const cl_int code = build_everywhere(program, given);
  if (is_anywhere(&program->sited))
    *given->linked = program;
  else
    cwi_sited_let_go(program);
  return code;
}

cl_int cwi_sites_build(const struct cwi_building *building)
{
  struct cwi_sited_program *program = building->program;
  if (building->step == CWI_LINK)
    return link_everywhere(building);
  /* One site's executor knows of all kernels. */
  if (program->sited.context->site_count > 1 &&
      __atomic_load_n(&program->kernel_count, __ATOMIC_ACQUIRE) > 0)
    return CL_INVALID_OPERATION;
  return build_everywhere(program, building);
}

/* --- building again --- */

/* With all devices that are at the site. */
static cl_int build_as_recorded(struct cwi_sited_program *program,
                                const struct cwi_build_record *record, uint32_t site)
{
  const struct cwi_building again = {.step = record->step,
                                     .program = program,
                                     .options = record->options,
                                     .program_count = record->count,
                                     .programs = (void *const *)record->programs,
                                     .names = (const char **)record->names};
  return build_at(program, &again, record, site);
}

/* What goes in must be as it was then. Headers are sources only. */
static cl_int inputs_rebuild(const struct cwi_build_record *record, const void *given,
                             uint32_t site)
{
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; i < record->count && code == CL_SUCCESS; i++) {
    struct cwi_sited_program *input = record->programs[i];
    const struct cwi_build *build = cwi_program_build(input, given);
    if (record->step != CWI_LINK)
      cwi_site_copy(input, site, &code);
    else if (build == NULL || (build->record != NULL && build->record->birth > record->birth))
      code = CL_INVALID_OPERATION;
    else
      code = cwi_program_rebuild(input, given, site);
  }
  return code;
}

cl_int cwi_program_rebuild(struct cwi_sited_program *program, const void *given, uint32_t site)
{
  const struct cwi_build_record *record = cwi_program_build(program, given)->record;
  cl_int code = CL_SUCCESS;
  if (cwi_site_copy_known(program, site) != NULL)
    return CL_SUCCESS;
  if (record != NULL)
    code = inputs_rebuild(record, given, site);
  if (code == CL_SUCCESS && (program->source != NULL || program->binaries != NULL))
    cwi_site_copy(program, site, &code);
  if (code == CL_SUCCESS && record != NULL)
    code = build_as_recorded(program, record, site);
  return code;
}
