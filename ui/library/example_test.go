package library_test

import (
	"fmt"
	"os"
	"strings"

	"turns/export"
	"turns/model"
	"turns/ui/library"
	"turns/ui/transcripts"
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

func run() *library.Run {
	r, err := library.Read(strings.NewReader(transcript))
	if err != nil {
		panic(err)
	}
	return r
}

// Only the results of tools.
func ExampleRun_Filter() {
	tools, _ := run().Filter("role:tool")
	for m, err := range tools.Messages() {
		fmt.Println(m.Pos, m.Blocks[0].Text, err)
	}
	// Output:
	// 3 Error: 404 not found <nil>
	// 4 found <nil>
}

// The calls of a tool and their results: filters are combined.
func ExampleRun_Where() {
	calls, _ := run().Where(library.Tool("read_file"))
	results, _ := calls.Where(library.Role("tool"), library.Text("error"))
	fmt.Println(calls.Len(), results.Len())
	// Output: 2 1
}

// A regular expression stands between slashes.
func ExampleRun_Filter_regex() {
	errors, _ := run().Filter(`/Error:\s+\d+/`)
	m, _ := errors.At(0)
	fmt.Println(errors.Len(), m.Pos)
	// Output: 1 3
}

// Messages by their places.
func ExampleRun_Slice() {
	r := run()
	fmt.Println(r.Slice(2, 5).Len(), r.First(3).Len(), r.Last(20).Len())
	// Output: 3 3 8
}

// No role of that name: nothing, and no error.
func ExampleRun_Filter_nothing() {
	none, err := run().Filter("role:invalid")
	fmt.Println(none.Len(), err)
	// Output: 0 <nil>
}

// Messages that lie in memory.
func ExampleOf() {
	r := library.Of(
		model.Message{Role: model.User, Blocks: []model.Content{{Kind: model.Words, Text: "hi"}}},
		model.Message{Role: model.Assistant, Blocks: []model.Content{{Kind: model.Words, Text: "hello"}}})
	last, _ := r.Where(library.Role("assistant"))
	fmt.Println(r.Len(), last.Len())
	// Output: 2 1
}

func ExampleRun_Stats() {
	stats, _ := run().Stats()
	fmt.Println(stats.TotalMessages, stats.MessagesByRole["tool"])
	// Output: 8 2
}

func ExampleRun_Tools() {
	tools, _ := run().Tools()
	fmt.Printf("%s%s", tools[0], tools[1])
	// Output:
	// read_file: 1 calls, 1 errors
	//   c1 read_file({"path":"a.txt"}) = failure: Error: 404 not found
	// grep: 1 calls, 0 errors
	//   c2 grep({"q":"x"}) = success: found
}

func ExampleRun_Turns() {
	turns, _ := run().Turns()
	fmt.Printf("%s%s", turns[0], turns[1])
	// Output:
	// #0 user: Read a.txt and b.txt
	//   c1 read_file({"path":"a.txt"}) = failure: Error: 404 not found
	//   c2 grep({"q":"x"}) = success: found
	//   assistant: One is missing.
	// #1 user: Thanks
	//   assistant: Welcome
}

func ExampleRun_Export() {
	results, _ := run().Filter("role:tool")
	results.Export(os.Stdout, "csv", export.Options{MaxContent: 500})
	// Output:
	// index,role,content,tool_name,tool_call_id,token_count
	// 3,tool,Error: 404 not found,read_file,c1,6
	// 4,tool,found,grep,c2,1
}

// What people said of a run, as filters ask for it.
func ExampleRun_Labelled() {
	r, _ := run().Labelled(&transcripts.Labels{Path: "../../testdata/none.jsonl"})
	loops, _ := r.Filter("label:loop")
	fmt.Println(loops.Len())
	// Output: 0
}
