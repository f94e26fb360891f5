/* Kernels. Their properties are queried once per name until the program is built again; this
 * file also keeps the arguments that a program sets. */
#include "stub/stub_calls.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 4096, TEXT = 256, MOST_VALUE = 16 << 10 };

/* --- types --- */

/* Returns the size of a scalar or vector type in bytes, or 0 if the type is unknown. */
static size_t type_bytes(const char *type)
{
  static const struct {
    const char *name;
    size_t bytes;
  } scalars[] = {
      {"char", 1},          {"uchar", 1},          {"short", 2},        {"ushort", 2},
      {"int", 4},           {"uint", 4},           {"float", 4},        {"long", 8},
      {"ulong", 8},         {"double", 8},         {"half", 2},         {"unsigned int", 4},
      {"unsigned char", 1}, {"unsigned short", 2}, {"unsigned long", 8}};
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
    const size_t length = strlen(scalars[i].name);
    if (strncmp(type, scalars[i].name, length) != 0)
      continue;
    const char *rest = type + length;
    if (*rest == '\0')
      return scalars[i].bytes;
    const int count = atoi(rest);
    if (strspn(rest, "0123456789") != strlen(rest))
      continue;
    return count == 3 ? 4 * scalars[i].bytes
           : count == 2 || count == 4 || count == 8 || count == 16
               ? (size_t)count * scalars[i].bytes
               : 0;
  }
  return 0;
}

static void argument_classify(struct vocl_argument_facts *argument)
{
  argument->kind = VOCL_PARAMETER_VALUE;
  if (vocl_type_is_image(argument->type))
    argument->kind = VOCL_PARAMETER_IMAGE;
  else if (strcmp(argument->type, "sampler_t") == 0)
    argument->kind = VOCL_PARAMETER_SAMPLER;
  else if (argument->address == CL_KERNEL_ARG_ADDRESS_LOCAL)
    argument->kind = VOCL_PARAMETER_LOCAL;
  else if (argument->address != CL_KERNEL_ARG_ADDRESS_PRIVATE)
    argument->kind = VOCL_PARAMETER_BUFFER;
  else
    argument->size = type_bytes(argument->type);
}

/* --- queries --- */

/* A set of queries that are sent together, so that all cost one round trip. */
struct kernel_querying {
  struct vocl_session *session;
  uint32_t kernel;
  size_t count;
  struct vocl_request *queries;
  bool is_over;
};

static void querying_add(struct kernel_querying *querying, struct vocl_msg_query about, void *value,
                         size_t size)
{
  struct vocl_request *query = &querying->queries[querying->count++];
  const uint64_t ticket = vocl_request_begin(querying->session, query, value, size);
  struct vocl_msg_query *message =
      vocl_message_begin(querying->session, VOCL_MSG_QUERY, sizeof *message, ticket);
  if (message == NULL)
    return;
  about.header = message->header;
  about.object = querying->kernel;
  about.size = size;
  *message = about;
  vocl_message_end(querying->session);
}

static void querying_wait(struct kernel_querying *querying)
{
  for (size_t i = 0; i < querying->count; i++)
    querying->queries[i].code = vocl_request_wait(querying->session, &querying->queries[i]);
}

enum { ARGUMENT_QUERIES = 5, GROUP_QUERIES = 5 };

static void query_of_argument(struct kernel_querying *querying, cl_uint index,
                              struct vocl_argument_facts *argument)
{
  struct vocl_msg_query about = {.about = VOCL_ABOUT_ARGUMENT, .index = index};
  about.what = CL_KERNEL_ARG_ADDRESS_QUALIFIER;
  querying_add(querying, about, &argument->address, sizeof argument->address);
  about.what = CL_KERNEL_ARG_ACCESS_QUALIFIER;
  querying_add(querying, about, &argument->access, sizeof argument->access);
  about.what = CL_KERNEL_ARG_TYPE_QUALIFIER;
  querying_add(querying, about, &argument->qualifier, sizeof argument->qualifier);
  about.what = CL_KERNEL_ARG_TYPE_NAME;
  querying_add(querying, about, argument->type, TEXT - 1);
  about.what = CL_KERNEL_ARG_NAME;
  querying_add(querying, about, argument->name, TEXT - 1);
}

