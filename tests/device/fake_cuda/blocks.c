/* The fake driver's memory. Data is in a memory file that is mapped at a hidden address; device
 * addresses belong to a range that cannot be accessed. Other processes open the file. */
#include "device/fake_cuda/fake.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, JUNK = 0xa5, JUNK_BYTES = 65536 };
static const uint64_t magic = 0x66616b6563756461; /* "fakecuda" */

/* The first page of a block's file. */
struct block_head {
  uint64_t serial;   /* unique among all processes */
  atomic_int opened; /* number of other processes that have it open */
};

/* Content of the handle of cuIpcGetMemHandle. */
struct block_name {
  uint64_t magic, serial, bytes;
  int process, fd;
};

struct pinned {
  struct pinned *next;
  char *host;
  size_t bytes;
};

static struct fake_block *blocks;
static struct pinned *pins;
static uint32_t serials;

struct fake_block *fake_block_of(uint64_t address, size_t bytes)
{
  struct fake_block *block = blocks;
  while (block != NULL && (address < block->address || address - block->address > block->bytes ||
                           bytes > block->bytes - (address - block->address)))
    block = block->next;
  return block;
}

static struct fake_block *block_at(uint64_t address)
{
  struct fake_block *block = blocks;
  while (block != NULL && block->address != address)
    block = block->next;
  return block;
}

static size_t block_used(int device)
{
  size_t used = 0;
  for (struct fake_block *block = blocks; block != NULL; block = block->next)
    used += block->fd >= 0 && block->device == device ? block->bytes : 0;
  return used;
}

static size_t block_whole(size_t bytes)
{
  return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Makes a block. A page after its range separates it from the next one. */
static struct fake_block *block_make(int fd, size_t bytes)
{
  const size_t whole = block_whole(bytes);
  char *file = mmap(NULL, PAGE + whole, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  void *range =
      mmap(NULL, whole + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  struct fake_block *block = calloc(1, sizeof *block);
  if (file == MAP_FAILED || range == MAP_FAILED || block == NULL)
    abort(); /* the machine of a test has enough memory */
  *block = (struct fake_block){.next = blocks,
                               .address = (uint64_t)(uintptr_t)range,
                               .bytes = bytes,
                               .secret = file + PAGE,
                               .file = file,
                               .fd = -1,
                               .device = fake_device_now()};
  blocks = block;
  return block;
}

static void block_free(struct fake_block *block)
{
  struct fake_block **link = &blocks;
  while (*link != block)
    link = &(*link)->next;
  *link = block->next;
  if (block->pending > 0)
    fake_misused("memory of %zu bytes goes while %d copies or kernels use it", block->bytes,
                 block->pending);
  /* The operations continue and their memory stays; only a bug of the tested code leads here. */
  if (block->pending > 0)
    return;
  munmap(block->file, PAGE + block_whole(block->bytes));
  munmap((void *)(uintptr_t)block->address, block_whole(block->bytes) + PAGE);
  if (block->fd >= 0)
    close(block->fd);
  free(block);
}

int cuMemGetInfo_v2(size_t *unused, size_t *all)
{
  FAKE_BEGIN(NEED_CONTEXT);
  *all = (size_t)fake_number("FAKE_CUDA_MEMORY", 1L << 30);
  *unused = *all - block_used(fake_device_now());
  return fake_leave(FAKE_OK);
}

int cuMemAlloc_v2(cwi_cuda_address *address, size_t bytes)
{
  FAKE_BEGIN(NEED_CONTEXT);
  const size_t all = (size_t)fake_number("FAKE_CUDA_MEMORY", 1L << 30);
  if (bytes == 0)
    return fake_leave(FAKE_INVALID_VALUE);
  if (bytes > all - block_used(fake_device_now()))
    return fake_leave(FAKE_OUT_OF_MEMORY);
  const int fd = memfd_create("fake_cuda", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, (off_t)(PAGE + block_whole(bytes))) != 0)
    return fake_leave(FAKE_OUT_OF_MEMORY);
  struct fake_block *block = block_make(fd, bytes);
  block->fd = fd;
  const uint32_t serial = fake_number("FAKE_CUDA_NAMES", 0) != 0 ? (uint32_t)fd : ++serials;
  ((struct block_head *)block->file)->serial = (uint64_t)getpid() << 32 | serial;
  memset(block->secret, JUNK, bytes < JUNK_BYTES ? bytes : JUNK_BYTES);
  *address = block->address;
  return fake_leave(FAKE_OK);
}

int cuMemFree_v2(cwi_cuda_address address)
{
  FAKE_BEGIN_END(NEED_CONTEXT);
  struct fake_block *block = block_at(address);
  if (block == NULL || block->fd < 0) {
    fake_misused("cuMemFree_v2: %#lx is no memory of this process", (unsigned long)address);
    return fake_leave(FAKE_INVALID_VALUE);
  }
  const int opened = atomic_load(&((struct block_head *)block->file)->opened);
  if (opened > 0)
    fake_misused("memory of %zu bytes is freed while %d processes have it open", block->bytes,
                 opened);
  block_free(block);
  return fake_leave(result);
}

/* --- Host memory ------------------------------------------------------------------------------ */

int cuMemHostRegister_v2(void *host, size_t bytes, unsigned flags)
{
  FAKE_BEGIN(NEED_CONTEXT);
  char *from = host;
  if (bytes == 0 || flags > 15 || fake_block_of((uint64_t)(uintptr_t)host, 1) != NULL)
    return fake_leave(FAKE_INVALID_VALUE);
  for (struct pinned *pin = pins; pin != NULL; pin = pin->next)
    if (from < pin->host + pin->bytes && pin->host < from + bytes)
      return fake_leave(FAKE_ALREADY_PINNED);
  struct pinned *made = malloc(sizeof *made);
  if (made == NULL)
    abort();
  *made = (struct pinned){pins, from, bytes};
  pins = made;
  return fake_leave(FAKE_OK);
}

int cuMemHostUnregister(void *host)
{
  FAKE_BEGIN_END(NEED_CONTEXT);
  struct pinned **link = &pins;
  while (*link != NULL && (*link)->host != host)
    link = &(*link)->next;
  struct pinned *pin = *link;
  if (pin == NULL) {
    fake_misused("cuMemHostUnregister: %p is not registered", host);
    return fake_leave(FAKE_NOT_PINNED);
  }
  *link = pin->next;
  free(pin);
  return fake_leave(result);
}

/* --- Other processes -------------------------------------------------------------------------- */

int cuIpcGetMemHandle(struct cwi_device_export *handle, cwi_cuda_address address)
{
  FAKE_BEGIN(NEED_CONTEXT);
  const struct fake_block *block = fake_block_of(address, 1);
  if (block == NULL || block->fd < 0)
    return fake_leave(FAKE_INVALID_VALUE);
  const struct block_name name = {.magic = magic,
                                  .serial = ((struct block_head *)block->file)->serial,
                                  .bytes = block->bytes,
                                  .process = (int)getpid(),
                                  .fd = block->fd};
  memset(handle, 0, sizeof *handle);
  memcpy(handle->bytes, &name, sizeof name);
  return fake_leave(FAKE_OK);
}

/* Returns the block if it is already open; it is then counted, not opened again. */
static struct fake_block *block_opened(const struct block_name *name)
{
  for (struct fake_block *block = blocks; block != NULL; block = block->next)
    if (block->opened > 0 && block->device == fake_device_now() &&
        ((struct block_head *)block->file)->serial == name->serial && block->bytes == name->bytes)
      return block;
  return NULL;
}

/* Returns the file of a block, or -1 if the owner has since reused the file descriptor's number for
 * another file. */
static int block_file(const struct block_name *name)
{
  char path[64];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", name->process, name->fd);
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0 || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                 status.st_size == (off_t)(PAGE + block_whole(name->bytes))))
    return fd;
  close(fd);
  return -1;
}

