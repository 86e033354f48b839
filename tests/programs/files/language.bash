# What bash can do without starting another process.
declare -A count
while read -r line; do
	for word in $line; do
		((count[${word:0:2}]++))
	done
done <text
for key in "${!count[@]}"; do printf '%s=%d\n' "$key" "${count[$key]}"; done
[[ "2024-05-17" =~ ^([0-9]+)-([0-9]+)-([0-9]+)$ ]] && echo "${BASH_REMATCH[@]:1}"
array=("$@")
echo "${#array[@]} ${array[1]@Q} ${array[@]:1}"
function fib {
	local n=$1
	((n < 2)) && { REPLY=$n; return; }
	fib $((n - 1)); local a=$REPLY
	fib $((n - 2)); ((REPLY += a))
}
fib 15; echo "fib $REPLY"
case $2 in *words) echo matched ;; esac
mapfile -t lines <files/lines
echo "${lines[2]^^}" "${lines[3]%%line*}"
trap 'echo leaving with $?' EXIT
shopt -s extglob
x=aaabbbccc; echo "${x/+(b)/-}" "${x##*(a)}"
exit 7
