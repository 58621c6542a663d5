#include <math.h>
/* Entzerrung der Roentgenaufnahme, in place */
static float kern(float *p,int z,int s){ return p[z*32+s]; }
void entzerren(float *p,int n,int zeilen){ for(int z=0;z<zeilen;z++) for(int s=0;s<32;s++) p[(long)z*32+s]=kern(p,z,s)*0.5f+0.1f; }
