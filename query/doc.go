// Package query is what all answers stand on: selections of messages, calls paired with their
// results, turns, usage, how a run ended, the places of results, counted tokens, and the writer of
// JSON. An answer is a pure function of a snapshot: nothing in this package or below it reads
// files, asks the clock, draws on a terminal or leaves a goroutine behind. Texts come through the
// snapshot, the present time and the zone are parameters. Answers hold IDs and numbers, never
// copies of texts, so they stay small however large the conversation is.
//
// The answers themselves live in the folders below:
//
//	human      numbers, durations, widths and tables as people read them
//	lang       the filter language: lexer, parser, tree, completion
//	filter     which messages a filter lets through, and where a pattern stands
//	describe   a message as lines of a list: what it is about, how it ended
//	label      notes, labels, verdicts and scores that people give
//	session    lists of sessions: what one does or how it ended, filters, columns
//	provider   what a provider refuses of a conversation, and its repair
//	summary    stats, tools, timeline, work log, files, cost
//	window     what the model could see: context, budgets, tiers, waste
//	runs       several runs: differences, days, open threads
//	many       sums over many runs, by tool, model, day and the like
package query
