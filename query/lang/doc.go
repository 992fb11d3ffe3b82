// Package lang is the filter language: a lexer (lex.go), a parser (parse.go), the tree (ast.go),
// the table of keys (keys.go), and completion (complete.go). It knows no conversations; package
// filter matches a tree against them.
//
// # The filter language
//
// A filter is the text of the filter bar or of --query:
//
//	role:tool,assistant tool:read_* is:error -text:"retry" /timeout \d+/i dur:>5s
//
// The grammar:
//
//	query = and { "|" and }
//	and   = term { term }
//	term  = [ "-" | "!" ] ( key ":" [ op ] value { "," value } | value | "(" query ")" )
//	value = word | "quoted string" | /regex/flags
//	op    = ">" | ">=" | "<" | "<=" | "="
//
// All terms of a sequence must match; | separates alternatives and binds less tightly than a
// sequence; - or ! right before a term negates it; brackets group. AND, &&, OR, || and NOT in
// capitals mean the same as a space, | and -. A comma means "or" between values after a key;
// elsewhere it is a character like any other. The empty query matches everything. Terms about a
// call in one sequence refer to the same call: tool:Bash is:error is a Bash call that failed.
//
// # Values
//
// A word or quoted string without a key is searched in everything a reader sees. The values of
// text, content, reasoning, args, result and title are searched in their part. Case does not
// matter. Words of a recorded summary, key moment or thread are found at the first message of the
// conversation.
//
//	timeout "not found" content:retry args:"rm -rf"
//
// The values of role, tool, model, name, id, session, thread and interaction match the whole
// value, in any case; in words without quotes * means any characters and ? means one. A file or
// project also matches by the last parts of its path. A missing field does not match.
//
//	tool:Read,Edit tool:mcp__* model:claude-* file:*_test.go
//
// A regular expression is written between slashes. The flags i, s, m and U may follow; without i,
// case matters. A slash inside is written \/. The slash begins a regex only if the next one is
// followed by flags and the end of the term; otherwise it begins a word, so /usr/bin/go is a path.
// In quotes, \" is a quote and \\ a backslash.
//
// The values of is, has, kind, outcome, validity and end come from a list; any other value is a
// mistake.
//
//	is:error has:image validity:invalidated end:failed
//
// Numbers, sizes and durations accept operators and ranges. A range includes both ends, one of
// which may be missing. Indexes, turns and steps count from 0. Tokens accept k and M, sizes kB, MB
// and so on (a kB is 1000 bytes), durations need a unit. A duration without operator matches all
// durations that are shown like it: 5s is from 5s to just under 6s.
//
//	turn:3..9 index:100.. tokens:>1k size:>=1MB dur:500ms..2m cost:>0.10
//
// A time is a time of day, on any day (22:41), a date (2026-02-11), a month, both
// (2026-02-11T22:41), an instant with its zone (RFC 3339), today, yesterday, or a duration back
// from the end of the session (2h); in lists of sessions it counts back from now. A time lasts as
// long as its last written place: a date is a day. after (or since) includes it, before does not,
// until does, on means within. A range of times of day may go over midnight.
//
//	after:10:30 before:2026-02-11 on:yesterday after:2h time:22:00..02:00
//
// # Mistakes
//
// An unknown key is a mistake, so write http://x as "http://x". Each error is a [SyntaxError] with
// its column and, if possible, a correction. A [Filter] prints back to an equivalent query.
package lang
