/* Queries the facts of a device once, so that the client side can answer queries about it.
 * Features that are not virtualised are removed: a device of OpenCL 2.x is reported as 1.2, and
 * one of 3.0 has no optional features. */
#include "executor/executor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_BYTES = 64 << 10, /* maximum size of one fact */
  V12 = 12,
  V20 = 20,
  V21 = 21,
  V30 = 30
};

/* Changes that are made to a fact before it is reported. */
enum treatment { KEPT, CLEARED, REPLACED, AS_VERSION, AS_WORDS, AS_NAMES, AS_LANGUAGES, WITHOUT };

static const struct row {
  cl_device_info what;
  int since; /* first version of OpenCL that has the fact; older devices are not queried */
  enum treatment treatment;
  cl_ulong value; /* the value for REPLACED; the bits that WITHOUT removes */
} rows[] = {
#define KEEP(since, name)                                                                          \
  {                                                                                                \
    CL_DEVICE_##name, since, KEPT, 0                                                               \
  }
#define CLEAR(since, name)                                                                         \
  {                                                                                                \
    CL_DEVICE_##name, since, CLEARED, 0                                                            \
  }
    KEEP(0, TYPE),
    KEEP(0, VENDOR_ID),
    KEEP(0, MAX_COMPUTE_UNITS),
    KEEP(0, MAX_WORK_ITEM_DIMENSIONS),
    KEEP(0, MAX_WORK_GROUP_SIZE),
    KEEP(0, MAX_WORK_ITEM_SIZES),
    KEEP(0, PREFERRED_VECTOR_WIDTH_CHAR),
    KEEP(0, PREFERRED_VECTOR_WIDTH_SHORT),
    KEEP(0, PREFERRED_VECTOR_WIDTH_INT),
    KEEP(0, PREFERRED_VECTOR_WIDTH_LONG),
    KEEP(0, PREFERRED_VECTOR_WIDTH_FLOAT),
    KEEP(0, PREFERRED_VECTOR_WIDTH_DOUBLE),
    KEEP(0, PREFERRED_VECTOR_WIDTH_HALF),
    KEEP(0, NATIVE_VECTOR_WIDTH_CHAR),
    KEEP(0, NATIVE_VECTOR_WIDTH_SHORT),
    KEEP(0, NATIVE_VECTOR_WIDTH_INT),
    KEEP(0, NATIVE_VECTOR_WIDTH_LONG),
    KEEP(0, NATIVE_VECTOR_WIDTH_FLOAT),
    KEEP(0, NATIVE_VECTOR_WIDTH_DOUBLE),
    KEEP(0, NATIVE_VECTOR_WIDTH_HALF),
    KEEP(0, MAX_CLOCK_FREQUENCY),
    KEEP(0, ADDRESS_BITS),
    KEEP(0, MAX_READ_IMAGE_ARGS),
    KEEP(0, MAX_WRITE_IMAGE_ARGS),
    KEEP(0, MAX_MEM_ALLOC_SIZE),
    KEEP(0, IMAGE2D_MAX_WIDTH),
    KEEP(0, IMAGE2D_MAX_HEIGHT),
    KEEP(0, IMAGE3D_MAX_WIDTH),
    KEEP(0, IMAGE3D_MAX_HEIGHT),
    KEEP(0, IMAGE3D_MAX_DEPTH),
    KEEP(0, IMAGE_SUPPORT),
    KEEP(V12, IMAGE_MAX_BUFFER_SIZE),
    KEEP(V12, IMAGE_MAX_ARRAY_SIZE),
    KEEP(V20, IMAGE_PITCH_ALIGNMENT),
    KEEP(V20, IMAGE_BASE_ADDRESS_ALIGNMENT),
    KEEP(0, MAX_PARAMETER_SIZE),
    KEEP(0, MAX_SAMPLERS),
    KEEP(0, MEM_BASE_ADDR_ALIGN),
    KEEP(0, MIN_DATA_TYPE_ALIGN_SIZE),
    KEEP(0, SINGLE_FP_CONFIG),
    KEEP(0, HALF_FP_CONFIG),
    KEEP(0, DOUBLE_FP_CONFIG),
    KEEP(0, GLOBAL_MEM_CACHE_TYPE),
    KEEP(0, GLOBAL_MEM_CACHELINE_SIZE),
    KEEP(0, GLOBAL_MEM_CACHE_SIZE),
    KEEP(0, GLOBAL_MEM_SIZE),
    KEEP(0, MAX_CONSTANT_BUFFER_SIZE),
    KEEP(0, MAX_CONSTANT_ARGS),
    KEEP(0, LOCAL_MEM_TYPE),
    KEEP(0, LOCAL_MEM_SIZE),
    KEEP(0, ERROR_CORRECTION_SUPPORT),
    KEEP(0, HOST_UNIFIED_MEMORY),
    KEEP(0, PROFILING_TIMER_RESOLUTION),
    KEEP(0, ENDIAN_LITTLE),
    KEEP(0, AVAILABLE),
    KEEP(0, COMPILER_AVAILABLE),
    KEEP(V12, LINKER_AVAILABLE),
    {CL_DEVICE_EXECUTION_CAPABILITIES, 0, WITHOUT, CL_EXEC_NATIVE_KERNEL},
    KEEP(0, QUEUE_PROPERTIES),
    KEEP(V12, BUILT_IN_KERNELS),
    KEEP(0, NAME),
    KEEP(0, VENDOR),
    KEEP(0, PROFILE),
    {CL_DRIVER_VERSION, 0, KEPT, 0},
    {CL_DEVICE_VERSION, 0, AS_VERSION, 0},
    {CL_DEVICE_OPENCL_C_VERSION, 0, AS_VERSION, 0},
    {CL_DEVICE_EXTENSIONS, 0, AS_WORDS, 0},
    KEEP(V12, PRINTF_BUFFER_SIZE),
    KEEP(V12, PREFERRED_INTEROP_USER_SYNC),
    KEEP(V12, PARTITION_MAX_SUB_DEVICES),
    KEEP(V12, PARTITION_PROPERTIES),
    KEEP(V12, PARTITION_AFFINITY_DOMAIN),
    KEEP(V12, PARTITION_TYPE),
    KEEP(V20, PREFERRED_PLATFORM_ATOMIC_ALIGNMENT),
    KEEP(V20, PREFERRED_GLOBAL_ATOMIC_ALIGNMENT),
    KEEP(V20, PREFERRED_LOCAL_ATOMIC_ALIGNMENT),
    CLEAR(V20, MAX_READ_WRITE_IMAGE_ARGS),
    CLEAR(V20, MAX_GLOBAL_VARIABLE_SIZE),
    CLEAR(V20, GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE),
    CLEAR(V20, QUEUE_ON_DEVICE_PROPERTIES),
    CLEAR(V20, QUEUE_ON_DEVICE_PREFERRED_SIZE),
    CLEAR(V20, QUEUE_ON_DEVICE_MAX_SIZE),
    CLEAR(V20, MAX_ON_DEVICE_QUEUES),
    CLEAR(V20, MAX_ON_DEVICE_EVENTS),
    CLEAR(V20, SVM_CAPABILITIES),
    CLEAR(V20, MAX_PIPE_ARGS),
    CLEAR(V20, PIPE_MAX_ACTIVE_RESERVATIONS),
    CLEAR(V20, PIPE_MAX_PACKET_SIZE),
    {CL_DEVICE_IL_VERSION, V21, AS_WORDS, 0},
    CLEAR(V21, MAX_NUM_SUB_GROUPS),
    CLEAR(V21, SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS),
    KEEP(V30, NUMERIC_VERSION),
    {CL_DEVICE_EXTENSIONS_WITH_VERSION, V30, AS_NAMES, 0},
    {CL_DEVICE_ILS_WITH_VERSION, V30, AS_NAMES, 0},
    KEEP(V30, BUILT_IN_KERNELS_WITH_VERSION),
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, V30, REPLACED,
     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, V30, REPLACED,
     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
         CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP},
    CLEAR(V30, NON_UNIFORM_WORK_GROUP_SUPPORT),
    {CL_DEVICE_OPENCL_C_ALL_VERSIONS, V30, AS_LANGUAGES, 0},
    KEEP(V30, PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
    CLEAR(V30, WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT),
    CLEAR(V30, GENERIC_ADDRESS_SPACE_SUPPORT),
    {CL_DEVICE_OPENCL_C_FEATURES, V30, AS_NAMES, 0},
    CLEAR(V30, DEVICE_ENQUEUE_CAPABILITIES),
    CLEAR(V30, PIPE_SUPPORT),
    KEEP(V30, LATEST_CONFORMANCE_VERSION_PASSED),
#undef KEEP
#undef CLEAR
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* Extensions and features that only concern the source of kernels, or flags that are passed on.
 * They need no calls besides those that are virtualised. */
static const char *const virtualised[] = {
    "cl_khr_byte_addressable_store",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_fp64",
    "cl_khr_fp16",
    "cl_khr_3d_image_writes",
    "cl_khr_image2d_from_buffer",
    "cl_khr_depth_images",
    "cl_khr_extended_bit_ops",
    "cl_khr_integer_dot_product",
    "__opencl_c_fp64",
    "__opencl_c_int64",
    "__opencl_c_images",
    "__opencl_c_3d_image_writes",
};

static bool is_virtualised(const char *name, size_t length)
{
  for (size_t i = 0; i < sizeof virtualised / sizeof *virtualised; i++)
    if (strlen(virtualised[i]) == length && strncmp(virtualised[i], name, length) == 0)
      return true;
  return false;
}

/* Removes the names that are not virtualised from a list of names. Returns the new size of the
 * text. */
static size_t filter_words(char *text)
{
  char *end = text;
  const char *word = text;
  while (*(word += strspn(word, " ")) != '\0') {
    const size_t length = strcspn(word, " ");
    if (is_virtualised(word, length)) {
      if (end != text)
        *end++ = ' ';
      memmove(end, word, length);
      end += length;
    }
    word += length;
  }
  *end = '\0';
  return (size_t)(end - text) + 1;
}

static size_t filter_names(cl_name_version *names, size_t size, enum treatment treatment)
{
  size_t kept = 0;
  for (size_t i = 0; i < size / sizeof *names; i++)
    if (treatment == AS_LANGUAGES ? CL_VERSION_MAJOR(names[i].version) != 2
                                  : is_virtualised(names[i].name, strlen(names[i].name)))
      names[kept++] = names[i];
  return kept * sizeof *names;
}

/* Replaces version 2.x by 1.2 in texts such as "OpenCL 2.1 x" and "OpenCL C 2.0 x". */
static void lower_version(char *text)
{
  char *number = strpbrk(text, "0123456789");
  if (number != NULL && strncmp(number, "2.", 2) == 0 && number[2] != '\0') {
    number[0] = '1';
    number[2] = '2';
  }
}

/* Changes the fact in place as its row requires. Returns its new size. */
static size_t treat(const struct row *row, void *answer, size_t size)
{
  cl_bitfield *bits = answer;
  switch (row->treatment) {
  case CLEARED:
    memset(answer, 0, size);
    return size;
  case REPLACED:
    *bits = row->value;
    return size;
  case WITHOUT:
    *bits &= ~row->value;
    return size;
  case AS_VERSION:
    lower_version(answer);
    return size;
  case AS_WORDS:
    return filter_words(answer);
  case AS_NAMES:
  case AS_LANGUAGES:
    return filter_names(answer, size, row->treatment);
  default:
    return size;
  }
}

/* Returns the version of a device as a number such as 12 or 30. 2.x counts as 1.2. */
static int version_of(void *device)
{
  char text[256] = "";
  int major = 1, minor = 0;
  if (vocl_vendor_calls(device)->clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof text, text,
                                                 NULL) == CL_SUCCESS)
    lower_version(text);
  return sscanf(text, "OpenCL %d.%d", &major, &minor) == 2 ? 10 * major + minor : V12;
}

