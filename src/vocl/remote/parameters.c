/* Kernels: what they say of themselves, asked once for each name while a program is not built
 * again, and the arguments that a program sets. */
#include "remote/session.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 4096, TEXT = 256, MOST_VALUE = 16 << 10 };

/* --- types --- */

/* Bytes of a plain type: a word, and how often. 0: not known. */
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

static void argument_classify(struct cwi_argument_facts *argument)
{
  argument->kind = CWI_PLAIN;
  if (cwi_type_is_image(argument->type))
    argument->kind = CWI_IMAGES;
  else if (strcmp(argument->type, "sampler_t") == 0)
    argument->kind = CWI_SAMPLERS;
  else if (argument->address == CL_KERNEL_ARG_ADDRESS_LOCAL)
    argument->kind = CWI_LOCAL;
  else if (argument->address != CL_KERNEL_ARG_ADDRESS_PRIVATE)
    argument->kind = CWI_BUFFERS;
  else
    argument->size = type_bytes(argument->type);
}

/* --- asking --- */

/* Many questions go at once, so that they cost one round trip. */
struct kernel_asking {
  struct cwi_session *session;
  uint32_t kernel;
  size_t count;
  struct cwi_far_question *questions;
  bool is_over;
};

static void asking_add(struct kernel_asking *asking, struct cwi_say_ask about, void *value,
                       size_t size)
{
  struct cwi_far_question *question = &asking->questions[asking->count++];
  const uint64_t ticket = cwi_far_question_begin(asking->session, question, value, size);
  struct cwi_say_ask *ask = cwi_say_begin(asking->session, CWI_SAYS_ASK, sizeof *ask, ticket);
  if (ask == NULL)
    return;
  about.said = ask->said;
  about.object = asking->kernel;
  about.size = size;
  *ask = about;
  cwi_say_end(asking->session);
}

static void asking_wait(struct kernel_asking *asking)
{
  for (size_t i = 0; i < asking->count; i++)
    asking->questions[i].code = cwi_far_question_wait(asking->session, &asking->questions[i]);
}

enum { ARGUMENT_QUESTIONS = 5, GROUP_QUESTIONS = 5 };

static void ask_of_argument(struct kernel_asking *asking, cl_uint index,
                            struct cwi_argument_facts *argument)
{
  struct cwi_say_ask about = {.about = CWI_ABOUT_ARGUMENT, .index = index};
  about.what = CL_KERNEL_ARG_ADDRESS_QUALIFIER;
  asking_add(asking, about, &argument->address, sizeof argument->address);
  about.what = CL_KERNEL_ARG_ACCESS_QUALIFIER;
  asking_add(asking, about, &argument->access, sizeof argument->access);
  about.what = CL_KERNEL_ARG_TYPE_QUALIFIER;
  asking_add(asking, about, &argument->qualifier, sizeof argument->qualifier);
  about.what = CL_KERNEL_ARG_TYPE_NAME;
  asking_add(asking, about, argument->type, TEXT - 1);
  about.what = CL_KERNEL_ARG_NAME;
  asking_add(asking, about, argument->name, TEXT - 1);
}

static void ask_of_group(struct kernel_asking *asking, const struct cwi_far_device *device,
                         struct cwi_group_facts *group)
{
  struct cwi_say_ask about = {
      .about = CWI_ABOUT_WORK_GROUP, .device = device->far.number, .has_device = 1};
  about.what = CL_KERNEL_WORK_GROUP_SIZE;
  asking_add(asking, about, &group->most, sizeof group->most);
  about.what = CL_KERNEL_COMPILE_WORK_GROUP_SIZE;
  asking_add(asking, about, group->wanted, sizeof group->wanted);
  about.what = CL_KERNEL_LOCAL_MEM_SIZE;
  asking_add(asking, about, &group->local_bytes, sizeof group->local_bytes);
  about.what = CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE;
  asking_add(asking, about, &group->multiple, sizeof group->multiple);
  about.what = CL_KERNEL_PRIVATE_MEM_SIZE;
  asking_add(asking, about, &group->private_bytes, sizeof group->private_bytes);
}

static bool all_answered(const struct cwi_far_question *questions, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (questions[i].code != CL_SUCCESS || questions[i].bytes > questions[i].size)
      return false;
  return true;
}

