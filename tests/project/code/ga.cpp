#include <ga++.h>

int main(int argc, char **argv)
{
  int dims[] = {10, 10}, chunk[] = {-1, -1};
  char name[] = "a";
  double one = 1;
#include "block"
}
