// Package remote reads what lies in buckets and on other hosts as if it were files: names
// that [Is] knows are addresses, all others are paths of this machine. Nothing is ever
// written there.
package remote
