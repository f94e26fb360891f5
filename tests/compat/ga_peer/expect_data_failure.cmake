# Runs a mutant (COMMAND, words separated by |). It must end with an error and say that data were wrong:
# a crash or a hang would prove nothing about the checks.
string(REPLACE "|" ";" COMMAND "${COMMAND}")
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE result OUTPUT_VARIABLE output
                ERROR_VARIABLE errors TIMEOUT 60)
if(result EQUAL 0 OR NOT output MATCHES "DATA FAILURE")
  message(FATAL_ERROR "exit status ${result}, and no data failure was reported:\n${output}${errors}")
endif()
message(STATUS "${output}")
