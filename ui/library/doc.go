// Package library opens the session of an AI agent for a Go program: its messages, filters,
// statistics, tools, turns and exports. It is the package to import; the other packages of turns
// may change from version to version.
//
//	s, err := library.Open("session.jsonl")
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//	failed, err := s.Filter("role:tool is:error")
//	fmt.Println(failed.Len(), failed.Last(3))
//
// [Open] reads a file, [Read] a reader, [FromMessages] messages in memory, and [Sessions] lists the
// sessions in folders. Filtering and slicing return a smaller [Session] and leave the old one as it
// is. Each answer has a String method, which escapes control characters.
package library