static void query_of_group(struct kernel_querying *querying, const struct vocl_stub_device *device,
                           struct vocl_group_facts *group)
{
  struct vocl_msg_query about = {
      .about = VOCL_ABOUT_WORK_GROUP, .device = device->stub.number, .has_device = 1};
  about.what = CL_KERNEL_WORK_GROUP_SIZE;
  querying_add(querying, about, &group->most, sizeof group->most);
  about.what = CL_KERNEL_COMPILE_WORK_GROUP_SIZE;
  querying_add(querying, about, group->wanted, sizeof group->wanted);
  about.what = CL_KERNEL_LOCAL_MEM_SIZE;
  querying_add(querying, about, &group->local_bytes, sizeof group->local_bytes);
  about.what = CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE;
  querying_add(querying, about, &group->multiple, sizeof group->multiple);
  about.what = CL_KERNEL_PRIVATE_MEM_SIZE;
  querying_add(querying, about, &group->private_bytes, sizeof group->private_bytes);
}

static bool all_replied(const struct vocl_request *queries, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (queries[i].code != CL_SUCCESS || queries[i].bytes > queries[i].size)
      return false;
  return true;
}

static bool facts_learn(struct vocl_session *session, uint32_t kernel,
                        const struct vocl_stub_program *program, struct vocl_kernel_facts *facts)
{
  struct kernel_querying querying = {.session = session, .kernel = kernel};
  const size_t all =
      (size_t)facts->count * ARGUMENT_QUERIES + (size_t)facts->device_count * GROUP_QUERIES;
  querying.queries = calloc(all + 1, sizeof *querying.queries);
  if (querying.queries == NULL)
    return false;
  for (cl_uint i = 0; i < facts->count; i++)
    query_of_argument(&querying, i, &facts->arguments[i]);
  for (cl_uint i = 0; i < facts->device_count; i++)
    query_of_group(&querying, program->devices[i], &facts->groups[i]);
  querying_wait(&querying);
  const struct vocl_request *query = querying.queries;
  for (cl_uint i = 0; i < facts->count; i++, query += ARGUMENT_QUERIES) {
    facts->arguments[i].known = all_replied(query, ARGUMENT_QUERIES);
    if (facts->arguments[i].known)
      argument_classify(&facts->arguments[i]);
  }
  for (cl_uint i = 0; i < facts->device_count; i++, query += GROUP_QUERIES)
    facts->groups[i].known = all_replied(query, GROUP_QUERIES);
  free(querying.queries);
  return !session->is_over;
}

/* --- facts --- */

void vocl_kernel_facts_unref(struct vocl_kernel_facts *facts)
{
  if (--facts->users > 0)
    return;
  for (cl_uint i = 0; facts->arguments != NULL && i < facts->count; i++) {
    free(facts->arguments[i].type);
    free(facts->arguments[i].name);
  }
  free(facts->arguments);
  free(facts->groups);
  free(facts->name);
  free(facts);
}

static struct vocl_kernel_facts *facts_new(const char *name, cl_uint count, cl_uint device_count)
{
  struct vocl_kernel_facts *facts = calloc(1, sizeof *facts);
  if (facts == NULL)
    return NULL;
  facts->users = 1;
  facts->count = count;
  facts->device_count = device_count;
  facts->name = strdup(name);
  facts->arguments = calloc(count + 1, sizeof *facts->arguments);
  facts->groups = calloc(device_count + 1, sizeof *facts->groups);
  bool is_whole = facts->name != NULL && facts->arguments != NULL && facts->groups != NULL;
  for (cl_uint i = 0; is_whole && i < count; i++) {
    facts->arguments[i].type = calloc(1, TEXT);
    facts->arguments[i].name = calloc(1, TEXT);
    is_whole = facts->arguments[i].type != NULL && facts->arguments[i].name != NULL;
  }
  if (is_whole)
    return facts;
  vocl_kernel_facts_unref(facts);
  return NULL;
}

static struct vocl_kernel_facts *facts_find(const struct vocl_stub_program *program,
                                            const char *name)
{
  struct vocl_kernel_facts *each = program->kernels;
  while (each != NULL && strcmp(each->name, name) != 0)
    each = each->next;
  return each;
}

/* --- kernels --- */

