# What a POSIX shell can do without starting another process.
total=0
while read -r a b c; do
	case $a in
	-*) total=$((total - 1)) ;;
	*) total=$((total + ${a##*[!0-9]} % 7)) ;;
	esac
done <numbers
echo "total $total"
gcd() {
	[ "$2" -eq 0 ] && { echo "$1"; return; }
	gcd "$2" $(($1 % $2))
}
gcd 1071 462
IFS=:
for part in a:b:c; do echo "<$part>"; done
set -- "$@" four
echo "$# $2 ${4:-none} ${5:-none} ${#2}"
i=0
until [ $i -ge 5 ]; do
	i=$((i + 1))
	[ $((i & 1)) -eq 0 ] && continue
	printf '%03d %x %o %s\n' $i $((i * 4097)) $((i << 5)) "$i"
done
printf '%s\n' here >out
read -r line <out
echo "$line" 'quoted $x' "a\\b"
exit 3
