/* Devices that are open: which there are, what is known of them, waiting for them. */
#include "device/device.h"

#include "base/objects.h"
#include "team/world.h"

static struct cwi_objects devices = CWI_OBJECTS_NAMED(struct cwi_device, "device", NULL);

cw_device cwi_device_make(void)
{
  return cwi_object_make(&devices);
}

void cwi_device_end(cw_device device)
{
  cwi_object_end(&devices, device);
}

cw_device cwi_device_next(cw_device device)
{
  return cwi_object_next(&devices, device);
}

cw_error cwi_check_device(cw_device device)
{
  if (CWI_LIKELY(cwi_object_lives(&devices, device)))
    return CW_OK;
  if (cwi_world.processes == 0)
    return cwi_not_running();
  return device == NULL ? cwi_misuse("device is NULL; cw_device_open gives one")
                        : cwi_misuse("device is %p, which is no open device (was it closed?)",
                                     (const void *)device);
}

cw_error cw_device_describe(cw_device device, cw_device_facts *facts)
{
  cw_error error = cwi_check_device(device);
  if (error == CW_OK)
    error = cwi_given("facts", facts);
  if (error == CW_OK)
    *facts = device->facts;
  return cwi_in_call("cw_device_describe", error);
}

/* --- Waiting ---------------------------------------------------------------------------------- */

cw_error cwi_device_leave(cw_device device, enum cwi_device_queue queue, cw_error error,
                          struct cwi_device_crossing *crossing)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, error);
  const cw_error marked = device->backend->mark(device->opened, queue, &crossing->mark);
  pthread_mutex_unlock(&device->lock);
  cwi_first_note(&first, marked);
  crossing->device = marked == CW_OK ? device : NULL;
  return cwi_first_return(&first);
}

cw_error cwi_device_arrive(struct cwi_device_crossing *crossing)
{
  cw_device device = crossing->device;
  if (device == NULL)
    return CW_OK;
  crossing->device = NULL;
  const cw_error error = device->backend->wait(device->opened, crossing->mark);
  pthread_mutex_lock(&device->lock);
  device->backend->forget(device->opened, crossing->mark);
  pthread_mutex_unlock(&device->lock);
  return error;
}

cw_error cwi_device_pass(cw_device device, enum cwi_device_queue queue, cw_error error)
{
  struct cwi_device_crossing crossing;
  struct cwi_first_error first;
  cwi_first_begin(&first, cwi_device_leave(device, queue, error, &crossing));
  cwi_first_note(&first, cwi_device_arrive(&crossing));
  return cwi_first_return(&first);
}

cw_error cwi_device_finish(cw_device device)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, CW_OK);
  for (int queue = 0; queue < CWI_DEVICE_QUEUES; queue++) {
    pthread_mutex_lock(&device->lock);
    cwi_first_note(&first, cwi_device_pass(device, (enum cwi_device_queue)queue, CW_OK));
  }
  return cwi_first_return(&first);
}

cw_error cw_device_finish(cw_device device)
{
  const cw_error checked = cwi_check_device(device);
  return cwi_in_call("cw_device_finish", checked == CW_OK ? cwi_device_finish(device) : checked);
}
