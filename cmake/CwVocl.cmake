# libcw-vocl.so: an OpenCL of ours over the vendors'. It has no MPI: MPI may open it. Beside its rooms of src/vocl it
# has the files of src/core/base that it uses. The rooms service and proxy have objects of their own:
# they are what a proxy has beside executor and wire.
include(CheckCCompilerFlag)
if(CW_OPENCL_HEADERS)
  file(GLOB_RECURSE vocl_sources CONFIGURE_DEPENDS src/vocl/*.c)
  foreach(room service proxy)
    set(vocl_${room}_sources ${vocl_sources})
    list(FILTER vocl_${room}_sources INCLUDE REGEX "/vocl/${room}/")
    list(FILTER vocl_sources EXCLUDE REGEX "/vocl/${room}/")
    cw_add_objects(vocl_${room} SOURCES ${vocl_${room}_sources})
  endforeach()
  cw_add_objects(vocl SOURCES ${vocl_sources})
  # Each call clears a struct of 200 bytes; gcc's usual instruction for that takes 8 ns to begin.
  set(clears -mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign)
  check_c_compiler_flag(${clears} CW_CLEARS_IN_LOOPS)
  if(CW_CLEARS_IN_LOOPS)
    target_compile_options(vocl_objects PRIVATE ${clears})
  endif()
  set(map ${PROJECT_SOURCE_DIR}/cmake/cw-vocl.map)
  add_library(cw-vocl MODULE $<TARGET_OBJECTS:vocl_objects>
              $<FILTER:$<TARGET_OBJECTS:core_objects>,INCLUDE,/core/base/>)
  set_target_properties(cw-vocl PROPERTIES LINKER_LANGUAGE C LINK_DEPENDS ${map})
  # A loader that closes it would take the code away from under its threads.
  target_link_options(cw-vocl PRIVATE LINKER:--version-script=${map} LINKER:--gc-sections LINKER:-z,nodelete)
  if(NOT CW_SANITIZE)
    target_link_options(cw-vocl PRIVATE LINKER:--no-undefined)
  endif()
endif()
