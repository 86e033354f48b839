/* SPDX-License-Identifier: MIT */
/* Vectors: a x + y and a matrix product in single precision, which -O3 turns into VSX. */
#include <stdio.h>

#define N      256
#define LENGTH 4096

static float a[N][N], b[N][N], c[N][N], x[LENGTH], y[LENGTH];

__attribute__((noinline)) static void saxpy(float factor)
{
	for (int i = 0; i < LENGTH; i++)
		y[i] += factor * x[i];
}

__attribute__((noinline)) static void multiply(void)
{
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			for (int j = 0; j < N; j++)
				c[i][j] += a[i][k] * b[k][j];
}

int main(void)
{
	double sum = 0;

	for (int i = 0; i < LENGTH; i++)
		x[i] = (float)(i % 17) / 16;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = (float)((i * 7 + j) % 13) / 8;
			b[i][j] = (float)((i + j * 5) % 11) / 4;
		}
	for (int round = 0; round < 16000; round++)
		saxpy((float)(round % 5) / 4);
	for (int round = 0; round < 6; round++)
		multiply();
	for (int i = 0; i < LENGTH; i++)
		sum += y[i];
	printf("vector %.1f %.3f %.3f\n", sum, c[3][5], c[N - 1][N - 1]);
}
