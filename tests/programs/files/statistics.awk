{
	sum += $2; squares += $2 * $2
	if (NR == 1 || $2 > max) max = $2
	group[$3] += $1
}
END {
	printf "%d %.10g %.10g %.6f\n", NR, sum / NR, sqrt(squares / NR - (sum / NR) ^ 2), max
	for (i = 0; i < 300; i += 13) print "k" i, group["k" i]
}
