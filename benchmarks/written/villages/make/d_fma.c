/* edge filter built with -mfma4 on the old AMD panel PC */
#include <x86intrin.h>
void edge(float *x, int n) { for (int i = 0; i + 4 <= n; i += 4) { __m128 v = _mm_loadu_ps(x + i); v = _mm_macc_ps(v, v, v); _mm_storeu_ps(x + i, v); } }
void edge_c(float *x, int n) { for (int i = 0; i < n; i++) x[i] = x[i] * x[i] + x[i]; }
