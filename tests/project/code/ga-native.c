#include <causeway.h>
#include <cwga.h>
#include <ga.h>

void native(double factor);

void native(double factor)
{
#include "block"
}
