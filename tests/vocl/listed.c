/* What OpenCL promises and random programs do not reach, one line for each question: the same lines
 * natively, through libcw-vocl, and through proxies (random.sh compares them).
 *
 *   vocl_listed LIBRARY DEVICE ... */
#include "vocl/vocl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- files that programs include -----------------------------------------------------------------
 */

static const char kernel_text[] = "\nkernel void k(global int *out) { *out = VALUE; }\n";

static void file_write(const char *name, const char *text)
{
  FILE *file = fopen(name, "w");
  must(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0, "%s cannot be written", name);
}

static int kernel_value(cl_program program)
{
  cl_int code = CL_SUCCESS;
  int value = -1;
  const size_t one = 1;
  cl_kernel kernel = cl->clCreateKernel(program, "k", &code);
  must_be(code, CL_SUCCESS, "clCreateKernel");
  cl_mem out = cl->clCreateBuffer(context, 0, sizeof value, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateBuffer");
  must_be(cl->clSetKernelArg(kernel, 0, sizeof out, &out), CL_SUCCESS, "clSetKernelArg");
  must_be(cl->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL), CL_SUCCESS,
          "clEnqueueNDRangeKernel");
  must_be(cl->clEnqueueReadBuffer(queue, out, 1, 0, sizeof value, &value, 0, NULL, NULL),
          CL_SUCCESS, "clEnqueueReadBuffer");
  cl->clReleaseMemObject(out);
  cl->clReleaseKernel(kernel);
  return value;
}

/* Prints what came of a build: the kernel's value, or the message about a header's line. */
static void print_build(cl_program program, cl_int code, const char *include, const char *given)
{
  char options[4096] = "", log[65536] = "";
  cl->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options,
                            NULL);
  cl->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
  printf("%s with '%s': %d, options '%s'", include, given, code, options);
  if (code == CL_SUCCESS)
    printf(", value %d\n", kernel_value(program));
  else
    printf(", %s\n", strstr(log, "not found") != NULL ? "not found" : log);
}

static cl_program new_program(const char *text)
{
  cl_int code = CL_SUCCESS;
  cl_program program = cl->clCreateProgramWithSource(context, 1, &text, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateProgramWithSource");
  return program;
}

static void try_include(const char *include, const char *options)
{
  char text[4096];
  snprintf(text, sizeof text, "#include %s%s", include, kernel_text);
  cl_program program = new_program(text);
  print_build(program, cl->clBuildProgram(program, 1, &device, options, NULL, NULL), include,
              options);
  cl->clReleaseProgram(program);
}

/* A header of the program's own that includes a file. */
static void try_compile(void)
{
  const char *const name = "own.h";
  cl_int code = CL_SUCCESS;
  cl_program header = new_program("#include <plain.h>\n"),
             program = new_program("#include <own.h>\n"
                                   "kernel void k(global int *out) { *out = VALUE; }\n");
  code = cl->clCompileProgram(program, 1, &device, "-I folder", 1, &header, (const char **)&name,
                              NULL, NULL);
  printf("compiled: %d\n", code);
  cl_program linked = cl->clLinkProgram(context, 1, &device, "", 1, &program, NULL, NULL, &code);
  print_build(linked, code, "own.h", "");
  cl->clReleaseProgram(linked);
  cl->clReleaseProgram(program);
  cl->clReleaseProgram(header);
}

/* In a folder that the proxies are not in. */
static void try_includes(void)
{
  char folder[] = "/tmp/vocl-listed-XXXXXX", options[128];
  must(mkdtemp(folder) != NULL && chdir(folder) == 0 && mkdir("folder", 0700) == 0 &&
           mkdir("folder/below", 0700) == 0 && mkdir("other", 0700) == 0,
       "%s: no folders", folder);
  file_write("here.h", "#define VALUE 1\n");
  file_write("folder/plain.h", "#define VALUE 2\n");
  file_write("folder/deep.h", "#include \"below/deeper.h\"\n");
  file_write("folder/below/deeper.h", "#include \"../../other/aside.h\"\n");
  file_write("other/aside.h", "#ifndef VALUE\n#define VALUE 3\n#endif\n");
  file_write("other/bad.h", "#error bad\n");
  file_write("other/plain.h", "#define VALUE 4\n");
  try_include("\"here.h\"", "");
  try_include("<plain.h>", "-Iother/ -I folder");
  try_include("NAME", "-I other/../folder -DNAME=<deep.h>");
  try_include("\"bad.h\"", "-I other");
  try_include("\"nowhere.h\"", "-I other");
  snprintf(options, sizeof options, "-I%s/folder", folder);
  char text[4096];
  snprintf(text, sizeof text, "#include <deep.h>%s", kernel_text);
  cl_program program = new_program(text);
  printf("a whole path: %d", cl->clBuildProgram(program, 1, &device, options, NULL, NULL));
  printf(", value %d\n", kernel_value(program));
  cl->clReleaseProgram(program);
  try_compile();
  static const char *const files[] = {
      "here.h",      "folder/plain.h", "folder/deep.h",        "other/aside.h",
      "other/bad.h", "other/plain.h",  "folder/below/deeper.h"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    unlink(files[i]);
  rmdir("folder/below");
  rmdir("folder");
  rmdir("other");
  must(chdir("/") == 0 && rmdir(folder) == 0, "%s stays", folder);
}

int main(int argc, char **argv)
{
  cl_int code = CL_SUCCESS;
  must(argc >= 3, "usage: vocl_listed LIBRARY DEVICE ...");
  vocl_open(argv[1]);
  vocl_choose(strtoul(argv[2], NULL, 10));
  context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateContext");
  queue = cl->clCreateCommandQueue(context, device, 0, &code);
  must_be(code, CL_SUCCESS, "clCreateCommandQueue");
  try_includes();
  cl->clReleaseCommandQueue(queue);
  cl->clReleaseContext(context);
  return 0;
}
