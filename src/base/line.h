/* How far apart words of different writers lie: two 64-byte lines, since the adjacent-line
 * prefetcher of x86 and the 128-byte lines of some Arm cores make neighbours of a pair. */
#ifndef TARN_BASE_LINE_H
#define TARN_BASE_LINE_H

#define TARN_LINE_BYTES 128

#define TARN_ALIGNED_LINE _Alignas(TARN_LINE_BYTES)

#endif
