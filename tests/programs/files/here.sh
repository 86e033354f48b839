cat <<END | tr a-z A-Z
one
two
END
mkfifo pipe
echo through >pipe &
read -r line <pipe
echo "$line"
wait
