# Answers questions about files: each is four lines, what is asked, two numbers and a path. The
# shell of another host runs it; it writes nothing there.
LC_ALL=C
export LC_ALL
if stat -c %s / >/dev/null 2>&1; then
	one() { stat -L -c '%s %Y %F' -- "$1"; }
	many='stat -L -c'
	form='%s %Y %d:%i %n'
else
	one() { stat -L -f '%z %m %HT' -- "$1"; }
	many='stat -L -f'
	form='%z %m %d:%i %N'
fi
below() {
	find -H "$1" -name '*
*' -exec echo 'a name with a line break is left out' ';' -prune -o -type d \( -name .git -o -name node_modules \) -prune -o -type f -exec $many "$form" {} + 2>&1
}
# What links below a folder lead to, if it does not lie there: of what a link in it leads to no
# links are followed, so that none goes round.
linked() {
	top=$(cd -P -- "$1" 2>/dev/null && pwd -P)
	top=${top%/}
	find -H "$1" -name '*
*' -prune -o -type d \( -name .git -o -name node_modules \) -prune -o -type l -print 2>/dev/null | while IFS= read -r link; do
		if [ -f "$link" ]; then
			$many "$form" -- "$link" 2>&1
		elif to=$(cd -P -- "$link" 2>/dev/null && pwd -P); then
			case $to/ in "$top"/*) continue ;; esac
			case $top/ in "${to%/}"/*) continue ;; esac
			below "$link"
		elif ! [ -e "$link" ]; then
			echo "$link: the link leads to nothing"
		elif [ -d "$link" ]; then
			echo "$link: Permission denied"
		fi
	done
}
echo turns-files-1
while IFS= read -r what && IFS= read -r skip && IFS= read -r count && IFS= read -r path; do
	case $path in
	'~') path=$HOME ;;
	'~/'*) path=$HOME/${path#'~/'} ;;
	-*) path=./$path ;;
	esac
	case $what in
	stat) one "$path" 2>&1 | tail -n 1 ;;
	list)
		printf '%s\n' "$path"
		below "$path"
		echo links
		linked "$path"
		echo
		;;
	read)
		if : 2>/dev/null <"$path"; then
			one "$path" 2>&1 | tail -n 1
			{
				dd if="$path" bs=65536 skip="$skip" count=$(((count + 65535) / 65536)) 2>/dev/null
				cat /dev/zero
			} 2>/dev/null | head -c "$count"
			one "$path" 2>&1 | tail -n 1
		else
			cat -- "$path" 2>&1 >/dev/null | tail -n 1
		fi
		;;
	esac
done