static bool describe_one(void *device, const struct row *row, char *space, struct vocl_fact *fact)
{
  size_t size = 0;
  memset(space, 0, 256);
  if (vocl_vendor_calls(device)->clGetDeviceInfo(device, row->what, MOST_BYTES, space, &size) !=
      CL_SUCCESS)
    return false;
  size = treat(row, space, size);
  fact->what = row->what;
  fact->size = (uint32_t)size;
  fact->value = malloc(size + 1);
  if (fact->value == NULL)
    return false;
  memcpy(fact->value, space, size);
  return true;
}

static int in_order(const void *a, const void *b)
{
  const struct vocl_fact *one = a, *other = b;
  return (one->what > other->what) - (one->what < other->what);
}

struct vocl_facts *vocl_native_describe(void *device)
{
  struct vocl_facts *facts = malloc(sizeof *facts + ROWS * sizeof *facts->facts);
  char *space = malloc(MOST_BYTES);
  if (facts == NULL || space == NULL) {
    free(facts);
    free(space);
    return NULL;
  }
  *facts = (struct vocl_facts){0, (struct vocl_fact *)(facts + 1)};
  const int version = version_of(device);
  for (size_t i = 0; i < ROWS; i++)
    if (rows[i].since <= version)
      facts->count += describe_one(device, &rows[i], space, &facts->facts[facts->count]);
  free(space);
  qsort(facts->facts, facts->count, sizeof *facts->facts, in_order);
  return facts;
}

const struct vocl_fact *vocl_fact_find(const struct vocl_facts *facts, cl_device_info what)
{
  const struct vocl_fact key = {.what = what};
  return bsearch(&key, facts->facts, facts->count, sizeof key, in_order);
}

void vocl_facts_free(struct vocl_facts *facts)
{
  for (size_t i = 0; i < facts->count; i++)
    free(facts->facts[i].value);
  free(facts);
}
