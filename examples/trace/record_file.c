#define _GNU_SOURCE /* environ */
#include "record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Above what programs usually number, so that one which closes "all" its descriptors from 3 up, or
 * counts on getting the lowest, is not disturbed. */
#define DESCRIPTOR_MIN 500

static char path[RECORD_PATH_BYTES_MAX];
static int file = -1;
static struct stat identity;
static uint64_t records_total;
static uint32_t blocks_total;

void record_complain(const char *text, int error)
{
    const char *reason = strerrordesc_np(error);
    if (!reason)
        reason = "unknown error";
    struct iovec parts[] = {
        {(void *)(uintptr_t) "tarn-record: ", 13},
        {(void *)(uintptr_t)text, strlen(text)},
        {(void *)(uintptr_t) ": ", 2},
        {(void *)(uintptr_t)reason, strlen(reason)},
        {(void *)(uintptr_t) "\n", 1},
    };
    ssize_t ignored = writev(STDERR_FILENO, parts, 5);
    (void)ignored;
}

/* Returns the end of the text. */
static char *write_decimal(char *at, unsigned long number)
{
    char digits[24];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
    } while (number /= 10);
    while (count)
        *at++ = digits[--count];
    return at;
}

/* Writes the path that the pattern stands for; the suffix tells images of one process apart. */
static bool expand(const char *pattern, unsigned suffix, bool *per_process)
{
    char *at = path;
    *per_process = false;
    for (; *pattern; pattern++) {
        if (at - path > (ptrdiff_t)RECORD_PATH_BYTES_MAX - 64)
            return false;
        if (pattern[0] == '%' && pattern[1] == 'p') {
            at = write_decimal(at, (unsigned long)getpid());
            *per_process = true;
            pattern++;
        } else {
            *at++ = *pattern;
        }
    }
    if (suffix) {
        *at++ = '.';
        at = write_decimal(at, suffix);
    }
    *at = 0;
    return true;
}

/* A process that becomes another program keeps its id: where files are per process, each program
 * has its own; otherwise the last one's is what remains. */
static bool open_new(const char *pattern)
{
    bool per_process = false;
    for (unsigned suffix = 0; suffix < 1000; suffix++) {
        if (!expand(pattern, suffix, &per_process))
            return errno = ENAMETOOLONG, false;
        int how = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (per_process ? O_EXCL : O_TRUNC);
        file = open(path, how, 0666);
        if (file >= 0 || errno != EEXIST)
            break;
    }
    return file >= 0 && fstat(file, &identity) == 0;
}

static void move_descriptor_up(void)
{
    int moved = fcntl(file, F_DUPFD_CLOEXEC, DESCRIPTOR_MIN);
    if (moved < 0)
        return;
    close(file);
    file = moved;
}

static bool is_ours(int descriptor)
{
    struct stat now;
    return fstat(descriptor, &now) == 0 && now.st_dev == identity.st_dev &&
           now.st_ino == identity.st_ino;
}

/* The program may have closed our descriptor, or put another file in its place. */
static bool ensure_open(void)
{
    if (is_ours(file))
        return true;
    file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0)
        return false;
    move_descriptor_up();
    if (is_ours(file))
        return true;
    close(file);
    return errno = ESTALE, false;
}

static bool write_all(const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count) {
        ssize_t written = write(file, at, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        at += written;
        count -= (size_t)written;
    }
    return true;
}

static bool write_header(void)
{
    trace_header header = {.process = (uint32_t)getpid()};
    int comm = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
    if (comm >= 0) {
        ssize_t count = read(comm, header.program, sizeof header.program - 1);
        header.program[count > 0 ? count - 1 : 0] = 0;
        close(comm);
    }
    trace_header_seal(&header);
    return write_all(&header, sizeof header);
}

/* Whether the environment names this process, or none. */
static bool is_wanted(void)
{
    const char *wanted = getenv(RECORD_PROCESS_VARIABLE);
    char own[24];
    *write_decimal(own, (unsigned long)getpid()) = 0;
    return !wanted || strcmp(wanted, own) == 0;
}

bool record_file_create(void)
{
    const char *pattern = getenv(RECORD_FILE_VARIABLE);
    if (!pattern || !is_wanted())
        return false;
    if (!open_new(pattern)) {
        record_complain("cannot create the trace", errno);
        return false;
    }
    move_descriptor_up();
    if (write_header())
        return true;
    record_complain("cannot write the trace", errno);
    close(file);
    return false;
}

static bool append(trace_block *block, const void *payload)
{
    block->number = blocks_total++;
    trace_block_seal(block, payload);
    if (ensure_open() && write_all(block, sizeof *block) &&
        write_all(payload, (size_t)trace_payload_bytes(block)))
        return true;
    record_complain("cannot write the trace, recording ends", errno);
    return false;
}

bool record_file_append(const trace_record *records, uint32_t count)
{
    trace_block block = {.kind = TRACE_BLOCK_RECORDS, .records = count};
    records_total += count;
    return append(&block, records);
}

void record_file_close(uint64_t orders, uint32_t threads)
{
    trace_closing closing = {.records = records_total, .orders = orders, .threads = threads};
    trace_block block = {.kind = TRACE_BLOCK_CLOSING};
    if (append(&block, &closing))
        close(file);
}
