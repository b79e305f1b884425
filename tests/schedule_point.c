/* The scheduling point of unit tests that do not bring their own: the linker takes this one from
 * its archive only when nothing else defines the function. */
#include "base/atomic.h"

void tarn_schedule_point_(void)
{
}
