# Installs the library, its headers, a CMake package and a pkg-config file. All three find the
# library relative to themselves, so an installed tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tarn)

install(TARGETS tarn EXPORT tarn_targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tarn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT tarn_targets
    FILE tarn-targets.cmake
    NAMESPACE tarn::
    DESTINATION ${package_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tarn-config.cmake.in
    ${PROJECT_BINARY_DIR}/tarn-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tarn-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tarn-config.cmake
              ${PROJECT_BINARY_DIR}/tarn-config-version.cmake
    DESTINATION ${package_dir})

file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
foreach(folder LIBDIR INCLUDEDIR)
    set(pc_${folder} ${CMAKE_INSTALL_${folder}})
    if(NOT IS_ABSOLUTE "${pc_${folder}}")
        set(pc_${folder} "\${prefix}/${pc_${folder}}")
    endif()
endforeach()
# A static library hands its own needs on to everyone, a shared one only to static linkers.
set(pc_libs "")
set(pc_libs_private "")
if(BUILD_SHARED_LIBS)
    set(pc_libs_private " -pthread")
else()
    set(pc_libs " -pthread")
endif()
foreach(library IN LISTS tarn_system_libraries)
    if(BUILD_SHARED_LIBS)
        string(APPEND pc_libs_private " -l${library}")
    else()
        string(APPEND pc_libs " -l${library}")
    endif()
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/tarn.pc.in ${PROJECT_BINARY_DIR}/tarn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tarn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