static struct fake_block *block_open(const struct block_name *name)
{
  const int fd = block_file(name);
  if (fd < 0)
    return NULL;
  struct fake_block *block = block_make(fd, name->bytes);
  close(fd);
  struct block_head *head = block->file;
  if (head->serial == name->serial) {
    atomic_fetch_add(&head->opened, 1);
    return block;
  }
  block_free(block);
  return NULL;
}

int cuIpcOpenMemHandle_v2(cwi_cuda_address *address, struct cwi_device_export handle,
                          unsigned flags)
{
  FAKE_BEGIN(NEED_CONTEXT);
  struct block_name name;
  memcpy(&name, handle.bytes, sizeof name);
  if (name.magic != magic || flags != 1)
    return fake_leave(FAKE_INVALID_VALUE);
  if (name.process == (int)getpid())
    return fake_leave(FAKE_INVALID_CONTEXT);
  struct fake_block *block = block_opened(&name);
  if (block == NULL)
    block = block_open(&name);
  if (block == NULL)
    return fake_leave(FAKE_INVALID_VALUE);
  block->opened++;
  *address = block->address;
  return fake_leave(FAKE_OK);
}

int cuIpcCloseMemHandle(cwi_cuda_address address)
{
  FAKE_BEGIN_END(NEED_CONTEXT);
  struct fake_block *block = block_at(address);
  if (block == NULL || block->opened == 0) {
    fake_misused("cuIpcCloseMemHandle: %#lx is not open", (unsigned long)address);
    return fake_leave(FAKE_INVALID_VALUE);
  }
  if (--block->opened == 0) {
    atomic_fetch_sub(&((struct block_head *)block->file)->opened, 1);
    block_free(block);
  }
  return fake_leave(result);
}

int fake_blocks_left(bool report)
{
  int left = 0;
  for (struct fake_block *block = blocks; block != NULL; block = block->next, left++)
    if (report)
      fake_misused("memory of %zu bytes is still %s", block->bytes,
                   block->fd >= 0 ? "allocated" : "open");
  for (struct pinned *pin = pins; pin != NULL; pin = pin->next, left++)
    if (report)
      fake_misused("host memory of %zu bytes is still registered", pin->bytes);
  return left;
}
