// Package content divides the cost of a conversation over what stays in its context: each message
// is sent again with every later request until a compaction removes it.
package content
