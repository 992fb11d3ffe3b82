package library_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"turns/model"
	"turns/ui/library"
)

const transcript = `[
{"role":"system","content":"You are a helper."},
{"role":"user","content":"Read a.txt and b.txt"},
{"role":"assistant","content":"","tool_calls":[
 {"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a.txt\"}"}},
 {"id":"c2","type":"function","function":{"name":"grep","arguments":"{\"q\":\"x\"}"}}]},
{"role":"tool","tool_call_id":"c1","name":"read_file","content":"Error: 404 not found"},
{"role":"tool","tool_call_id":"c2","name":"grep","content":"found"},
{"role":"assistant","content":"One is missing."},
{"role":"user","content":"Thanks"},
{"role":"assistant","content":"Welcome"}]`

func session() *library.Session {
	s, err := library.Read(strings.NewReader(transcript))
	if err != nil {
		panic(err)
	}
	return s
}

// Open a transcript and read its messages.
func ExampleOpen() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "session.json")
	os.WriteFile(path, []byte(transcript), 0o600)

	s, err := library.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	last, _ := s.Message(-1)
	text, _ := last.Content()
	fmt.Println(s.Len(), last.Role, text)
	// Output: 8 assistant Welcome
}

// List the sessions in a folder, and open one of them.
func ExampleSessions() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	os.WriteFile(filepath.Join(dir, "session.json"), []byte(transcript), 0o600)

	for e, err := range library.Sessions(context.Background(), dir) {
		fmt.Println(filepath.Base(e.Path), e.Messages, e.Errors, e.Title, err)
	}
	// Output: session.json 8 1 Read a.txt and b.txt <nil>
}

// Filter with the query language of the command line. The answer is a smaller session.
func ExampleSession_Filter() {
	tools, _ := session().Filter("role:tool")
	for m, err := range tools.Messages() {
		fmt.Println(m.Pos, m.Blocks[0].Text, err)
	}
	errors, _ := session().Filter(`/Error:\s+\d+/`)
	fmt.Println(errors.Len())
	_, err := session().Filter("role:")
	fmt.Println(err)
	// Output:
	// 3 Error: 404 not found <nil>
	// 4 found <nil>
	// 1
	// filter "role:", column 6: role wants a value: role:user or role:tool,assistant
}

// Combine typed terms, which need no quoting.
func ExampleSession_Where() {
	s := session()
	calls, _ := s.Where(library.Tool("read_file"))
	failed, _ := calls.Where(library.Role("tool"), library.Text("error"))
	fmt.Println(calls.Len(), failed.Len())
	// Output: 2 1
}

// Take messages by position, as in Python.
func ExampleSession_Slice() {
	s := session()
	fmt.Println(s.Slice(2, 5).Len(), s.Slice(-2, 8).Len(), s.First(3).Len(), s.Last(20).Len())
	// Output: 3 2 3 8
}

// Count the tokens of each message in one call.
func ExampleSession_Tokens() {
	s, _ := library.Read(strings.NewReader(transcript), library.Options{Encoding: "cl100k"})
	fmt.Println(s.Tokens())
	// Output: [5 6 14 6 1 4 1 1] <nil>
}

// Count messages, tokens, calls and errors.
func ExampleSession_Stats() {
	stats, _ := session().Stats()
	fmt.Println(stats.TotalMessages, stats.MessagesByRole["tool"], stats.ToolCalls, stats.ToolErrors)
	// Output: 8 2 2 1
}

// See each tool with its calls.
func ExampleSession_Tools() {
	tools, _ := session().Tools()
	fmt.Printf("%s%s", tools[0], tools[1])
	// Output:
	// read_file: 1 call, 1 error
	//   c1 read_file({"path":"a.txt"}) = failure: Error: 404 not found
	// grep: 1 call, 0 errors
	//   c2 grep({"q":"x"}) = success: found
}

// See the whole session as turns. A single turn prints the same way.
func ExampleSession_Turns() {
	turns, _ := session().Turns()
	fmt.Print(turns)
	// Output:
	// #0 user: Read a.txt and b.txt
	//   c1 read_file({"path":"a.txt"}) = failure: Error: 404 not found
	//   c2 grep({"q":"x"}) = success: found
	//   assistant: One is missing.
	// #1 user: Thanks
	//   assistant: Welcome
}

// Export messages in memory, here as CSV.
func ExampleSession_Export() {
	s := library.FromMessages(
		model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "hi"}}},
		model.Message{Role: model.Assistant, Blocks: []model.Content{{Kind: model.Words, Text: "hello"}}})
	s.Export(os.Stdout, "csv")
	text, _ := s.First(1).ExportString("json")
	fmt.Print(text)
	// Output:
	// index,role,content,tool_name,tool_call_id,token_count
	// 0,user,hi,,,1
	// 1,assistant,hello,,,1
	// [
	//   {
	//     "role": "user",
	//     "content": "hi"
	//   }
	// ]
}
