# libcw-vocl.so: an OpenCL of ours over the vendors'. It has no MPI: MPI may open it. Beside its modules it
# has the files of src/core/base that it uses. The modules of service and proxy have objects of their own:
# they are what a proxy has beside executor and wire.
include(CheckCCompilerFlag)
if(CW_OPENCL_HEADERS)
  file(GLOB_RECURSE vocl_sources CONFIGURE_DEPENDS vocl/src/*.c)
  set(vocl_service_modules service|handler)
  set(vocl_proxy_modules relay|proxy|launcher)
  foreach(part service proxy)
    set(vocl_${part}_sources ${vocl_sources})
    list(FILTER vocl_${part}_sources INCLUDE REGEX "/vocl/src/(${vocl_${part}_modules})/")
    list(FILTER vocl_sources EXCLUDE REGEX "/vocl/src/(${vocl_${part}_modules})/")
    cw_add_objects(vocl_${part} SOURCES ${vocl_${part}_sources})
  endforeach()
  cw_add_objects(vocl SOURCES ${vocl_sources})
  # Each call clears a struct of 200 bytes; gcc's usual instruction for that takes 8 ns to begin.
  set(clears -mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign)
  check_c_compiler_flag(${clears} CW_CLEARS_IN_LOOPS)
  if(CW_CLEARS_IN_LOOPS)
    target_compile_options(vocl_objects PRIVATE ${clears})
  endif()
  set(map ${PROJECT_SOURCE_DIR}/vocl/cw-vocl.map)
  add_library(cw-vocl MODULE $<TARGET_OBJECTS:vocl_objects>
              "$<FILTER:$<TARGET_OBJECTS:core_objects>,INCLUDE,/core/(base|wait)/>")
  set_target_properties(cw-vocl PROPERTIES LINKER_LANGUAGE C LINK_DEPENDS ${map})
  # A loader that closes it would take the code away from under its threads.
  target_link_options(cw-vocl PRIVATE LINKER:--version-script=${map} LINKER:--gc-sections LINKER:-z,nodelete)
  if(NOT CW_SANITIZE)
    target_link_options(cw-vocl PRIVATE LINKER:--no-undefined)
  endif()
endif()
