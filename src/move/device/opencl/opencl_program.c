/* Compiles OpenCL C for the OpenCL back end and reports the compiler's messages. */
#include "device/opencl/opencl_program.h"

#include <stdlib.h>
#include <string.h>

#include "device/opencl/opencl_queue.h"

struct cwi_opencl_program {
  char *text, *options;
  cl_program program;
  struct cwi_opencl_program *next;
};

static void program_free(struct cwi_opencl_program *program)
{
  if (program->program != NULL)
    (void)cwi_opencl.clReleaseProgram(program->program);
  free(program->text);
  free(program->options);
  free(program);
}

/* Returns the compiler's log without trailing white space, or NULL if there is none. The caller
 * frees it. */
static char *program_log(cl_program program, cl_device_id device)
{
  size_t bytes = 0;
  if (cwi_opencl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) !=
      CL_SUCCESS)
    return NULL;
  char *log = calloc(1, bytes + 1);
  if (log == NULL)
    return NULL;
  if (cwi_opencl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) !=
      CL_SUCCESS)
    log[0] = '\0';
  size_t length = strlen(log);
  while (length > 0 && strchr(" \r\n", log[length - 1]) != NULL)
    log[--length] = '\0';
  return log;
}

static cw_error program_compile(const char *name, cl_context context, cl_device_id device,
                                struct cwi_opencl_program *program)
{
  cl_int code = CL_SUCCESS;
  const char *text = program->text;
  program->program = cwi_opencl.clCreateProgramWithSource(context, 1, &text, NULL, &code);
  if (program->program == NULL)
    return cwi_opencl_error(name, "clCreateProgramWithSource", code);
  code = cwi_opencl.clBuildProgram(program->program, 1, &device, program->options, NULL, NULL);
  if (code == CL_SUCCESS)
    return CW_OK;
  char *log = program_log(program->program, device);
  const cw_error error =
      cwi_outside("%s: the kernel's source does not compile with the options \"%s\": "
                  "clBuildProgram returned %d %s, and the compiler reported: %s",
                  name, program->options, code, cwi_opencl_error_name(code),
                  log != NULL && log[0] != '\0' ? log : "(nothing)");
  free(log);
  return error;
}

cw_error cwi_opencl_build(const char *name, cl_context context, cl_device_id device,
                          struct cwi_opencl_program **programs, const cw_kernel_source *source,
                          struct cwi_opencl_program **program)
{
  if (source->opencl == NULL)
    return cwi_misuse("%s: the source has no OpenCL C: set cw_kernel_source.opencl", name);
  const char *options = source->options != NULL ? source->options : "";
  for (struct cwi_opencl_program *known = *programs; known != NULL; known = known->next)
    if (strcmp(known->text, source->opencl) == 0 && strcmp(known->options, options) == 0) {
      *program = known;
      return CW_OK;
    }
  struct cwi_opencl_program *new = calloc(1, sizeof *new);
  if (new == NULL)
    return cwi_outside("there is no memory for a program");
  new->text = strdup(source->opencl);
  new->options = strdup(options);
  const cw_error error = new->text != NULL &&new->options != NULL
                             ? program_compile(name, context, device, new)
                             : cwi_outside("there is no memory for a program");
  if (error != CW_OK) {
    program_free(new);
    return error;
  }
  new->next = *programs;
  *programs = new;
  *program = new;
  return CW_OK;
}

void cwi_opencl_programs_end(struct cwi_opencl_program **programs)
{
  while (*programs != NULL) {
    struct cwi_opencl_program *program = *programs;
    *programs = program->next;
    program_free(program);
  }
}

cw_error cwi_opencl_find(const char *name, const struct cwi_opencl_program *program,
                         const char *kernel_name, cl_kernel *kernel)
{
  cl_int code = CL_SUCCESS;
  *kernel = cwi_opencl.clCreateKernel(program->program, kernel_name, &code);
  if (*kernel != NULL)
    return CW_OK;
  if (code == CL_INVALID_KERNEL_NAME)
    return cwi_misuse("%s: the source has no kernel %s", name, kernel_name);
  return cwi_opencl_error(name, "clCreateKernel", code);
}
