// Package load opens a transcript and keeps it up to date. It picks the source and the format, runs
// the pipeline from bytes to an index, and continues when the file grows:
//
//	c, err := load.Open(ctx, "run.jsonl", load.Options{})
//	…
//	defer c.Close()
//	snap, err := c.Load(ctx) // everything that is there
//
// To watch a transcript, call [Conversation.Next] repeatedly instead: it returns a preview
// first, snapshots while it builds the index, and a new snapshot after each addition.
package load
