if(NOT CW_OPENCL_HEADERS)
  return()
endif()

# The OpenCL back end runs on PoCL, and on Oclgrind, which reports invalid accesses and races of kernels but is slow. PoCL
# compiles a kernel for each size of its groups, which takes a minute and more.
cw_add_test(backends.opencl ONE_MPI OPENCL pocl-own PROCESSES 1 LABELS -quick tsan TIMEOUT 400
            ENVIRONMENT ${cw_pocl_unoptimized} COMMAND backends opencl 5)
cw_add_test(oclgrind ONE_MPI OPENCL oclgrind PROCESSES 1 LABELS nightly -quick -asan
            ENVIRONMENT OCLGRIND_DATA_RACES=1
            PROPERTIES FAIL_REGULAR_EXPRESSION "FAILED;Invalid (read|write);data race;runtime error"
            TIMEOUT 400 COMMAND backends opencl 1)
cw_add_test_program(opencl_wrong opencl_wrong.c LIBRARIES cw_kit_native)
foreach(wrong "access=Invalid write of size 4" "race=Write-write data race")
  string(REGEX MATCH "(.*)=(.*)" all ${wrong})
  cw_add_test(oclgrind.${CMAKE_MATCH_1} ONE_MPI OPENCL oclgrind PROCESSES 1 LABELS -asan
              ENVIRONMENT OCLGRIND_DATA_RACES=1 PROPERTIES PASS_REGULAR_EXPRESSION ${CMAKE_MATCH_2}
              COMMAND opencl_wrong ${CMAKE_MATCH_1})
endforeach()

# Its own.
cw_add_test_program(device_opencl opencl.c LIBRARIES cw_kit_native)
cw_add_test(opencl ONE_MPI OPENCL pocl-own PROCESSES 1 LABELS tsan COMMAND device_opencl)

# These use a context of the program, and drivers that report wrong capabilities.
cw_add_test_program(lent_opencl lent_opencl.c LIBRARIES cw_kit_native)
cw_add_test(lent_opencl OPENCL pocl-own PROCESSES 1 2 LABELS tsan COMMAND lent_opencl)
cw_add_test(lent_opencl.apart OPENCL pocl-own PROCESSES 2 ENVIRONMENT CW_DEVICE_SHARED=never
            COMMAND lent_opencl apart)

# Slices that all processes share, as the probe finds, and separate ones.
set(cw_setting_pocl CW_DEVICE=opencl)
set(cw_setting_pocl-nodes CW_DEVICE=opencl CW_NODE_SIZE=1)
cw_add_test(shared.opencl OPENCL pocl-own SETTINGS pocl PROCESSES 2 ENVIRONMENT ${cw_pocl_unoptimized}
            COMMAND device_shared shared)
cw_add_test(shared.opencl OPENCL pocl-own SETTINGS pocl PROCESSES 4 LABELS nightly COMMAND device_shared shared)
cw_add_test(shared.opencl OPENCL pocl-own SETTINGS pocl-nodes PROCESSES 2 ENVIRONMENT ${cw_pocl_unoptimized}
            COMMAND device_shared shared 10)
cw_add_test(shared.opencl_apart OPENCL pocl-own SETTINGS pocl pocl-nodes PROCESSES 2
            ENVIRONMENT CW_DEVICE_SHARED=never ${cw_pocl_unoptimized} COMMAND device_shared apart 10)

cw_add_test(lists.opencl ONE_MPI OPENCL pocl-own PROCESSES 2 LABELS -quick TIMEOUT 400 ENVIRONMENT CW_DEVICE=opencl CW_DEVICE_SHARED=never
            ${cw_pocl_unoptimized} COMMAND device_lists 5)

# OpenCL is not available: there is no library, the file is no library, or it has no driver.
cw_add_test_program(opencl_absent opencl_absent.c LIBRARIES cw_kit cw_tested)
set(missing ${CMAKE_CURRENT_BINARY_DIR}/missing)
file(MAKE_DIRECTORY ${missing})
file(WRITE ${missing}/libOpenCL.so.1 "")
cw_add_test(opencl_absent.library ONE_MPI PROCESSES 1 ENVIRONMENT LD_LIBRARY_PATH=${missing}
            COMMAND opencl_absent "libOpenCL.so.1 cannot be opened")
add_library(opencl_nothing SHARED opencl_nothing.c)
set_target_properties(opencl_nothing PROPERTIES OUTPUT_NAME OpenCL SOVERSION 1
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/nothing)
add_dependencies(opencl_absent opencl_nothing)
cw_add_test(opencl_absent.functions ONE_MPI PROCESSES 1 ENVIRONMENT LD_LIBRARY_PATH=${CMAKE_CURRENT_BINARY_DIR}/nothing
            COMMAND opencl_absent "has no cl" "OpenCL 1.2 is needed")
cw_add_test(opencl_absent.driver ONE_MPI OPENCL pocl-own PROCESSES 1
            ENVIRONMENT OCL_ICD_VENDORS=/nowhere OCL_ICD_FILENAMES=/nowhere
            COMMAND opencl_absent "no platform" CL_PLATFORM_NOT_FOUND_KHR)
# Virtual OpenCL without a vendor is a platform without devices.
if(TARGET cw-vocl)
  add_dependencies(opencl_absent cw-vocl)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/vocl/causeway.icd CONTENT "$<TARGET_FILE:cw-vocl>\n")
  cw_add_test(opencl_absent.devices ONE_MPI OPENCL pocl-own PROCESSES 1
              ENVIRONMENT OCL_ICD_VENDORS=${CMAKE_CURRENT_BINARY_DIR}/vocl OCL_ICD_FILENAMES= CW_VOCL_VENDORS=${missing}
              COMMAND opencl_absent "the platform 'Causeway Virtual OpenCL' has no device")
endif()
