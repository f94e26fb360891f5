/* Devices in several lives of Causeway: objects that a program leaves open end with cw_finalize,
 * including threads, and their handles become invalid. Kernels whose tables and names have been
 * freed. A child process. A device that is closed while another thread makes kernels. */
#include "kit/native.h"

#include <causeway/device.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 1000, LIVES = 3 };

static int thread_level;

static void add_one(void *const *arguments, const size_t global[3])
{
  int64_t *words = arguments[0];
  for (size_t i = 0; i < global[0]; i++)
    words[i] += 1;
}

static void add_ten(void *const *arguments, const size_t global[3])
{
  int64_t *words = arguments[0];
  for (size_t i = 0; i < global[0]; i++)
    words[i] += 10;
}

static void launch(cw_kernel kernel, void *memory)
{
  const cw_kernel_argument argument = {.memory = memory};
  KIT_OK(cw_kernel_launch(
      kernel, &(cw_kernel_launch_options){.arguments = &argument, .count = 1, .global = {WORDS}}));
}

/* Changes the table of kernels and a name between calls. Each call uses the contents that they have
 * when it is made. */
static void try_tables(cw_device device, int64_t *memory)
{
  char name[] = "add";
  cw_host_function table[2] = {{name, add_one}, {NULL, NULL}};
  const cw_kernel_source source = {.functions = table};
  cw_kernel one = NULL, ten = NULL, again = NULL;
  int64_t words[WORDS] = {0};
  KIT_OK(cw_put(words, memory, sizeof words, kit_me()));
  KIT_MUST(cw_kernel_create(device, &source, "add", &one));
  table[0].function = add_ten;
  KIT_MUST(cw_kernel_create(device, &source, "add", &ten));
  strcpy(name, "???");
  KIT_MISUSE("'add'", cw_kernel_create(device, &source, "add", &again));
  strcpy(name, "add");
  KIT_MUST(cw_kernel_create(device, &source, "add", &again));
  launch(one, memory);
  launch(ten, memory);
  launch(again, memory);
  KIT_OK(cw_kernel_free(&one));
  KIT_OK(cw_kernel_free(&ten));
  KIT_OK(cw_kernel_free(&again)); /* they may still be running */
  KIT_OK(cw_device_finish(device));
  KIT_OK(cw_get(words, memory, sizeof words, kit_me()));
  kit_check_long(words[0], 21, "one, ten and ten");
  kit_check_long(words[WORDS - 1], 21, "one, ten and ten");
}

/* Transfers between two devices of this process, and a kernel that gets memory of the other device.
 * */
static void try_two(cw_device first, cw_device second, int64_t *one, int64_t *other)
{
  static const cw_host_function table[] = {{"add", add_one}, {NULL, NULL}};
  cw_kernel kernel = NULL;
  int64_t words[WORDS], got[WORDS] = {0};
  for (int i = 0; i < WORDS; i++)
    words[i] = i;
  KIT_OK(cw_put(words, one, sizeof words, kit_me()));
  KIT_OK(cw_device_put(one, other, sizeof words, kit_me()));
  KIT_OK(cw_get(got, other, sizeof got, kit_me()));
  kit_check_bytes(got, words, sizeof got, "from one device of mine to the other");
  KIT_MUST(cw_kernel_create(first, &(cw_kernel_source){.functions = table}, "add", &kernel));
  const cw_kernel_argument argument = {.memory = other};
  KIT_MISUSE("kernel's device",
             cw_kernel_launch(kernel, &(cw_kernel_launch_options){
                                          .arguments = &argument, .count = 1, .global = {1}}));
  KIT_MISUSE("1 kernels", cw_device_close(&first));
  KIT_OK(cw_kernel_free(&kernel));
  cw_device_facts facts;
  KIT_OK(cw_device_describe(second, &facts));
  kit_check_long(facts.number, 2, "the second device's number");
}

