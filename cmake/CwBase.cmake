# causeway_base: src/core/base and src/core/wait as a static library: errors, settings, log, clock, files, threads, locks, tables of
# objects. It knows no MPI. vocl/ links it; where Causeway itself is not built beside it, it is compiled here.
if(NOT TARGET cw_core_objects)
  file(GLOB base_sources CONFIGURE_DEPENDS ${cw_root}/src/core/base/*.c ${cw_root}/src/core/wait/*.c)
  set(cw_internal_headers ${cw_root}/src/core)
  cw_add_objects(core SOURCES ${base_sources})
endif()
add_library(causeway_base STATIC "$<FILTER:$<TARGET_OBJECTS:cw_core_objects>,INCLUDE,/core/(base|wait)/>")
set_target_properties(causeway_base PROPERTIES LINKER_LANGUAGE C)
target_include_directories(causeway_base PUBLIC ${cw_root}/src/core ${cw_root}/include)
