# For programs.sh: arrays, a reduction, a map, a user event and a binary by pyopencl.
import numpy as np
import pyopencl as cl
import pyopencl.array as ca
from pyopencl.reduction import ReductionKernel
ctx=cl.create_some_context(interactive=False); q=cl.CommandQueue(ctx)
a=ca.to_device(q,np.arange(1000,dtype=np.float32)); b=2*a+1
print(b.get().sum(), ca.sum(b).get(), ca.dot(a,b).get())
k=ReductionKernel(ctx,np.float32,neutral="0",reduce_expr="a+b",map_expr="x[i]*y[i]",arguments="__global float *x, __global float *y")
print(k(a,b).get())
mf=cl.mem_flags
buf=cl.Buffer(ctx,mf.READ_WRITE|mf.COPY_HOST_PTR,hostbuf=np.arange(16,dtype=np.int32))
m,e=cl.enqueue_map_buffer(q,buf,cl.map_flags.READ|cl.map_flags.WRITE,0,(16,),np.int32)
m[3]=77; m.base.release(q)
u=cl.UserEvent(ctx); out=np.zeros(16,np.int32)
e=cl.enqueue_copy(q,out,buf,is_blocking=False,wait_for=[u]); u.set_status(cl.command_execution_status.COMPLETE); e.wait(); print(out.sum())
p=cl.Program(ctx,"__kernel void f(__global int *x){x[get_global_id(0)]*=3;}").build()
p2=cl.Program(ctx,ctx.devices,p.get_info(cl.program_info.BINARIES)).build(); p2.f(q,(16,),None,buf); cl.enqueue_copy(q,out,buf); print(out.tolist())
