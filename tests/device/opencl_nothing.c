/* A library without any of OpenCL's functions. */
int nothing_of_opencl(void);

int nothing_of_opencl(void)
{
  return 0;
}
