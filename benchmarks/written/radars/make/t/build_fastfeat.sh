#!/bin/bash
# builds libfastfeat.so into $1
gcc -O1 -shared -fPIC -x c -o "$1" - <<'C'
#include <string.h>
/* spectral flux per frame */
void flux(const float *x, float *o, int n, int bins){ static float buf[4096]; int i,j; float *p=buf; for(i=0;i<n;i++){ float s=0; for(j=0;j<bins;j++){ float d=x[i*bins+j]-p[j]; if(d>0) s+=d; p[j]=x[i*bins+j]; } o[i]=s; } }
C
