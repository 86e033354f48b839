/* SPDX-License-Identifier: MIT */
/* Scalar floating point: five bodies under gravity, in double precision. */
#include <math.h>
#include <stdio.h>

#define BODIES 5

static double position[BODIES][3] = {
	{0, 0, 0},
	{4.84, -1.16, -0.10},
	{8.34, 4.12, -0.40},
	{12.89, -15.11, -0.22},
	{15.38, -25.92, 0.18},
};
static double velocity[BODIES][3] = {
	{0, 0, 0},
	{0.606, 2.81, -0.025},
	{-1.01, 1.82, 0.0084},
	{1.08, 0.868, -0.0108},
	{0.979, 0.594, -0.0347},
};
static const double mass[BODIES] = {39.478, 0.0376936749, 0.0112863261, 0.00172372405,
				    0.00203368687};

static void step(double dt)
{
	for (int i = 0; i < BODIES; i++) {
		for (int j = i + 1; j < BODIES; j++) {
			double d[3], square = 0;

			for (int k = 0; k < 3; k++) {
				d[k] = position[i][k] - position[j][k];
				square += d[k] * d[k];
			}

			double force = dt / (square * sqrt(square));

			for (int k = 0; k < 3; k++) {
				velocity[i][k] -= d[k] * mass[j] * force;
				velocity[j][k] += d[k] * mass[i] * force;
			}
		}
	}
	for (int i = 0; i < BODIES; i++)
		for (int k = 0; k < 3; k++)
			position[i][k] += dt * velocity[i][k];
}

int main(void)
{
	for (int i = 0; i < 400000; i++)
		step(0.001);
	printf("nbody %.6f %.6f\n", position[1][0], position[4][2]);
}
