/* tarn: object pools for multithreaded job systems. This header includes all the others. */
#ifndef TARN_TARN_H
#define TARN_TARN_H

#include "tarn/cache.h"
#include "tarn/check.h"
#include "tarn/config.h"
#include "tarn/each.h"
#include "tarn/frame.h"
#include "tarn/frame_pool.h"
#include "tarn/full.h"
#include "tarn/guest.h"
#include "tarn/handle.h"
#include "tarn/jobs.h"
#include "tarn/lane.h"
#include "tarn/life.h"
#include "tarn/memory.h"
#include "tarn/pool.h"
#include "tarn/report.h"
#include "tarn/sites.h"
#include "tarn/space.h"
#include "tarn/status.h"
#include "tarn/typed.h"

#endif
