// GA's C++ classes: the product of a matrix and its transposed, and that it is symmetric.
#include <ga++.h>

#include <stdio.h>

int main(int argc, char **argv)
{
  GA::Initialize(argc, argv);
  int failed = 0;
  {
    enum { SIDE = 50 };
    int dims[2] = {SIDE, SIDE}, chunk[2] = {-1, -1};
    char name[] = "a";
    double limit = 1;
    GA::GlobalArray a(C_DBL, 2, dims, name, chunk), product(a, name), turned(a, name);
    GA_Randomize(a.handle(), &limit); // C's calls take the handle of an object
    product.dgemm('n', 't', SIDE, SIDE, SIDE, 1.0, &a, &a, 0.0);
    product.transpose(&turned);
    double one = 1, minus = -1, difference = 0;
    turned.add(&one, &turned, &minus, &product);
    turned.normInfinity(&difference);
    failed = difference > 1e-10;
    if (GA::nodeid() == 0)
      printf("%d processes: the product is %s\n", GA::nodes(),
             failed ? "NOT symmetric" : "symmetric");
  } // the arrays go before GA
  GA::Terminate();
  return failed;
}
