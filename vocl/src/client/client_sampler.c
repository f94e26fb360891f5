/* Samplers. */
#include "client/client_entries.h"
#include "client/client_objects.h"

#include <stdlib.h>

static void sampler_end(struct vocl_handle *handle)
{
  struct vocl_cl_sampler *sampler = (struct vocl_cl_sampler *)handle;
  vocl_handle_unref(&sampler->context->handle);
  free(sampler->properties.bytes);
}

static struct cwi_objects sampler_objects = CWI_OBJECTS(struct vocl_cl_sampler);
const struct vocl_kind vocl_kind_sampler = {&sampler_objects, VOCL_SAMPLER, CL_INVALID_SAMPLER,
                                            NULL, sampler_end};

static cl_int sampler_make(cl_context in, struct vocl_making *making,
                           struct vocl_cl_sampler **sampler)
{
  struct vocl_cl_context *context = vocl_context_find(in);
  if (context == NULL)
    return CL_INVALID_CONTEXT;
  cl_int code = CL_SUCCESS;
  making->sort = VOCL_SAMPLER;
  making->parent = context->handle.object;
  *sampler = vocl_handle_make(&vocl_kind_sampler, making, &code);
  if (*sampler == NULL)
    return code;
  vocl_handle_ref(&context->handle);
  (*sampler)->context = context;
  (*sampler)->normalized = making->normalized;
  (*sampler)->addressing = making->addressing;
  (*sampler)->filter = making->filter;
  return CL_SUCCESS;
}

cl_sampler vocl_clCreateSampler(cl_context context, cl_bool normalized,
                                cl_addressing_mode addressing, cl_filter_mode filter,
                                cl_int *errcode_ret)
{
  struct vocl_making making = {
      .normalized = normalized, .addressing = addressing, .filter = filter};
  struct vocl_cl_sampler *sampler = NULL;
  const cl_int code = sampler_make(context, &making, &sampler);
  return vocl_return_created(sampler, code, errcode_ret);
}

/* Reads the properties, each of which may occur once. Sets *words to the number of words
 * including the final 0. */
static cl_int sampler_read(const cl_sampler_properties *properties, struct vocl_making *making,
                           size_t *words)
{
  unsigned seen = 0;
  *words = 0;
  if (properties == NULL)
    return CL_SUCCESS;
  for (; properties[*words] != 0; *words += 2) {
    const cl_sampler_properties name = properties[*words];
    const cl_sampler_properties value = properties[*words + 1];
    if (name == CL_SAMPLER_NORMALIZED_COORDS)
      making->normalized = (cl_bool)value;
    else if (name == CL_SAMPLER_ADDRESSING_MODE)
      making->addressing = (cl_addressing_mode)value;
    else if (name == CL_SAMPLER_FILTER_MODE)
      making->filter = (cl_filter_mode)value;
    else
      return CL_INVALID_VALUE;
    const unsigned bit = 1u << (name & 31);
    if ((seen & bit) != 0)
      return CL_INVALID_VALUE;
    seen |= bit;
  }
  (*words)++;
  return CL_SUCCESS;
}

cl_sampler vocl_clCreateSamplerWithProperties(cl_context context,
                                              const cl_sampler_properties *properties,
                                              cl_int *errcode_ret)
{
  struct vocl_making making = {
      .normalized = CL_TRUE, .addressing = CL_ADDRESS_CLAMP, .filter = CL_FILTER_NEAREST};
  struct vocl_cl_sampler *sampler = NULL;
  size_t words = 0;
  cl_int code = vocl_context_find(context) == NULL ? CL_INVALID_CONTEXT
                                                   : sampler_read(properties, &making, &words);
  if (code == CL_SUCCESS)
    code = sampler_make(context, &making, &sampler);
  if (code == CL_SUCCESS &&
      !vocl_blob_copy(&sampler->properties, properties, words * sizeof *properties)) {
    vocl_handle_unref(&sampler->handle);
    code = CL_OUT_OF_HOST_MEMORY;
  }
  return vocl_return_created(sampler, code, errcode_ret);
}

cl_int vocl_clGetSamplerInfo(cl_sampler sampler, cl_sampler_info what, size_t size, void *value,
                             size_t *size_ret)
{
  static const struct vocl_query_row rows[] = {
      VOCL_ANSWER_COUNT(CL_SAMPLER_REFERENCE_COUNT),
      VOCL_ANSWER_FIELD(CL_SAMPLER_CONTEXT, vocl_cl_sampler, context),
      VOCL_ANSWER_FIELD(CL_SAMPLER_NORMALIZED_COORDS, vocl_cl_sampler, normalized),
      VOCL_ANSWER_FIELD(CL_SAMPLER_ADDRESSING_MODE, vocl_cl_sampler, addressing),
      VOCL_ANSWER_FIELD(CL_SAMPLER_FILTER_MODE, vocl_cl_sampler, filter),
      VOCL_ANSWER_BLOB(CL_SAMPLER_PROPERTIES, vocl_cl_sampler, properties),
  };
  static const struct vocl_query_table answers = {&vocl_kind_sampler, 0, sizeof rows / sizeof *rows,
                                                  rows};
  return vocl_query_answer(&answers, sampler, what,
                           &(struct vocl_query_result){size, value, size_ret});
}
