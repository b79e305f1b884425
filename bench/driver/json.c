#include "driver/json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void put_string(FILE *file, const char *name, const char *text)
{
    fprintf(file, "    \"%s\": \"", name);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
    }
    fputs("\",\n", file);
}

static void put_machine(FILE *file, const machine *m)
{
    fputs("  \"machine\": {\n", file);
    put_string(file, "cpu", m->cpu);
    put_string(file, "system", m->system);
    put_string(file, "compiler", m->compiler);
    put_string(file, "commit", m->commit);
    fprintf(file, "    \"optimised\": %s,\n    \"cores\": %u\n  },\n",
            m->optimised ? "true" : "false", m->cores);
}

static void put_row(FILE *file, const plan *p, const cell *c)
{
    double ratio = plan_ratio_to_glibc(p, c);
    fprintf(file, "    {\"workload\": \"%s\", \"threads\": %u, \"object_bytes\": %zu, ",
            bench_workload_name(c->workload), c->threads, c->object_bytes);
    fprintf(file, "\"subject\": \"%s\", \"median_ns\": %.4f, \"min_ns\": %.4f, \"max_ns\": %.4f, ",
            bench_subject_name(c->subject), c->median_ns, c->min_ns, c->max_ns);
    if (ratio >= 0)
        fprintf(file, "\"ratio_to_glibc\": %.4f, ", ratio);
    fputs("\"samples_ns\": [", file);
    for (unsigned i = 0; i < c->samples_count; i++)
        fprintf(file, "%s%.4f", i ? ", " : "", c->samples_ns[i]);
    fputs("]}", file);
}

static void put_rows(FILE *file, const plan *p)
{
    const char *separator = "";
    fputs("  \"rows\": [\n", file);
    for (size_t i = 0; i < p->cells_count; i++) {
        if (p->cells[i].samples_count == 0)
            continue;
        fputs(separator, file);
        put_row(file, p, &p->cells[i]);
        separator = ",\n";
    }
    fputs("\n  ]\n", file);
}

FILE *json_open(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        fprintf(stderr, "tarn-bench: cannot write '%s': %s\n", path, strerror(errno));
    return file;
}

bool json_write(FILE *file, const machine *m, const options *o, const plan *p,
                double others_percent)
{
    fputs("{\n", file);
    put_machine(file, m);
    fprintf(file, "  \"rounds\": %u,\n  \"milliseconds\": %u,\n", o->rounds, o->stint_ms);
    if (others_percent >= 0)
        fprintf(file, "  \"other_programs_percent\": %.1f,\n", others_percent);
    fprintf(file, "  \"consumers_read\": %s,\n", o->reads ? "true" : "false");
    put_rows(file, p);
    fputs("}\n", file);
    bool written = !ferror(file);
    if (fclose(file) == 0 && written)
        return true;
    fprintf(stderr, "tarn-bench: cannot write '%s': %s\n", o->json_path, strerror(errno));
    return false;
}
