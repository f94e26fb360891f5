# Runs of a program of this folder that must fail with one message. One test tries many of them (check_failures.cmake), because
# the start of a job takes longer than its failure.
#
# From the top level: CW_MPIEXEC, cw_add_test.

# app_failure(TARGET CASE PROCESSES "message" words...): a run that must fail and print the message once. PROCESSES 0 runs the
# program alone, without mpiexec, which takes a third of the time of two processes. This is enough if another case of the
# program shows that only one of several processes prints.
set(app_failures "")
function(app_failure program case processes message)
  set(command $<TARGET_FILE:${program}> ${ARGN})
  if(processes GREATER 0)
    list(PREPEND command ${CW_MPIEXEC} -n ${processes})
  endif()
  list(JOIN command "\" \"" command)
  set(app_failures "${app_failures}check(${case} [==[${message}]==] \"${command}\")\n" PARENT_SCOPE)
endfunction()

# app_failure_test(NAME PROGRAM name [words...]): adds the test of the collected runs. PROGRAM: the beginning of the messages.
# words: arguments of cw_add_test.
function(app_failure_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROGRAM" "")
  set(cases ${CMAKE_CURRENT_BINARY_DIR}/${name}.cmake)
  file(GENERATE OUTPUT ${cases} CONTENT "${app_failures}")
  cw_add_test(${name} PROCESSORS 2 ENVIRONMENT OPENBLAS_NUM_THREADS=1 ${arg_UNPARSED_ARGUMENTS}
              COMMAND ${CMAKE_COMMAND} -DCASES=${cases} -DPROGRAM=${arg_PROGRAM} -P ${PROJECT_SOURCE_DIR}/apps/check_failures.cmake)
  set(app_failures "" PARENT_SCOPE)
endfunction()
