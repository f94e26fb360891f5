#!/usr/bin/env python3
"""pocl-own.py LLVM WHOLE OWN: of PoCL's library of OpenCL C's functions, the few that kernels of ours call.

PoCL reads this library whole, 23,000 functions, in each process for each context in which it builds a program: 0.6 s of a
processor, most of the time of a test. LLVM is the library libLLVM that PoCL has; WHOLE a file kernel-*.bc of PoCL, OWN
the one to be made. A kernel that calls what was left out is not built: PoCL says "undefined symbol". Then its name is
wanted here, or the test wants `OPENCL pocl`."""
import ctypes
import re
import sys

# Work items, barriers and fences, atomics, images, printf; what these call comes along.
WANTED = re.compile(r'get_|barrier|fence|atom|image|print')
INTERNAL_LINKAGE = 8  # LLVMInternalLinkage

llvm_path, whole, own = sys.argv[1:]
llvm = ctypes.CDLL(llvm_path)
POINTER = ctypes.c_void_p
for name in ('LLVMContextCreate', 'LLVMGetFirstFunction', 'LLVMGetNextFunction', 'LLVMCreatePassBuilderOptions',
             'LLVMRunPasses'):
    getattr(llvm, name).restype = POINTER
llvm.LLVMGetValueName2.restype = ctypes.c_char_p


def must(passed, what):
    if not passed:
        sys.exit(f'pocl-own: {what}')


context = POINTER(llvm.LLVMContextCreate())
text, module, message, length = POINTER(), POINTER(), ctypes.c_char_p(), ctypes.c_size_t()
must(llvm.LLVMCreateMemoryBufferWithContentsOfFile(whole.encode(), ctypes.byref(text), ctypes.byref(message)) == 0,
     f'{whole} cannot be read')
must(llvm.LLVMParseBitcodeInContext2(context, text, ctypes.byref(module)) == 0, f'{whole} is no module of this LLVM')
each = llvm.LLVMGetFirstFunction(module)
while each:
    function = POINTER(each)
    called = llvm.LLVMGetValueName2(function, ctypes.byref(length)).decode()
    if not llvm.LLVMIsDeclaration(function) and not WANTED.search(called):
        llvm.LLVMSetLinkage(function, INTERNAL_LINKAGE)
    each = llvm.LLVMGetNextFunction(function)
must(llvm.LLVMRunPasses(module, b'globaldce', None, POINTER(llvm.LLVMCreatePassBuilderOptions())) is None,
     'globaldce fails')
must(llvm.LLVMWriteBitcodeToFile(module, own.encode()) == 0, f'{own} cannot be written')
