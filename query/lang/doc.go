/*
Package lang is the filter language: a lexer (lex.go), a parser (parse.go), the tree (ast.go), and the table of keys with what a filter bar
offers while somebody types (complete.go). It knows nothing of conversations; package filter looks up in them what a tree asks for.

# The filter language

A filter is what somebody types into the filter bar or gives to --filter:

	role:tool,assistant tool:read_* is:error -text:"retry" /timeout \d+/i dur:>5s

The grammar:

	query = and { "|" and }
	and   = term { term }
	term  = [ "-" | "!" ] ( key ":" [ op ] value { "," value } | value | "(" query ")" )
	value = word | "quoted string" | /regex/flags
	op    = ">" | ">=" | "<" | "<=" | "="

Terms side by side must all hold; | separates alternatives and binds less than side by side; - or ! right before a term negates it; brackets
group. AND, &&, OR, || and NOT in capitals mean the same as a space, | and -. A comma means "or" between values after a key, and nothing
anywhere else. The empty query lets everything through. Terms about a call side by side speak of one and the same call: tool:Bash is:error
is a Bash call that failed.

# Values

A word or quoted string without a key is looked for in everything a reader sees. So are the values of text, content, reasoning, args,
result and title in their part. Case does not matter. Words that a source says of a conversation itself, in a summary, a key moment or a
thread, are found at the first message of that.

	timeout "not found" content:retry args:"rm -rf"

The values of role, tool, model, name, id, session, thread and interaction match as a whole, whatever the case; in words without quotes *
stands for any characters and ? for one. A file or project matches with the last parts of its path too. What is not there gives no match.

	tool:Read,Edit tool:mcp__* model:claude-* file:*_test.go

A regular expression stands between slashes, may be followed by the flags i, s, m and U, and minds the case unless there is an i. A slash
inside is written \/. The slash begins a regex only if the next one is followed by flags and the end of the term; otherwise it begins a word,
so /usr/bin/go is a path. In quotes, \" is a quote and \\ a backslash.

The values of is, has, kind, outcome, validity and end come from a list; one that is not in it is a mistake.

	is:error has:image validity:invalidated end:failed

Numbers, sizes and durations take operators and ranges. A range includes both ends, one of which may be missing. Indexes, turns and steps count
from 0. Tokens take k and M, sizes kB, MB and so on (a kB is 1000 bytes), durations need a unit. A duration without operator means as
it would be shown: 5s is from 5s to just under 6s.

	turn:3..9 index:100.. tokens:>1k size:>=1MB dur:500ms..2m cost:>0.10

Times are a time of day, on whatever day (22:41), a date (2026-02-11), a month, both (2026-02-11T22:41), an instant with its zone (RFC 3339),
today, yesterday, or a duration back from the end of the run (2h), in lists of runs from now. A time lasts as long as its last written place: a date
is a day. after (or since) includes it, before does not, until does, on means within. A range of times of day may go over midnight.

	after:10:30 before:2026-02-11 on:yesterday after:2h time:22:00..02:00

# Mistakes

An unknown key is a mistake, so http://x has to be written "http://x". Each error is a [SyntaxError] with its column and, where it helps, what
to write instead. A [Filter] prints back to a query that means the same.
*/
package lang
