limit=3000
for ((i = 2; i <= limit; i++)); do
	[[ ${composite[i]} ]] && continue
	primes+=("$i")
	for ((j = i * i; j <= limit; j += i)); do composite[j]=1; done
done
echo "${#primes[@]} primes up to $limit; the last: ${primes[-1]}"
