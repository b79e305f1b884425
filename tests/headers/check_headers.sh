#!/bin/bash
# Compiles every public header alone, in each language version, with each compiler that is here,
# and checks that none of them brings C11 atomics to its users.
#   check_headers.sh INCLUDE_DIR SCRATCH_DIR
set -u

include_dir=$1
scratch=$2
flags=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$include_dir")
failures=0
compiled=0

# fail WHAT: the compiler's words lie in $scratch/log.
fail() {
    echo "FAILED: $1"
    cat "$scratch/log"
    failures=$((failures + 1))
}

# compiles_alone COMPILER STANDARD HEADER [FLAGS...]
compiles_alone() {
    local compiler=$1 standard=$2 header=$3 language=c
    shift 3
    [[ $standard == c++* ]] && language=c++
    # Included twice: a header without its guard fails here.
    printf '#include "%s"\n#include "%s"\nextern int end_of_file;\n' "$header" "$header" \
        >"$scratch/alone.$language"
    compiled=$((compiled + 1))
    "$compiler" -x "$language" -std="$standard" "${flags[@]}" "$@" "$scratch/alone.$language" \
        >"$scratch/log" 2>&1 || fail "$compiler -std=$standard $* $header"
}

# A 64-bit Debian without the 32-bit C library has its headers, but elsewhere, and for one: a list
# of absent functions. The check does not link, so an empty one serves.
flags32=(-m32 -idirafter "$scratch/no32" -idirafter "/usr/include/$(gcc -print-multiarch)")
can_compile_32() {
    mkdir -p "$scratch/no32/gnu"
    : >"$scratch/no32/gnu/stubs-32.h"
    printf '#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n' >"$scratch/probe.c"
    "$1" "${flags32[@]}" -fsyntax-only "$scratch/probe.c" >/dev/null 2>&1
}

# Looks at what the preprocessor really brought in, however indirectly.
brings_no_atomics() {
    local compiler=$1 header=$2
    printf '#include "%s"\n' "$header" >"$scratch/alone.c"
    "$compiler" -std=c11 -I"$include_dir" -M "$scratch/alone.c" >"$scratch/files" &&
        "$compiler" -std=c11 -I"$include_dir" -E -P "$scratch/alone.c" >"$scratch/text" ||
        failures=$((failures + 1))
    grep -n 'stdatomic' "$scratch/files" >"$scratch/log" && fail "$header includes <stdatomic.h>"
    grep -nw '_Atomic' "$scratch/text" >"$scratch/log" && fail "$header shows _Atomic to its user"
}

# typed_use COMPILER STANDARD STATEMENT: does it compile where `as` and `bs` are pools of two types?
typed_use() {
    local compiler=$1 standard=$2 statement=$3 language=c
    [[ $standard == c++* ]] && language=c++
    printf '%s\n' '#include "tarn/typed.h"' 'typedef struct a { int x; } a;' \
        'typedef struct b { int x; } b;' 'TARN_POOL_DEFINE(as, a);' 'TARN_POOL_DEFINE(bs, b);' \
        'extern bool see_a(void *context, a *object, as_handle handle);' \
        'extern bool see_b(void *context, b *object, bs_handle handle);' \
        'extern void use(tarn_cache *cache, tarn_pool *pool, a *pa, b *pb, as_handle ha,' \
        '                bs_handle hb, tarn_pool_options *options, as_hooks *ka, bs_hooks *kb);' \
        'void use(tarn_cache *cache, tarn_pool *pool, a *pa, b *pb, as_handle ha,' \
        '         bs_handle hb, tarn_pool_options *options, as_hooks *ka, bs_hooks *kb) {' \
        '(void)cache, (void)pool, (void)pa, (void)pb, (void)ha, (void)hb;' \
        '(void)options, (void)ka, (void)kb;' "$statement; }" >"$scratch/typed.$language"
    compiled=$((compiled + 1))
    "$compiler" -x "$language" -std="$standard" "${flags[@]}" "$scratch/typed.$language" \
        >"$scratch/log" 2>&1
}

# typed_pools COMPILER STANDARD: what TARN_POOL_DEFINE defines compiles, unused and used; what is of
# another type's pool is refused, each in the call where its like is taken.
typed_pools() {
    local right wrong
    typed_use "$1" "$2" '' || fail "$1 $2 unused typed pools"
    while IFS='|' read -r right wrong; do
        typed_use "$1" "$2" "$right" || fail "$1 $2 refuses $right"
        typed_use "$1" "$2" "$wrong" && fail "$1 $2 takes $wrong"
    done <<'USES'
as_free(cache, pa)|as_free(cache, pb)
pa = as_alloc(cache)|pb = as_alloc(cache)
as_guest_free(pool, pa)|as_guest_free(pool, pb)
pa = as_take(cache, &ha)|pa = as_take(cache, &hb)
pa = as_guest_take(pool, &ha)|pa = as_guest_take(pool, &hb)
as_release(cache, ha)|as_release(cache, hb)
as_guest_release(pool, ha)|as_guest_release(pool, hb)
pa = as_resolve(pool, ha)|pa = as_resolve(pool, hb)
ha = as_handle_of(pool, pa)|hb = as_handle_of(pool, pa)
ha = as_handle_of(pool, pa)|ha = as_handle_of(pool, pb)
as_each(pool, see_a, pa)|as_each(pool, see_b, pb)
ha = as_evict_lowest(pool, NULL, pa)|hb = as_evict_lowest(pool, NULL, pa)
as_set_hooks(options, ka)|as_set_hooks(options, kb)
as_release(cache, ha)|as_release(cache, ha.any)
USES
}

# The README's pieces of C, one after another, are one source file.
readme_compiles() {
    sed -n '/^```c$/,/^```$/{/^```/!p}' "$include_dir/../README.md" >"$scratch/readme.c"
    # Later pieces use calloc, which the first has no need to include.
    compiled=$((compiled + 1))
    "$1" -std=c11 "${flags[@]}" -include stdlib.h "$scratch/readme.c" >"$scratch/log" 2>&1 ||
        fail "$1 README.md"
}

mkdir -p "$scratch"
compilers=()
for compiler in gcc clang-19 clang; do
    command -v "$compiler" >/dev/null || continue
    [[ $compiler == clang && ${compilers[*]} == *clang-19* ]] && continue
    compilers+=("$compiler")
done
[[ ${compilers[*]} == *gcc* ]] || echo "SKIPPED: gcc is not here"
[[ ${compilers[*]} == *clang* ]] || echo "SKIPPED: clang is not here"

headers=$(cd "$include_dir" && ls tarn/*.h)
for compiler in "${compilers[@]}"; do
    for header in $headers; do
        for standard in c11 c17 c++11 c++17; do
            compiles_alone "$compiler" "$standard" "$header"
        done
        brings_no_atomics "$compiler" "$header"
    done
    for standard in c11 c++11 c++17; do
        typed_pools "$compiler" "$standard"
    done
    readme_compiles "$compiler"
    if can_compile_32 "$compiler"; then
        for header in $headers; do
            compiles_alone "$compiler" c11 "$header" "${flags32[@]}"
            compiles_alone "$compiler" c++11 "$header" "${flags32[@]}"
        done
    else
        echo "SKIPPED: $compiler -m32 cannot compile here"
    fi
done

echo "compiled $compiled times with ${compilers[*]}, $failures failures"
[[ $failures == 0 && $compiled -gt 0 ]]
