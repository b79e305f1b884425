#include "tarn/lane.h"

#include <stdio.h>

/* Formats twice: for the length, then into memory of that length. */
char *tarn_frame_vprintf(tarn_lane *lane, const char *format, va_list arguments)
{
    if (!lane || !format)
        return NULL;
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length >= 0 ? tarn_frame_alloc(lane, (size_t)length + 1) : NULL;
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *tarn_frame_printf(tarn_lane *lane, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = tarn_frame_vprintf(lane, format, arguments);
    va_end(arguments);
    return text;
}
