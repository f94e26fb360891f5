/* Programs and kernels of random programs. Kernels compute with whole numbers, so that every device
 * finds the same. */
#include "random.h"

#include <stdlib.h>
#include <string.h>

static const char *text =
    "typedef struct { uint factor; ushort plus; uchar shift; } change;\n"
    "kernel void scale(global uint *a, change c, uint n)\n"
    "{ size_t i = get_global_id(0); if (i < n) a[i] = a[i] * c.factor + c.plus >> c.shift; }\n"
    "kernel void combine(global uint *out, global const uint *x, global const uint *y, uint4 f,\n"
    "                    uint n)\n"
    "{ size_t i = get_global_id(0); if (i < n) out[i] = x[i] * f.x + (y ? y[i] * f.y : f.z); }\n"
    "kernel void sums(global uint *out, global const uint *in, local uint *room, uint n)\n"
    "{ size_t l = get_local_id(0), i = get_global_id(0); room[l] = i < n ? in[i] : 0;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (l == 0) { uint s = OFFSET; for (size_t k = 0; k < get_local_size(0); k++) s += "
    "room[k];\n"
    "    if (get_group_id(0) < n) out[get_group_id(0)] = s; } }\n"
    "kernel void box(global uint *out, uint n, constant uint *table)\n"
    "{ size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) "
    "+\n"
    "    get_global_id(0);\n"
    "  if (i < n) out[i] = table[i % 4] + get_local_size(0) + 7 * get_global_offset(1); }\n"
    "kernel void draw(write_only image2d_t image, uint seed)\n"
    "{ int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
    "  if (p.x < get_image_width(image) && p.y < get_image_height(image))\n"
    "    write_imageui(image, p, (uint4)(p.x * seed, p.y, seed, p.x ^ p.y) & 255); }\n"
    "kernel void look(global uint *out, uint n, read_only image2d_t image, sampler_t sampler)\n"
    "{ size_t i = get_global_id(0); uint4 v = read_imageui(image, sampler, (int2)(i % 97, i / "
    "97));\n"
    "  if (i < n) out[i] = v.x + v.y * 256 + v.z * 65536 + (v.w << 24); }\n"
    "kernel void counter(global uint *out) { atomic_add(out, (uint)get_global_id(0)); }\n";

enum { SCALE, COMBINE, SUMS, BOX, DRAW, READ_IMAGE, COUNTER };
static const char *names[KERNELS] = {"scale", "combine", "sums", "box", "draw", "look", "counter"};

static cl_program built_from_binary(struct random_program *run, cl_program program)
{
  const cl_uint count = run->device_count;
  size_t sizes[DEVICES] = {0};
  unsigned char *binaries[DEVICES] = {NULL};
  cl_int code =
      cl->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, count * sizeof *sizes, sizes, NULL);
  for (cl_uint i = 0; i < count; i++)
    binaries[i] = (unsigned char *)long_memory(run, sizes[i]);
  code |= cl->clGetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof *binaries,
                               (void *)binaries, NULL);
  log_call(run, code, "binary %d", sizes[count - 1] > 0);
  cl_int loaded[DEVICES] = {0};
  cl_program again = cl->clCreateProgramWithBinary(run->context, count, run->devices, sizes,
                                                   (const unsigned char **)binaries, loaded, &code);
  log_call(run, code, "program of binary, %d", loaded[count - 1]);
  log_call(run, cl->clReleaseProgram(program), "release program");
  log_call(run, cl->clBuildProgram(again, 0, NULL, "-DOFFSET=5", NULL, NULL), "build of binary");
  return again;
}

