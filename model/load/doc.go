// Package load opens a transcript and keeps it up to date. It picks the source
// and the format, runs the pipeline from bytes to an index, and goes on when the
// file grows:
//
//	c, err := load.Open(ctx, "run.jsonl", load.Options{})
//	…
//	defer c.Close()
//	snap, err := c.Load(ctx) // everything that is there
//
// A caller that watches asks for [Conversation.Next] instead, again and again: it
// gives a preview at once, snapshots while the index is made, and a new one
// whenever something was appended.
package load
