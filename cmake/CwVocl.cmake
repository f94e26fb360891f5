# libcw-vocl.so: an OpenCL of ours over the vendors'. It has no MPI: MPI may open it. Beside src/vocl it has the files
# of src/core/base that it uses.
if(CW_OPENCL_HEADERS)
  file(GLOB_RECURSE vocl_sources CONFIGURE_DEPENDS src/vocl/*.c)
  cw_add_objects(vocl SOURCES ${vocl_sources})
  set(map ${PROJECT_SOURCE_DIR}/cmake/cw-vocl.map)
  add_library(cw-vocl MODULE $<TARGET_OBJECTS:vocl_objects>
              $<FILTER:$<TARGET_OBJECTS:core_objects>,INCLUDE,/core/base/>)
  set_target_properties(cw-vocl PROPERTIES LINKER_LANGUAGE C LINK_DEPENDS ${map})
  target_link_options(cw-vocl PRIVATE LINKER:--version-script=${map} LINKER:--gc-sections)
  if(NOT CW_SANITIZE)
    target_link_options(cw-vocl PRIVATE LINKER:--no-undefined)
  endif()
endif()
