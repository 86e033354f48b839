-- Sun and three planets on a Verlet leap-frog: every rounding shows in the last digits.
local bodies = {
	{ x = 0, y = 0, z = 0, u = 0, v = 0, w = 0, m = 39.47841760435743 },
	{ x = 4.84, y = -1.16, z = -0.10, u = 0.606, v = 2.81, w = -0.025, m = 0.0376936749 },
	{ x = 8.34, y = 4.12, z = -0.40, u = -1.01, v = 1.82, w = 0.0084, m = 0.0112863261 },
	{ x = 12.89, y = -15.11, z = -0.22, u = 1.08, v = 0.868, w = -0.0108, m = 0.00172372405 },
}
local function energy()
	local e = 0
	for i, a in ipairs(bodies) do
		e = e + a.m * (a.u ^ 2 + a.v ^ 2 + a.w ^ 2) / 2
		for j = i + 1, #bodies do
			local b = bodies[j]
			e = e - a.m * b.m / math.sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2 + (a.z - b.z) ^ 2)
		end
	end
	return e
end
local function step(dt)
	for i, a in ipairs(bodies) do
		for j = i + 1, #bodies do
			local b = bodies[j]
			local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
			local d2 = dx * dx + dy * dy + dz * dz
			local f = dt / (d2 * math.sqrt(d2))
			a.u, a.v, a.w = a.u - dx * b.m * f, a.v - dy * b.m * f, a.w - dz * b.m * f
			b.u, b.v, b.w = b.u + dx * a.m * f, b.v + dy * a.m * f, b.w + dz * a.m * f
		end
	end
	for _, a in ipairs(bodies) do
		a.x, a.y, a.z = a.x + dt * a.u, a.y + dt * a.v, a.z + dt * a.w
	end
end
print(string.format("%.17g", energy()))
for _ = 1, tonumber(arg[1]) do step(0.01) end
print(string.format("%.17g %.17g %a", energy(), bodies[2].x, bodies[4].w))