static bool kernel_take(struct vocl_stub_kernel *kernel, struct vocl_kernel_facts *facts)
{
  kernel->arguments = calloc(facts->count + 1, sizeof *kernel->arguments);
  if (kernel->arguments == NULL)
    return false;
  kernel->facts = facts;
  facts->users++;
  return true;
}

static void arguments_free(struct vocl_set_argument *arguments, cl_uint count)
{
  for (cl_uint i = 0; i < count; i++)
    free(arguments[i].value);
  free(arguments);
}

static bool names_object(const struct vocl_set_argument *argument)
{
  return argument->kind == VOCL_ARGUMENT_OBJECT && argument->object != 0;
}

bool vocl_stub_argument_is_alive(const struct vocl_session *session,
                                 const struct vocl_set_argument *argument)
{
  const struct vocl_stub *stub = vocl_stub_at(session, argument->object);
  return !names_object(argument) || (stub != NULL && stub->generation == argument->generation);
}

static void argument_hold(const struct vocl_session *session,
                          const struct vocl_set_argument *argument, bool hold)
{
  if (hold)
    vocl_stub_ref(vocl_stub_at(session, argument->object));
  else
    vocl_stub_unref(vocl_stub_at(session, argument->object));
}

/* Acquires or releases the sampler that an argument names. A kernel keeps its samplers, because
 * programs release them once they are set, and most vendors allow that. It does not keep memory,
 * which must become free when the program releases it. */
static void sampler_hold(const struct vocl_session *session,
                         const struct vocl_set_argument *argument, bool hold)
{
  if (names_object(argument) && vocl_stub_argument_is_alive(session, argument) &&
      vocl_stub_at(session, argument->object)->kind->sort == VOCL_SAMPLER)
    argument_hold(session, argument, hold);
}

static void kernel_free(struct vocl_stub *stub)
{
  struct vocl_stub_kernel *kernel = (struct vocl_stub_kernel *)stub;
  if (kernel->facts != NULL) {
    for (cl_uint i = 0; i < kernel->facts->count; i++)
      sampler_hold(stub->session, &kernel->arguments[i], false);
    arguments_free(kernel->arguments, kernel->facts->count);
    vocl_kernel_facts_unref(kernel->facts);
  }
  vocl_stub_unref(kernel->program);
}

static const struct vocl_stub_kind kernels_kind = {.sort = VOCL_KERNEL, .free = kernel_free};

static struct vocl_stub_kernel *kernel_new(struct vocl_stub_program *program)
{
  struct vocl_stub_kernel *kernel =
      vocl_stub_new(program->stub.session, &kernels_kind, sizeof *kernel, true);
  if (kernel == NULL)
    return NULL;
  kernel->program = program;
  vocl_stub_ref(program);
  return kernel;
}

