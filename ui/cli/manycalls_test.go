package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"turns/export/formats"
	"turns/model/modeltest"
)

// manyCalls are sessions of n calls in as few messages as possible. Most are larger than the
// message cache of the commands.
var manyCalls = map[string]func(n int) string{
	"a message of calls, one of results": func(n int) string {
		return said("user", `"go"`) + said("assistant", repeated(n, anthropicCall)) + said("user", repeated(n, anthropicResult))
	},
	"results in the other order": func(n int) string {
		return said("user", `"go"`) + said("assistant", repeated(n, anthropicCall)) + said("user", repeated(n, func(i int) string { return anthropicResult(n - 1 - i) }))
	},
	"one id": func(n int) string {
		one := func(of func(int) string) func(int) string {
			return func(int) string { return of(0) }
		}
		return said("user", `"go"`) + said("assistant", repeated(n, func(i int) string {
			return strings.Replace(anthropicCall(i), fmt.Sprintf(`"c%06d"`, i), `"c"`, 1)
		})) + said("user", strings.ReplaceAll(repeated(n, one(anthropicResult)), `"c000000"`, `"c"`))
	},
	"calls and results in one message": func(n int) string {
		return said("user", `"go"`) + said("assistant", repeated(n, func(i int) string { return anthropicCall(i) + "," + anthropicResult(i) }))
	},
	"two messages of results in turn": func(n int) string {
		return said("user", `"go"`) + said("assistant", repeated(n, anthropicCall)) +
			said("user", repeated(n/2, func(i int) string { return anthropicResult(2 * i) })) + said("user", repeated(n/2, func(i int) string { return anthropicResult(2*i + 1) }))
	},
	"results without calls": func(n int) string {
		return said("user", `"go"`) + said("user", repeated(n, anthropicResult))
	},
	"a message for each call, one of results": func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(said("assistant", "["+anthropicCall(i)+"]"))
		}
		return said("user", `"go"`) + b.String() + said("user", repeated(n, anthropicResult))
	},
}

func said(role, content string) string {
	return fmt.Sprintf(`{"role":%q,"content":%s}`+"\n", role, content)
}

func repeated(n int, element func(i int) string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = element(i)
	}
	return "[" + strings.Join(list, ",") + "]"
}

func anthropicCall(i int) string {
	return fmt.Sprintf(`{"type":"tool_use","id":"c%06d","name":"Bash","input":{"command":"echo %d"}}`, i, i)
}

func anthropicResult(i int) string {
	return fmt.Sprintf(`{"type":"tool_result","tool_use_id":"c%06d","content":"line %d %s"}`, i, i, strings.Repeat("x", 200))
}

// TestManyCallsCostWhatTheyAre: eight times as many calls allocate about eight times as much while
// they are read. Reading a message again for each of its calls would cost their square.
func TestManyCallsCostWhatTheyAre(t *testing.T) {
	modeltest.Long(t, "it counts what is allocated")
	commands := []string{"show", "stats", "tools", "tools --json", "timeline", "timeline --json", "context", "log", "check", "recap", "search 17", "show -q -text:17", "show -q has:diff_(is:error|text:7)"}
	for _, name := range formats.Names() {
		commands = append(commands, "export --to "+name)
	}
	for i, name := range slices.Sorted(maps.Keys(manyCalls)) {
		conversation := manyCalls[name]
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			few, many := filepath.Join(dir, "few.jsonl"), filepath.Join(dir, "many.jsonl")
			const n = 100
			for path, n := range map[string]int{few: n, many: 8 * n} {
				if err := os.WriteFile(path, []byte(conversation(n)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for k, command := range commands {
				if !modeltest.Some(i+k, 8) {
					continue // every command runs on two of the sessions
				}
				args := func(path string) []string {
					words := strings.Fields(command)
					for i := range words {
						words[i] = strings.ReplaceAll(words[i], "_", " ")
					}
					return slices.Insert(words, 1, path)
				}
				allocated(t, args(few)) // first-time allocations
				a, b := allocated(t, args(few)), allocated(t, args(many))
				// large messages are not cached between the steps of a command: a few readings more
				if b > 24*a+4<<20 {
					t.Errorf("%s: %d bytes for %d calls, %d for %d", command, a, n, b, 8*n)
				}
			}
		})
	}
}

// allocated returns how many bytes a command allocates.
func allocated(t *testing.T, args []string) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	code, _, stderr := run(t, "", args...)
	runtime.ReadMemStats(&after)
	if code > 1 {
		t.Fatalf("%q: exit %d: %s", args, code, stderr)
	}
	return after.TotalAlloc - before.TotalAlloc
}
