/* Parts of the test of contexts of two devices.
 *
 * many.c         each device sees what the other one has written
 * many_eventless.c  failures of one device that have no event */
#pragma once

#include "vocl.h"

/* Checks failures of commands without an event. `its_device` belongs to a failing vendor
 * (failing.h). */
void many_check_unreported(cl_device_id its_device);
