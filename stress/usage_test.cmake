# A bad command line ends with exit code 2 and one line on stderr.
# cmake -DPROGRAM=FILE -DARGUMENTS=A;B;C -P usage_test.cmake
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS}
    RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT code STREQUAL "2")
    message(FATAL_ERROR "exit code ${code}, expected 2")
endif()
if(NOT errors MATCHES "^tarn-stress: [^\n]+\n$" OR NOT output STREQUAL "")
    message(FATAL_ERROR "expected one line on stderr and nothing else: ${errors}${output}")
endif()
