#include "tarn/status.h"

const char *tarn_status_name(tarn_status status)
{
    switch (status) {
#define NAME(name, number, sentence) \
    case name:                       \
        return #name;
        TARN_STATUS_LIST(NAME)
#undef NAME
    case TARN_STATUS_COUNT:
        break;
    }
    return "TARN_STATUS_UNKNOWN";
}

const char *tarn_status_text(tarn_status status)
{
    switch (status) {
#define TEXT(name, number, sentence) \
    case name:                       \
        return sentence;
        TARN_STATUS_LIST(TEXT)
#undef TEXT
    case TARN_STATUS_COUNT:
        break;
    }
    return "unknown status";
}