static cl_program build(struct random_program *run)
{
  const size_t half = strlen(text) / 2;
  const char *parts[] = {text, text + half};
  const size_t lengths[] = {half, 0};
  cl_int code = CL_SUCCESS;
  cl_program program = cl->clCreateProgramWithSource(run->context, 2, parts, lengths, &code);
  log_call(run, code, "program");
  if (chance(run, 20)) {
    log_call(run,
             cl->clCompileProgram(program, run->device_count, run->devices, "-DOFFSET=5", 0, NULL,
                                  NULL, NULL, NULL),
             "compile");
    cl_program linked =
        cl->clLinkProgram(run->context, 0, NULL, "", 1, &program, NULL, NULL, &code);
    log_call(run, code, "link");
    log_call(run, cl->clReleaseProgram(program), "release program");
    return linked;
  }
  const char *options = chance(run, 90) ? "-DOFFSET=5" : "-cl-kernel-arg-info -DOFFSET=5";
  log_call(run, cl->clBuildProgram(program, 0, NULL, options, NULL, NULL), "build");
  return chance(run, 20) ? built_from_binary(run, program) : program;
}

void kernels_begin(struct random_program *run)
{
  run->program = build(run);
  cl_kernel all[KERNELS];
  cl_uint count = 0;
  if (chance(run, 30)) {
    log_call(run, cl->clCreateKernelsInProgram(run->program, KERNELS, all, &count), "kernels");
    for (cl_uint i = 0; i < count; i++) {
      char name[32] = "";
      cl->clGetKernelInfo(all[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
      for (int k = 0; k < KERNELS; k++)
        if (strcmp(name, names[k]) == 0)
          run->kernels[k] = all[i];
    }
  } else {
    for (int k = 0; k < KERNELS; k++) {
      cl_int code = CL_SUCCESS;
      run->kernels[k] = cl->clCreateKernel(run->program, names[k], &code);
      log_call(run, code, "kernel %s", names[k]);
    }
  }
}

void kernels_end(struct random_program *run)
{
  const bool program_first = chance(run, 50);
  if (program_first)
    log_call(run, cl->clReleaseProgram(run->program), "release program");
  for (int k = 0; k < KERNELS; k++)
    log_call(run, cl->clReleaseKernel(run->kernels[k]), "release kernel");
  if (!program_first)
    log_call(run, cl->clReleaseProgram(run->program), "release program");
}

static struct memory *buffer_for_kernels(struct random_program *run, bool writes)
{
  struct memory *memory = any_buffer(run);
  if (memory == NULL || memory->size < 64 ||
      !(writes ? memory->kernels_write : memory->kernels_read))
    return NULL;
  return memory;
}

/* Arguments of one launch. */
struct launch {
  cl_kernel kernel;
  cl_uint argument;
  cl_int code;
  cl_uint dimensions;
  size_t global[3], local[3], offset[3];
  bool has_offset;
  struct use uses[4];
  int use_count;
};

static void give(struct launch *launch, size_t size, const void *value)
{
  launch->code |= cl->clSetKernelArg(launch->kernel, launch->argument++, size, value);
}

static void give_number(struct launch *launch, cl_uint number)
{
  give(launch, sizeof number, &number);
}

static void give_memory(struct launch *launch, struct memory *memory, bool writes)
{
  give(launch, sizeof(cl_mem), memory != NULL ? (void *)&memory->handle : NULL);
  if (memory != NULL)
    launch->uses[launch->use_count++] = (struct use){memory, writes};
}

static cl_uint numbers_in(const struct memory *memory)
{
  const size_t numbers = memory->size / sizeof(cl_uint);
  return (cl_uint)(numbers < 3000 ? numbers : 3000);
}

static cl_uint least(const struct memory *a, const struct memory *b)
{
  return numbers_in(a) < numbers_in(b) ? numbers_in(a) : numbers_in(b);
}

/* Returns true if the part of a buffer begins at an address where a number can lie. */
static bool aligned(const struct memory *memory)
{
  return memory != NULL && memory->part % sizeof(cl_uint) == 0;
}

static bool give_scale(struct random_program *run, struct launch *launch)
{
  struct memory *memory = buffer_for_kernels(run, true);
  if (!aligned(memory) || !memory->kernels_read)
    return false;
  struct {
    cl_uint factor;
    cl_ushort plus;
    cl_uchar shift, rest;
  } change = {(cl_uint)draw(run, 1000), (cl_ushort)draw(run, 65536), (cl_uchar)draw(run, 4), 0};
  give_memory(launch, memory, true);
  give(launch, sizeof change, &change);
  give_number(launch, numbers_in(memory));
  launch->global[0] = 64 * (1 + draw(run, 20));
  return true;
}

static bool give_combine(struct random_program *run, struct launch *launch)
{
  struct memory *out = buffer_for_kernels(run, true), *x = buffer_for_kernels(run, false),
                *y = chance(run, 30) ? NULL : buffer_for_kernels(run, false);
  if (!aligned(out) || !aligned(x) || out->past == x->past || (y != NULL && y->past == out->past))
    return false;
  cl_uint n = least(out, x);
  if (y != NULL && numbers_in(y) < n)
    n = numbers_in(y);
  const cl_uint factors[4] = {(cl_uint)draw(run, 99), (cl_uint)draw(run, 99),
                              (cl_uint)draw(run, 99), 0};
  give_memory(launch, out, true);
  give_memory(launch, x, false);
  give_memory(launch, y, false);
  give(launch, sizeof factors, factors);
  give_number(launch, n);
  launch->global[0] = 64 * (1 + draw(run, 20));
  return true;
}

static bool give_sums(struct random_program *run, struct launch *launch)
{
  struct memory *out = buffer_for_kernels(run, true), *in = buffer_for_kernels(run, false);
  if (!aligned(out) || !aligned(in) || out->past == in->past)
    return false;
  launch->local[0] = chance(run, 50) ? 8 : 32;
  launch->global[0] = launch->local[0] * (1 + draw(run, 10));
  give_memory(launch, out, true);
  give_memory(launch, in, false);
  give(launch, launch->local[0] * sizeof(cl_uint), NULL);
  give_number(launch, least(out, in));
  return true;
}

static bool give_box(struct random_program *run, struct launch *launch)
{
  struct memory *out = buffer_for_kernels(run, true), *table = buffer_for_kernels(run, false);
  if (!aligned(out) || !aligned(table) || out->past == table->past)
    return false;
  give_memory(launch, out, true);
  give_number(launch, numbers_in(out));
  give_memory(launch, table, false);
  launch->dimensions = 3;
  launch->has_offset = true;
  for (int i = 0; i < 3; i++) {
    launch->local[i] = 2 + (size_t)i % 2;
    launch->global[i] = launch->local[i] * (1 + draw(run, 4));
  }
  launch->offset[1] = draw(run, 2);
  return true;
}

static bool give_draw(struct random_program *run, struct launch *launch)
{
  struct memory *image = any_image(run);
  if (image == NULL || !image->kernels_write)
    return false;
  give_memory(launch, image, true);
  give_number(launch, (cl_uint)draw(run, 256));
  launch->dimensions = 2;
  launch->global[0] = 16 * (1 + draw(run, 6));
  launch->global[1] = 1 + draw(run, 50);
  return true;
}

static bool give_read_image(struct random_program *run, struct launch *launch)
{
  struct memory *out = buffer_for_kernels(run, true), *image = any_image(run);
  if (!aligned(out) || image == NULL || !image->kernels_read)
    return false;
  cl_int code = CL_SUCCESS;
  cl_sampler sampler =
      cl->clCreateSampler(run->context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
  give_memory(launch, out, true);
  give_number(launch, numbers_in(out));
  give_memory(launch, image, false);
  give(launch, sizeof(cl_sampler), &sampler);
  launch->code |= code | cl->clReleaseSampler(sampler);
  launch->global[0] = 16 * (1 + draw(run, 180));
  return true;
}

static bool give_counter(struct random_program *run, struct launch *launch)
{
  struct memory *out = buffer_for_kernels(run, true);
  if (!aligned(out) || !out->kernels_read)
    return false;
  give_memory(launch, out, true);
  launch->global[0] = 16 * (1 + draw(run, 20));
  launch->has_offset = chance(run, 50);
  launch->offset[0] = draw(run, 50);
  return true;
}

static bool (*const gives[KERNELS])(struct random_program *, struct launch *) = {
    give_scale, give_combine, give_sums, give_box, give_draw, give_read_image, give_counter};

static void launch_kernel(struct random_program *run, size_t which)
{
  struct launch launch = {.kernel = run->kernels[which], .dimensions = 1, .local = {16, 1, 1}};
  if (!gives[which](run, &launch))
    return;
  const bool task = which == COUNTER && chance(run, 20);
  /* PoCL compiles for each local size, which it chooses itself where the program does not. */
  const bool chooses = which == COUNTER && launch.global[0] == 64 && chance(run, 50);
  const size_t *local = chooses ? NULL : launch.local;
  struct ordered ordered;
  order_begin(run, &ordered, launch.uses);
  const cl_int code =
      task ? cl->clEnqueueTask(ordered.queue->handle, launch.kernel, ordered.count, ordered.given,
                               ordered.wanted)
           : cl->clEnqueueNDRangeKernel(ordered.queue->handle, launch.kernel, launch.dimensions,
                                        launch.has_offset ? launch.offset : NULL, launch.global,
                                        local, ordered.count, ordered.given, ordered.wanted);
  log_call(run, launch.code, "arguments of %s", names[which]);
  log_call(run, code, "launch %s of %zu", names[which], launch.global[0]);
  order_end(run, &ordered, code);
}

/* Builds a program with an error, besides the one that was built. */
static void fail_build(struct random_program *run)
{
  const char *wrong = chance(run, 50) ? "kernel void f(global int *a) { a[0] = nowhere; }"
                                      : "kernel void f(global int *a) { a[0] = 1 }";
  cl_int code = CL_SUCCESS;
  cl_program program = cl->clCreateProgramWithSource(run->context, 1, &wrong, NULL, &code);
  log_call(run, code, "wrong program");
  log_call(run, cl->clBuildProgram(program, 1, &run->device, NULL, NULL, NULL), "its build");
  cl_build_status status = 0;
  size_t log = 0;
  cl->clGetProgramBuildInfo(program, run->device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status,
                            NULL);
  code = cl->clGetProgramBuildInfo(program, run->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &log);
  log_call(run, code, "its status %d, a log %d", status, log > 1);
  cl_kernel kernel = cl->clCreateKernel(program, "f", &code);
  log_call(run, code, "its kernel %d", kernel != NULL);
  log_call(run, cl->clReleaseProgram(program), "release program");
}

static void query_kernel(struct random_program *run)
{
  const size_t which = draw(run, KERNELS);
  cl_kernel kernel = run->kernels[which];
  cl_uint arguments = 0;
  size_t written[3] = {0, 0, 0};
  cl_ulong local = 0;
  const cl_int code =
      cl->clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL) |
      cl->clGetKernelWorkGroupInfo(kernel, run->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                   sizeof written, written, NULL) |
      cl->clGetKernelWorkGroupInfo(kernel, run->device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local,
                                   &local, NULL);
  log_call(run, code, "%s has %u arguments, size %zu", names[which], arguments, written[0]);
}

/* Replaces a kernel, which commands may still use, by another one of the same function. */
static void change_kernel(struct random_program *run)
{
  const size_t which = draw(run, KERNELS);
  log_call(run, cl->clReleaseKernel(run->kernels[which]), "release %s", names[which]);
  cl_int code = CL_SUCCESS;
  run->kernels[which] = cl->clCreateKernel(run->program, names[which], &code);
  log_call(run, code, "kernel %s", names[which]);
}

void launch_steps(struct random_program *run)
{
  const size_t kind = draw(run, 40);
  if (kind == 0 && chance(run, 30))
    fail_build(run);
  else if (kind == 1)
    query_kernel(run);
  else if (kind == 2)
    change_kernel(run);
  else
    launch_kernel(run, draw(run, KERNELS));
}