static bool facts_learn(struct cwi_session *session, uint32_t kernel,
                        const struct cwi_far_program *program, struct cwi_kernel_facts *facts)
{
  struct kernel_asking asking = {.session = session, .kernel = kernel};
  const size_t all =
      (size_t)facts->count * ARGUMENT_QUESTIONS + (size_t)facts->device_count * GROUP_QUESTIONS;
  asking.questions = calloc(all + 1, sizeof *asking.questions);
  if (asking.questions == NULL)
    return false;
  for (cl_uint i = 0; i < facts->count; i++)
    ask_of_argument(&asking, i, &facts->arguments[i]);
  for (cl_uint i = 0; i < facts->device_count; i++)
    ask_of_group(&asking, program->devices[i], &facts->groups[i]);
  asking_wait(&asking);
  const struct cwi_far_question *question = asking.questions;
  for (cl_uint i = 0; i < facts->count; i++, question += ARGUMENT_QUESTIONS) {
    facts->arguments[i].told = all_answered(question, ARGUMENT_QUESTIONS);
    if (facts->arguments[i].told)
      argument_classify(&facts->arguments[i]);
  }
  for (cl_uint i = 0; i < facts->device_count; i++, question += GROUP_QUESTIONS)
    facts->groups[i].told = all_answered(question, GROUP_QUESTIONS);
  free(asking.questions);
  return !session->is_over;
}

/* --- facts --- */

void cwi_kernel_facts_leave(struct cwi_kernel_facts *facts)
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

static struct cwi_kernel_facts *facts_new(const char *name, cl_uint count, cl_uint device_count)
{
  struct cwi_kernel_facts *facts = calloc(1, sizeof *facts);
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
  cwi_kernel_facts_leave(facts);
  return NULL;
}

static struct cwi_kernel_facts *facts_find(const struct cwi_far_program *program, const char *name)
{
  struct cwi_kernel_facts *each = program->kernels;
  while (each != NULL && strcmp(each->name, name) != 0)
    each = each->next;
  return each;
}

/* --- kernels --- */

static bool kernel_take(struct cwi_far_kernel *kernel, struct cwi_kernel_facts *facts)
{
  kernel->arguments = calloc(facts->count + 1, sizeof *kernel->arguments);
  if (kernel->arguments == NULL)
    return false;
  kernel->facts = facts;
  facts->users++;
  return true;
}

static void arguments_free(struct cwi_set_argument *arguments, cl_uint count)
{
  for (cl_uint i = 0; i < count; i++)
    free(arguments[i].value);
  free(arguments);
}

static bool names_object(const struct cwi_set_argument *argument)
{
  return argument->kind == CWI_ARGUMENT_OBJECT && argument->object != 0;
}

bool cwi_argument_is_alive(const struct cwi_session *session,
                           const struct cwi_set_argument *argument)
{
  return !names_object(argument) || (cwi_far_at(session, argument->object) != NULL &&
                                     session->births[argument->object] == argument->birth);
}

static void argument_hold(const struct cwi_session *session,
                          const struct cwi_set_argument *argument, bool hold)
{
  if (hold)
    cwi_far_hold(cwi_far_at(session, argument->object));
  else
    cwi_far_let_go(cwi_far_at(session, argument->object));
}

/* A kernel holds its samplers: programs release them once they are set, and most vendors let them.
 * It does not hold memory, which is to be free when the program releases it. */
static void sampler_hold(const struct cwi_session *session, const struct cwi_set_argument *argument,
                         bool hold)
{
  if (names_object(argument) && cwi_argument_is_alive(session, argument) &&
      cwi_far_at(session, argument->object)->kind->sort == CWI_SAMPLER)
    argument_hold(session, argument, hold);
}

static void kernel_free(struct cwi_far *far)
{
  struct cwi_far_kernel *kernel = (struct cwi_far_kernel *)far;
  if (kernel->facts != NULL) {
    for (cl_uint i = 0; i < kernel->facts->count; i++)
      sampler_hold(far->session, &kernel->arguments[i], false);
    arguments_free(kernel->arguments, kernel->facts->count);
    cwi_kernel_facts_leave(kernel->facts);
  }
  cwi_far_let_go(kernel->program);
}

static const struct cwi_far_kind kernels_kind = {.sort = CWI_KERNEL, .free = kernel_free};

static struct cwi_far_kernel *kernel_new(struct cwi_far_program *program)
{
  struct cwi_far_kernel *kernel =
      cwi_far_new(program->far.session, &kernels_kind, sizeof *kernel, true);
  if (kernel == NULL)
    return NULL;
  kernel->program = program;
  cwi_far_hold(program);
  return kernel;
}

