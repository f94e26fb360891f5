#include <ga.h>

void sparse(int n, int i, int j, double value, int x, int y);

void sparse(int n, int i, int j, double value, int x, int y)
{
#include "block"
}
