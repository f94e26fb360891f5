# cw_add_test(name [PROCESSES n] [LABELS l...] [ENVIRONMENT VAR=value...] [TIMEOUT s] [WILL_FAIL]
#             COMMAND program arguments...)
# Registers a test. With PROCESSES it runs under mpiexec; exit status 77 means skipped. The label of
# its folder (tests/<folder>) is added.
function(cw_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WILL_FAIL" "PROCESSES;TIMEOUT"
                        "COMMAND;LABELS;ENVIRONMENT")
  set(processors 1)
  if(arg_PROCESSES)
    set(processors ${arg_PROCESSES})
    list(POP_FRONT arg_COMMAND program)
    if(TARGET ${program})
      set(program $<TARGET_FILE:${program}>)
    endif()
    list(PREPEND arg_COMMAND ${CW_MPIEXEC} -n ${arg_PROCESSES} ${CMAKE_CROSSCOMPILING_EMULATOR}
                             ${program})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(CMAKE_CROSSCOMPILING)
    math(EXPR arg_TIMEOUT "5 * ${arg_TIMEOUT}") # emulated
  endif()
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests
             OUTPUT_VARIABLE folder)
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES
    PROCESSORS ${processors} TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77
    WILL_FAIL ${arg_WILL_FAIL} LABELS "${folder};${arg_LABELS}" ENVIRONMENT "${arg_ENVIRONMENT}")
endfunction()

# cw_add_test_program(name sources... [LIBRARIES targets...]): a test program on the internal headers.
function(cw_add_test_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES cw_internal)
  endif()
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} CW_WARNINGS)
endfunction()