/* The child may exit in any way; the objects that it has inherited belong to the parent. */
static void try_child(int64_t *memory)
{
  int status = -1;
  int64_t word = 77;
  const pid_t child = fork();
  if (child == 0)
    _exit(5);
  waitpid(child, &status, 0);
  kit_check(WIFEXITED(status) && WEXITSTATUS(status) == 5, "the child's status is %d", status);
  KIT_OK(cw_put(&word, memory, sizeof word, kit_me()));
  word = 0;
  KIT_OK(cw_get(&word, memory, sizeof word, kit_me()));
  kit_check_long(word, 77, "after a child");
}

static const cw_host_function adding[] = {{"add", add_one}, {NULL, NULL}};

/* Makes kernels until the device is closed. */
static void *make_kernels(void *device)
{
  cw_kernel kernel = NULL;
  while (CW_MAY_FAIL(cw_kernel_create(device, &(cw_kernel_source){.functions = adding}, "add",
                                      &kernel)) == CW_OK ||
         strstr(cw_error_message(), "being closed") != NULL)
    KIT_OK(cw_kernel_free(&kernel));
  kit_check(strstr(cw_error_message(), "device is") != NULL, "the last kernel: %s",
            cw_error_message());
  return NULL;
}

/* The closing thread finds either no kernel, or one that keeps the device open. */
static void try_closing(void)
{
  cw_device device = NULL;
  pthread_t thread;
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST, .number = 2}, &device));
  pthread_create(&thread, NULL, make_kernels, device);
  while (CW_MAY_FAIL(cw_device_close(&device)) != CW_OK)
    kit_check(strstr(cw_error_message(), "kernels") != NULL, "cw_device_close: %s",
              cw_error_message());
  pthread_join(thread, NULL);
}

static void live(int life, bool tidy)
{
  static cw_device old_device;
  static cw_kernel old_kernel;
  static void *old_address;
  static const cw_host_function table[] = {{"add", add_one}, {NULL, NULL}};
  cw_device first = NULL, second = NULL;
  cw_region one = NULL, other = NULL;
  cw_kernel kernel = NULL;
  void *ones[16], *others[16];
  int64_t word = life;
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  const int me = kit_me(), next = (me + 1) % kit_processes();
  if (old_device != NULL) {
    cw_device_facts facts;
    KIT_MISUSE("device is", cw_device_describe(old_device, &facts));
    KIT_MISUSE("kernel is", cw_kernel_launch(old_kernel, &(cw_kernel_launch_options){0}));
    KIT_MISUSE("remote", cw_put(&word, old_address, sizeof word, me));
  }
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST, .number = 1}, &first));
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST, .number = 2}, &second));
  KIT_MUST(cw_region_create_on(cw_team_world(), first, WORDS * 8, &one, ones));
  KIT_MUST(cw_region_create_on(cw_team_world(), second, WORDS * 8, &other, others));
  try_tables(first, ones[me]);
  try_two(first, second, ones[me], others[me]);
  try_child(ones[me]);
  if (thread_level == MPI_THREAD_MULTIPLE)
    try_closing();
  KIT_MUST(cw_kernel_create(first, &(cw_kernel_source){.functions = table}, "add", &kernel));
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_device_accumulate(CW_LONG, NULL, ones[me], others[next], WORDS * 8, next));
  KIT_OK(cw_barrier(cw_team_world()));
  if (tidy) {
    KIT_OK(cw_kernel_free(&kernel));
    KIT_OK(cw_region_free(cw_team_world(), &one));
    KIT_OK(cw_region_free(cw_team_world(), &other));
    KIT_OK(cw_device_close(&first));
    KIT_OK(cw_device_close(&second));
  } else {
    launch(kernel, ones[me]); /* may still be running */
  }
  old_device = first;
  old_kernel = kernel;
  old_address = ones[me];
  KIT_MUST(cw_finalize());
}

int main(int argc, char **argv)
{
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &thread_level);
  kit_start(&argc, &argv, "device_lives");
  const long tasks = kit_threads();
  const bool tidy = argc > 1 && strcmp(argv[1], "tidy") == 0;
  for (int life = 0; life < LIVES; life++) {
    live(life, tidy);
    kit_check_threads(tasks, "threads after cw_finalize");
  }
  return kit_finish();
}