/* Queries the properties of a kernel that the proxy has, and adds them to its program. */
static cl_int kernel_learn(struct vocl_stub_kernel *kernel, const char *name)
{
  struct vocl_session *session = kernel->stub.session;
  struct vocl_stub_program *program = kernel->program;
  struct vocl_request space;
  cl_uint count = 0;
  struct kernel_querying querying = {
      .session = session, .kernel = kernel->stub.number, .queries = &space};
  querying_add(&querying,
               (struct vocl_msg_query){.about = VOCL_ABOUT_KERNEL, .what = CL_KERNEL_NUM_ARGS},
               &count, sizeof count);
  querying_wait(&querying);
  if (space.code != CL_SUCCESS || count > MOST_ARGUMENTS)
    return space.code != CL_SUCCESS ? space.code : CL_OUT_OF_HOST_MEMORY;
  struct vocl_kernel_facts *facts = facts_new(name, count, program->device_count);
  if (facts == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  const bool is_learned = facts_learn(session, kernel->stub.number, program, facts);
  if (is_learned && kernel_take(kernel, facts)) {
    facts->next = program->kernels;
    program->kernels = facts;
    return CL_SUCCESS;
  }
  vocl_kernel_facts_unref(facts);
  return is_learned ? CL_OUT_OF_HOST_MEMORY : CL_DEVICE_NOT_AVAILABLE;
}

cl_int vocl_stub_kernel_make(const struct vocl_making *making, void **object)
{
  struct vocl_stub_program *program = making->parent;
  struct vocl_kernel_facts *known = facts_find(program, making->name);
  struct vocl_stub_kernel *kernel = kernel_new(program);
  if (kernel == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  /* Take a reference to the facts first. vocl_send_create may wait, and a build by another thread
   * would drop them. */
  if (known != NULL && !kernel_take(kernel, known)) {
    vocl_stub_free(&kernel->stub);
    return CL_OUT_OF_HOST_MEMORY;
  }
  const void *const strings[] = {making->name};
  const struct vocl_msg_make fields = {.sort = VOCL_KERNEL, .parent = program->stub.number};
  const struct vocl_create_parts parts = {.string_count = 1, .strings = strings};
  cl_int code = vocl_send_create(&kernel->stub, &fields, &parts, known != NULL);
  if (code != CL_SUCCESS) {
    vocl_stub_free(&kernel->stub);
    return code;
  }
  if (known == NULL)
    code = kernel_learn(kernel, making->name);
  if (code == CL_SUCCESS)
    *object = kernel;
  else
    vocl_stub_unref(kernel);
  return code;
}

/* Queries the kernel's name, because the vendor chooses the order of the kernels. Then uses the
 * known properties of that name, or queries them. */
static cl_int kernel_learn_name(struct vocl_stub_kernel *kernel)
{
  struct vocl_request space;
  char name[TEXT] = "";
  struct kernel_querying querying = {
      .session = kernel->stub.session, .kernel = kernel->stub.number, .queries = &space};
  querying_add(&querying,
               (struct vocl_msg_query){.about = VOCL_ABOUT_KERNEL, .what = CL_KERNEL_FUNCTION_NAME},
               name, sizeof name - 1);
  querying_wait(&querying);
  if (space.code != CL_SUCCESS)
    return space.code;
  struct vocl_kernel_facts *known = facts_find(kernel->program, name);
  if (known == NULL)
    return kernel_learn(kernel, name);
  return kernel_take(kernel, known) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static cl_int kernels_query(struct vocl_stub_program *program, void **kernels, cl_uint most,
                            cl_uint *count)
{
  struct vocl_session *session = program->stub.session;
  struct vocl_request query;
  uint32_t *numbers = malloc((most + 1) * sizeof *numbers);
  if (numbers == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  numbers[0] = program->stub.number;
  for (cl_uint i = 0; i < most; i++)
    numbers[i + 1] = ((struct vocl_stub *)kernels[i])->number;
  const uint64_t ticket = vocl_request_begin(session, &query, NULL, 0);
  vocl_msg_numbers(session, VOCL_MSG_MAKE_KERNELS, ticket, numbers, most + 1);
  free(numbers);
  const cl_int code = vocl_request_wait(session, &query);
  *count = query.count;
  return code;
}

static cl_int kernels_make(struct vocl_stub_program *program, cl_uint most, void **kernels)
{
  cl_uint made = 0, count = 0;
  while (made < most && (kernels[made] = kernel_new(program)) != NULL)
    made++;
  cl_int code =
      made == most ? kernels_query(program, kernels, most, &count) : CL_OUT_OF_HOST_MEMORY;
  if (code != CL_SUCCESS) {
    while (made > 0)
      vocl_stub_free(kernels[--made]);
    return code;
  }
  for (cl_uint i = 0; i < most && code == CL_SUCCESS; i++)
    code = kernel_learn_name(kernels[i]);
  while (code != CL_SUCCESS && made > 0)
    vocl_stub_unref(kernels[--made]);
  return code;
}

cl_int vocl_remote_make_kernels(void *object, cl_uint most, void **kernels, cl_uint *count)
{
  enum { MOST_KERNELS = 4096 };
  struct vocl_stub_program *program = object;
  struct vocl_session *session = program->stub.session;
  cl_uint total = 0;
  cl_int code = CL_OUT_OF_HOST_MEMORY;
  vocl_session_lock(session);
  if (session->is_over)
    code = CL_DEVICE_NOT_AVAILABLE;
  else if (kernels == NULL)
    code = kernels_query(program, NULL, 0, &total);
  else if (most <= MOST_KERNELS)
    code = kernels_make(program, most, kernels);
  if (count != NULL)
    *count = total;
  vocl_session_unlock(session);
  return code;
}

/* --- arguments --- */

static bool argument_send(struct vocl_stub_kernel *kernel, cl_uint index,
                          const struct vocl_set_argument *argument, uint64_t ticket)
{
  const size_t bytes = argument->kind == VOCL_ARGUMENT_VALUE ? argument->size : 0;
  struct vocl_msg_argument *message =
      vocl_message_begin(kernel->stub.session, VOCL_MSG_ARGUMENT,
                         sizeof *message + vocl_part_padded_bytes(bytes), ticket);
  if (message == NULL)
    return false;
  message->kernel = kernel->stub.number;
  message->index = index;
  message->kind = argument->kind;
  message->object = argument->object;
  message->size = argument->size;
  if (bytes > 0)
    memcpy(message->value, argument->value, bytes);
  vocl_message_end(kernel->stub.session);
  return true;
}

/* Returns the memory or sampler of the session whose address `value` contains, or NULL. */
static const struct vocl_stub *object_of(const struct vocl_session *session, const void *value)
{
  const void *object = *(void *const *)value;
  uint32_t next = 0;
  const struct vocl_stub *stub = NULL;
  while ((stub = vocl_number_next(&session->objects, &next)) != NULL)
    if (stub == object)
      return stub->kind->sort == VOCL_BUFFER || stub->kind->sort == VOCL_SAMPLER ? stub : NULL;
  return NULL;
}

/* Decodes an argument. Returns false if the vendor might reject it. */
static bool argument_read(const struct vocl_stub_kernel *kernel,
                          const struct vocl_argument_facts *facts, size_t size, const void *value,
                          struct vocl_set_argument *argument)
{
  const struct vocl_session *session = kernel->stub.session;
  const bool is_word = value != NULL && size == sizeof(void *);
  const struct vocl_stub *stub = NULL;
  *argument = (struct vocl_set_argument){.is_set = true, .size = size};
  if (facts->known && facts->kind >= VOCL_PARAMETER_BUFFER && is_word)
    stub = *(void *const *)value; /* the client has already checked the handle */
  else if (!facts->known && is_word)
    stub = object_of(session, value);
  argument->kind = value == NULL ? VOCL_ARGUMENT_LOCAL : VOCL_ARGUMENT_VALUE;
  if (stub != NULL || (facts->known && facts->kind >= VOCL_PARAMETER_BUFFER)) {
    argument->kind = VOCL_ARGUMENT_OBJECT;
    argument->object = stub != NULL ? stub->number : 0;
    argument->generation = stub != NULL ? stub->generation : 0;
  }
  if (!facts->known)
    return false;
  switch (facts->kind) {
  case VOCL_PARAMETER_LOCAL:
    return value == NULL && size > 0;
  case VOCL_PARAMETER_BUFFER:
    return size == sizeof(void *) &&
           (stub == NULL || (stub->kind->sort == VOCL_BUFFER &&
                             !vocl_stub_memory_is_image((const struct vocl_stub_memory *)stub)));
  case VOCL_PARAMETER_IMAGE:
    return is_word && stub != NULL && stub->kind->sort == VOCL_BUFFER &&
           vocl_stub_memory_is_image((const struct vocl_stub_memory *)stub);
  case VOCL_PARAMETER_SAMPLER:
    return is_word && stub != NULL && stub->kind->sort == VOCL_SAMPLER;
  default:
    return value != NULL && size > 0 && size == facts->size;
  }
}

/* Returns true if the argument would not change. */
static bool is_same(const struct vocl_set_argument *old, const struct vocl_set_argument *new,
                    const void *value)
{
  return old->is_set && old->kind == new->kind && old->size == new->size &&
         old->object == new->object && old->generation == new->generation &&
         (new->kind != VOCL_ARGUMENT_VALUE || memcmp(old->value, value, new->size) == 0);
}

static cl_int argument_set(struct vocl_stub_kernel *kernel, cl_uint index, size_t size,
                           const void *value)
{
  struct vocl_session *session = kernel->stub.session;
  struct vocl_set_argument *place = &kernel->arguments[index];
  struct vocl_set_argument argument;
  const struct vocl_argument_facts *facts = &kernel->facts->arguments[index];
  if (facts->known && facts->kind >= VOCL_PARAMETER_BUFFER && size != sizeof(void *))
    return CL_INVALID_ARG_SIZE;
  const bool is_certain = argument_read(kernel, facts, size, value, &argument);
  if (is_certain && is_same(place, &argument, value))
    return CL_SUCCESS;
  if (argument.kind == VOCL_ARGUMENT_VALUE) {
    argument.value = malloc(size + 1);
    if (argument.value == NULL)
      return CL_OUT_OF_HOST_MEMORY;
    memcpy(argument.value, value, size);
  }
  struct vocl_request query;
  const uint64_t ticket = is_certain ? 0 : vocl_request_begin(session, &query, NULL, 0);
  cl_int code =
      argument_send(kernel, index, &argument, ticket) ? CL_SUCCESS : CL_DEVICE_NOT_AVAILABLE;
  if (!is_certain)
    code = vocl_request_wait(session, &query);
  if (code == CL_SUCCESS) {
    sampler_hold(session, &argument, true);
    sampler_hold(session, place, false);
    free(place->value);
    *place = argument;
  } else {
    free(argument.value);
  }
  return code;
}

cl_int vocl_remote_set_argument(void *object, cl_uint index, size_t size, const void *value)
{
  struct vocl_stub_kernel *kernel = object;
  struct vocl_session *session = kernel->stub.session;
  cl_int code = CL_DEVICE_NOT_AVAILABLE;
  if (value != NULL && size > MOST_VALUE)
    return CL_INVALID_ARG_SIZE;
  vocl_session_lock(session);
  if (!session->is_over)
    code = index < kernel->facts->count ? argument_set(kernel, index, size, value)
                                        : CL_INVALID_ARG_INDEX;
  vocl_session_unlock(session);
  return code;
}

/* --- queries answered from known facts --- */

static bool known_text(const char *text, const void **answer, size_t *bytes)
{
  *answer = text;
  *bytes = strlen(text) + 1;
  return true;
}

static bool known_argument(const struct vocl_argument_facts *argument, cl_uint what,
                           const void **answer, size_t *bytes)
{
  if (!argument->known)
    return false;
  switch (what) {
  case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
    return VOCL_KNOWN(argument->address);
  case CL_KERNEL_ARG_ACCESS_QUALIFIER:
    return VOCL_KNOWN(argument->access);
  case CL_KERNEL_ARG_TYPE_QUALIFIER:
    return VOCL_KNOWN(argument->qualifier);
  case CL_KERNEL_ARG_TYPE_NAME:
    return known_text(argument->type, answer, bytes);
  case CL_KERNEL_ARG_NAME:
    return known_text(argument->name, answer, bytes);
  default:
    return false;
  }
}

static bool known_group(const struct vocl_group_facts *group, cl_uint what, const void **answer,
                        size_t *bytes)
{
  if (!group->known)
    return false;
  switch (what) {
  case CL_KERNEL_WORK_GROUP_SIZE:
    return VOCL_KNOWN(group->most);
  case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
    return VOCL_KNOWN(group->wanted);
  case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
    return VOCL_KNOWN(group->multiple);
  case CL_KERNEL_PRIVATE_MEM_SIZE:
    return VOCL_KNOWN(group->private_bytes);
  default:
    return false; /* the local memory size changes with the arguments */
  }
}

bool vocl_stub_kernel_query_known(const struct vocl_query *query, const void **answer,
                                  size_t *bytes)
{
  const struct vocl_stub_kernel *kernel = query->object;
  const struct vocl_kernel_facts *facts = kernel->facts;
  switch (query->about) {
  case VOCL_ABOUT_KERNEL:
    if (query->what == CL_KERNEL_NUM_ARGS)
      return VOCL_KNOWN(facts->count);
    return query->what == CL_KERNEL_FUNCTION_NAME && known_text(facts->name, answer, bytes);
  case VOCL_ABOUT_ARGUMENT:
    return query->index < facts->count &&
           known_argument(&facts->arguments[query->index], query->what, answer, bytes);
  default:
    for (cl_uint i = 0; i < facts->device_count && i < kernel->program->device_count; i++)
      if (query->device == kernel->program->devices[i] ||
          (query->device == NULL && facts->device_count == 1))
        return known_group(&facts->groups[i], query->what, answer, bytes);
    return false;
  }
}
