/* Compares the facts of devices. */
#include "migrate/device_compare.h"

#include <string.h>

/* Relation that the new device's value must have to the old one's: it must be at least as large, at
 * most as large, or the same, or must contain all its bits or all its words. A value may be a list
 * of numbers of 4 or 8 bytes each. */
enum comparison { AT_LEAST, AT_MOST, SAME, ALL_BITS, ALL_WORDS };

static const struct limit {
  cl_device_info what;
  enum comparison comparison;
  size_t bytes; /* size of each number; 0 for values that are compared as a whole */
  const char *lacks;
} limits[] = {
    {CL_DEVICE_AVAILABLE, SAME, 4, "it is not available"},
    {CL_DEVICE_COMPILER_AVAILABLE, AT_LEAST, 4, "it has no compiler"},
    {CL_DEVICE_LINKER_AVAILABLE, AT_LEAST, 4, "it has no linker"},
    {CL_DEVICE_ADDRESS_BITS, SAME, 4, "its addresses have another size"},
    {CL_DEVICE_ENDIAN_LITTLE, SAME, 4, "its byte order differs"},
    {CL_DEVICE_GLOBAL_MEM_SIZE, AT_LEAST, 8, "it has less memory"},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, AT_LEAST, 8, "its largest buffer is smaller"},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, AT_MOST, 4, "its sub-buffers need a larger alignment"},
    {CL_DEVICE_LOCAL_MEM_SIZE, AT_LEAST, 8, "it has less local memory"},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, AT_LEAST, 8, "it has less constant memory"},
    {CL_DEVICE_MAX_CONSTANT_ARGS, AT_LEAST, 4, "its kernels have fewer constant arguments"},
    {CL_DEVICE_MAX_PARAMETER_SIZE, AT_LEAST, sizeof(size_t), "its kernels have shorter arguments"},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, AT_LEAST, 4, "its work has fewer dimensions"},
    {CL_DEVICE_MAX_WORK_ITEM_SIZES, AT_LEAST, sizeof(size_t), "its work groups are smaller"},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, AT_LEAST, sizeof(size_t), "its work groups are smaller"},
    {CL_DEVICE_SINGLE_FP_CONFIG, ALL_BITS, 8, "it supports fewer single-precision features"},
    {CL_DEVICE_DOUBLE_FP_CONFIG, ALL_BITS, 8, "it supports fewer double-precision features"},
    {CL_DEVICE_EXECUTION_CAPABILITIES, ALL_BITS, 8, "it has fewer execution capabilities"},
    {CL_DEVICE_QUEUE_PROPERTIES, ALL_BITS, 8, "its queues have fewer properties"},
    {CL_DEVICE_IMAGE_SUPPORT, AT_LEAST, 4, "it has no images"},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, AT_LEAST, 4, "its kernels have fewer images"},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, AT_LEAST, 4, "its kernels have fewer images"},
    {CL_DEVICE_MAX_SAMPLERS, AT_LEAST, 4, "its kernels have fewer samplers"},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, AT_LEAST, sizeof(size_t), "its images are smaller"},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, AT_LEAST, sizeof(size_t), "its images are smaller"},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, AT_LEAST, sizeof(size_t), "its images are smaller"},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, AT_LEAST, sizeof(size_t), "its images are smaller"},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, AT_LEAST, sizeof(size_t), "its images are smaller"},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, AT_LEAST, sizeof(size_t), "its images are smaller"},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, AT_LEAST, sizeof(size_t), "its images are smaller"},
    {CL_DEVICE_OPENCL_C_VERSION, SAME, 0, "it has another version of OpenCL C"},
    {CL_DEVICE_EXTENSIONS, ALL_WORDS, 0, "it has fewer extensions"},
    {CL_DEVICE_BUILT_IN_KERNELS, SAME, 0, "it has other built-in kernels"},
};

static uint64_t number_at(const struct vocl_fact *fact, size_t i, size_t bytes)
{
  uint32_t half = 0;
  uint64_t whole = 0;
  if ((i + 1) * bytes > fact->size)
    return 0;
  if (bytes == sizeof half) {
    memcpy(&half, (const char *)fact->value + i * bytes, sizeof half);
    return half;
  }
  memcpy(&whole, (const char *)fact->value + i * bytes, sizeof whole);
  return whole;
}

static bool number_fits(enum comparison comparison, uint64_t given, uint64_t other)
{
  switch (comparison) {
  case AT_LEAST:
    return other >= given;
  case AT_MOST:
    return other <= given;
  case ALL_BITS:
    return (given & ~other) == 0;
  default:
    return other == given;
  }
}

/* Returns true if each word of `given`, separated by blanks, is also in `other`. Both are
 * terminated strings. */
static bool words_fit(const char *given, const char *other)
{
  while (*given != '\0') {
    const size_t length = strcspn(given, " ");
    bool found = length == 0;
    for (const char *at = other; !found && *at != '\0'; at += strspn(at, " ")) {
      const size_t its = strcspn(at, " ");
      found = its == length && memcmp(at, given, length) == 0;
      at += its;
    }
    if (!found)
      return false;
    given += length;
    given += strspn(given, " ");
  }
  return true;
}

static bool same_bytes(const struct vocl_fact *given, const struct vocl_fact *other)
{
  return given->size == other->size && memcmp(given->value, other->value, given->size) == 0;
}

static bool limit_fits(const struct limit *limit, const struct vocl_fact *given,
                       const struct vocl_fact *other)
{
  if (limit->comparison == ALL_WORDS)
    return words_fit(given->value, other->value);
  if (limit->bytes == 0)
    return same_bytes(given, other);
  for (size_t i = 0; (i + 1) * limit->bytes <= given->size; i++)
    if (!number_fits(limit->comparison, number_at(given, i, limit->bytes),
                     number_at(other, i, limit->bytes)))
      return false;
  return true;
}

const char *vocl_device_lacks(const struct vocl_facts *given, const struct vocl_facts *other)
{
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const struct vocl_fact *its = vocl_fact_find(given, limits[i].what);
    const struct vocl_fact *others = vocl_fact_find(other, limits[i].what);
    if (its != NULL && (others == NULL || !limit_fits(&limits[i], its, others)))
      return limits[i].lacks;
  }
  return NULL;
}

bool vocl_device_is_same_product(const struct vocl_facts *given, const struct vocl_facts *other)
{
  static const cl_device_info same[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION,
                                        CL_DRIVER_VERSION};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    const struct vocl_fact *its = vocl_fact_find(given, same[i]);
    const struct vocl_fact *others = vocl_fact_find(other, same[i]);
    if (its == NULL || others == NULL || !same_bytes(its, others))
      return false;
  }
  return true;
}