/* A kernel that the proxy has, whose name nobody knew before. */
static cl_int kernel_learn(struct cwi_far_kernel *kernel, const char *name)
{
  struct cwi_session *session = kernel->far.session;
  struct cwi_far_program *program = kernel->program;
  struct cwi_far_question room;
  cl_uint count = 0;
  struct kernel_asking asking = {
      .session = session, .kernel = kernel->far.number, .questions = &room};
  asking_add(&asking, (struct cwi_say_ask){.about = CWI_ABOUT_KERNEL, .what = CL_KERNEL_NUM_ARGS},
             &count, sizeof count);
  asking_wait(&asking);
  if (room.code != CL_SUCCESS || count > MOST_ARGUMENTS)
    return room.code != CL_SUCCESS ? room.code : CL_OUT_OF_HOST_MEMORY;
  struct cwi_kernel_facts *facts = facts_new(name, count, program->device_count);
  if (facts == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  const bool is_learned = facts_learn(session, kernel->far.number, program, facts);
  if (is_learned && kernel_take(kernel, facts)) {
    facts->next = program->kernels;
    program->kernels = facts;
    return CL_SUCCESS;
  }
  cwi_kernel_facts_leave(facts);
  return is_learned ? CL_OUT_OF_HOST_MEMORY : CL_DEVICE_NOT_AVAILABLE;
}

cl_int cwi_kernel_make(const struct cwi_making *making, void **object)
{
  struct cwi_far_program *program = making->parent;
  struct cwi_kernel_facts *known = facts_find(program, making->name);
  struct cwi_far_kernel *kernel = kernel_new(program);
  if (kernel == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  /* Saying may wait, and meanwhile another thread may build the program, which forgets its facts.
   */
  if (known != NULL && !kernel_take(kernel, known)) {
    cwi_far_free(&kernel->far);
    return CL_OUT_OF_HOST_MEMORY;
  }
  const void *const strings[] = {making->name};
  const struct cwi_say_make fields = {.sort = CWI_KERNEL, .parent = program->far.number};
  const struct cwi_make_parts parts = {.string_count = 1, .strings = strings};
  cl_int code = cwi_make_say(&kernel->far, &fields, &parts, known != NULL);
  if (code != CL_SUCCESS) {
    cwi_far_free(&kernel->far);
    return code;
  }
  if (known == NULL)
    code = kernel_learn(kernel, making->name);
  if (code == CL_SUCCESS)
    *object = kernel;
  else
    cwi_far_let_go(kernel);
  return code;
}

/* The name is the vendor's choice of order. */
static cl_int kernel_learn_name(struct cwi_far_kernel *kernel)
{
  struct cwi_far_question room;
  char name[TEXT] = "";
  struct kernel_asking asking = {
      .session = kernel->far.session, .kernel = kernel->far.number, .questions = &room};
  asking_add(&asking,
             (struct cwi_say_ask){.about = CWI_ABOUT_KERNEL, .what = CL_KERNEL_FUNCTION_NAME}, name,
             sizeof name - 1);
  asking_wait(&asking);
  if (room.code != CL_SUCCESS)
    return room.code;
  struct cwi_kernel_facts *known = facts_find(kernel->program, name);
  if (known == NULL)
    return kernel_learn(kernel, name);
  return kernel_take(kernel, known) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static cl_int kernels_ask(struct cwi_far_program *program, void **kernels, cl_uint most,
                          cl_uint *count)
{
  struct cwi_session *session = program->far.session;
  struct cwi_far_question question;
  uint32_t *numbers = malloc((most + 1) * sizeof *numbers);
  if (numbers == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  numbers[0] = program->far.number;
  for (cl_uint i = 0; i < most; i++)
    numbers[i + 1] = ((struct cwi_far *)kernels[i])->number;
  const uint64_t ticket = cwi_far_question_begin(session, &question, NULL, 0);
  cwi_say_numbers(session, CWI_SAYS_MAKE_KERNELS, ticket, numbers, most + 1);
  free(numbers);
  const cl_int code = cwi_far_question_wait(session, &question);
  *count = question.count;
  return code;
}

static cl_int kernels_make(struct cwi_far_program *program, cl_uint most, void **kernels)
{
  cl_uint made = 0, count = 0;
  while (made < most && (kernels[made] = kernel_new(program)) != NULL)
    made++;
  cl_int code = made == most ? kernels_ask(program, kernels, most, &count) : CL_OUT_OF_HOST_MEMORY;
  if (code != CL_SUCCESS) {
    while (made > 0)
      cwi_far_free(kernels[--made]);
    return code;
  }
  for (cl_uint i = 0; i < most && code == CL_SUCCESS; i++)
    code = kernel_learn_name(kernels[i]);
  while (code != CL_SUCCESS && made > 0)
    cwi_far_let_go(kernels[--made]);
  return code;
}

cl_int cwi_remote_make_kernels(void *object, cl_uint most, void **kernels, cl_uint *count)
{
  enum { MOST_KERNELS = 4096 };
  struct cwi_far_program *program = object;
  struct cwi_session *session = program->far.session;
  cl_uint total = 0;
  cl_int code = CL_OUT_OF_HOST_MEMORY;
  cwi_session_lock(session);
  if (session->is_over)
    code = CL_DEVICE_NOT_AVAILABLE;
  else if (kernels == NULL)
    code = kernels_ask(program, NULL, 0, &total);
  else if (most <= MOST_KERNELS)
    code = kernels_make(program, most, kernels);
  if (count != NULL)
    *count = total;
  cwi_session_unlock(session);
  return code;
}

/* --- arguments --- */

static bool argument_say(struct cwi_far_kernel *kernel, cl_uint index,
                         const struct cwi_set_argument *argument, uint64_t ticket)
{
  const size_t bytes = argument->kind == CWI_ARGUMENT_VALUE ? argument->size : 0;
  struct cwi_say_argument *message = cwi_say_begin(kernel->far.session, CWI_SAYS_ARGUMENT,
                                                   sizeof *message + cwi_part_bytes(bytes), ticket);
  if (message == NULL)
    return false;
  message->kernel = kernel->far.number;
  message->index = index;
  message->kind = argument->kind;
  message->object = argument->object;
  message->size = argument->size;
  if (bytes > 0)
    memcpy(message->value, argument->value, bytes);
  cwi_say_end(kernel->far.session);
  return true;
}

/* The object that eight bytes name, if they name one of the session's. */
static const struct cwi_far *object_of(const struct cwi_session *session, const void *value)
{
  const void *object = *(void *const *)value;
  for (uint32_t number = 0; number < session->fresh; number++) {
    const struct cwi_far *far = cwi_far_at(session, number);
    if (far != NULL && far == object)
      return far->kind->sort == CWI_BUFFER || far->kind->sort == CWI_SAMPLER ? far : NULL;
  }
  return NULL;
}

/* What the argument is to be. False: one that cannot be certain. */
static bool argument_read(const struct cwi_far_kernel *kernel,
                          const struct cwi_argument_facts *facts, size_t size, const void *value,
                          struct cwi_set_argument *argument)
{
  const struct cwi_session *session = kernel->far.session;
  const bool is_word = value != NULL && size == sizeof(void *);
  const struct cwi_far *far = NULL;
  *argument = (struct cwi_set_argument){.is_set = true, .size = size};
  if (facts->told && facts->kind >= CWI_BUFFERS && is_word)
    far = *(void *const *)value; /* the client has looked whether it is one */
  else if (!facts->told && is_word)
    far = object_of(session, value);
  argument->kind = value == NULL ? CWI_ARGUMENT_LOCAL : CWI_ARGUMENT_VALUE;
  if (far != NULL || (facts->told && facts->kind >= CWI_BUFFERS)) {
    argument->kind = CWI_ARGUMENT_OBJECT;
    argument->object = far != NULL ? far->number : 0;
    argument->birth = far != NULL ? session->births[far->number] : 0;
  }
  if (!facts->told)
    return false;
  switch (facts->kind) {
  case CWI_LOCAL:
    return value == NULL && size > 0;
  case CWI_BUFFERS:
    return size == sizeof(void *) &&
           (far == NULL ||
            (far->kind->sort == CWI_BUFFER && !cwi_is_image((const struct cwi_far_memory *)far)));
  case CWI_IMAGES:
    return is_word && far != NULL && far->kind->sort == CWI_BUFFER &&
           cwi_is_image((const struct cwi_far_memory *)far);
  case CWI_SAMPLERS:
    return is_word && far != NULL && far->kind->sort == CWI_SAMPLER;
  default:
    return value != NULL && size > 0 && size == facts->size;
  }
}

/* Is it as it was? */
static bool is_same(const struct cwi_set_argument *old, const struct cwi_set_argument *new,
                    const void *value)
{
  return old->is_set && old->kind == new->kind && old->size == new->size &&
         old->object == new->object && old->birth == new->birth &&
         (new->kind != CWI_ARGUMENT_VALUE || memcmp(old->value, value, new->size) == 0);
}

static cl_int argument_set(struct cwi_far_kernel *kernel, cl_uint index, size_t size,
                           const void *value)
{
  struct cwi_session *session = kernel->far.session;
  struct cwi_set_argument *place = &kernel->arguments[index];
  struct cwi_set_argument argument;
  const struct cwi_argument_facts *facts = &kernel->facts->arguments[index];
  if (facts->told && facts->kind >= CWI_BUFFERS && size != sizeof(void *))
    return CL_INVALID_ARG_SIZE;
  const bool is_certain = argument_read(kernel, facts, size, value, &argument);
  if (is_certain && is_same(place, &argument, value))
    return CL_SUCCESS;
  if (argument.kind == CWI_ARGUMENT_VALUE) {
    argument.value = malloc(size + 1);
    if (argument.value == NULL)
      return CL_OUT_OF_HOST_MEMORY;
    memcpy(argument.value, value, size);
  }
  struct cwi_far_question question;
  const uint64_t ticket = is_certain ? 0 : cwi_far_question_begin(session, &question, NULL, 0);
  cl_int code =
      argument_say(kernel, index, &argument, ticket) ? CL_SUCCESS : CL_DEVICE_NOT_AVAILABLE;
  if (!is_certain)
    code = cwi_far_question_wait(session, &question);
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

cl_int cwi_remote_set_argument(void *object, cl_uint index, size_t size, const void *value)
{
  struct cwi_far_kernel *kernel = object;
  struct cwi_session *session = kernel->far.session;
  cl_int code = CL_DEVICE_NOT_AVAILABLE;
  if (value != NULL && size > MOST_VALUE)
    return CL_INVALID_ARG_SIZE;
  cwi_session_lock(session);
  if (!session->is_over)
    code = index < kernel->facts->count ? argument_set(kernel, index, size, value)
                                        : CL_INVALID_ARG_INDEX;
  cwi_session_unlock(session);
  return code;
}

/* --- what is known --- */

static bool recall_text(const char *text, const void **answer, size_t *bytes)
{
  *answer = text;
  *bytes = strlen(text) + 1;
  return true;
}

static bool recall_argument(const struct cwi_argument_facts *argument, cl_uint what,
                            const void **answer, size_t *bytes)
{
  if (!argument->told)
    return false;
  switch (what) {
  case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
    return CWI_KNOWN(argument->address);
  case CL_KERNEL_ARG_ACCESS_QUALIFIER:
    return CWI_KNOWN(argument->access);
  case CL_KERNEL_ARG_TYPE_QUALIFIER:
    return CWI_KNOWN(argument->qualifier);
  case CL_KERNEL_ARG_TYPE_NAME:
    return recall_text(argument->type, answer, bytes);
  case CL_KERNEL_ARG_NAME:
    return recall_text(argument->name, answer, bytes);
  default:
    return false;
  }
}

static bool recall_group(const struct cwi_group_facts *group, cl_uint what, const void **answer,
                         size_t *bytes)
{
  if (!group->told)
    return false;
  switch (what) {
  case CL_KERNEL_WORK_GROUP_SIZE:
    return CWI_KNOWN(group->most);
  case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
    return CWI_KNOWN(group->wanted);
  case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
    return CWI_KNOWN(group->multiple);
  case CL_KERNEL_PRIVATE_MEM_SIZE:
    return CWI_KNOWN(group->private_bytes);
  default:
    return false; /* local memory changes with the arguments */
  }
}

bool cwi_kernel_recall(const struct cwi_native_question *question, const void **answer,
                       size_t *bytes)
{
  const struct cwi_far_kernel *kernel = question->object;
  const struct cwi_kernel_facts *facts = kernel->facts;
  switch (question->about) {
  case CWI_ABOUT_KERNEL:
    if (question->what == CL_KERNEL_NUM_ARGS)
      return CWI_KNOWN(facts->count);
    return question->what == CL_KERNEL_FUNCTION_NAME && recall_text(facts->name, answer, bytes);
  case CWI_ABOUT_ARGUMENT:
    return question->index < facts->count &&
           recall_argument(&facts->arguments[question->index], question->what, answer, bytes);
  default:
    for (cl_uint i = 0; i < facts->device_count && i < kernel->program->device_count; i++)
      if (question->device == kernel->program->devices[i] ||
          (question->device == NULL && facts->device_count == 1))
        return recall_group(&facts->groups[i], question->what, answer, bytes);
    return false;
  }
}
