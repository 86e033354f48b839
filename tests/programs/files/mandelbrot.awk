BEGIN {
	for (y = -1.2; y <= 1.2; y += 0.12) {
		line = ""
		for (x = -2.1; x <= 0.7; x += 0.045) {
			a = b = 0
			for (n = 0; n < 60 && a * a + b * b < 4; n++) {
				t = a * a - b * b + x
				b = 2 * a * b + y
				a = t
			}
			line = line substr(" .:-=+*#%@", 1 + n / 60 * 9, 1)
		}
		print line
	}
}
