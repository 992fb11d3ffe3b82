package load

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"turns/model/modeltest"
)

// sideNames lists names of the two sides of a conversation, for fields and speakers.
var sideNames = [][2]string{
	{"user", "ai"}, {"human", "bot"}, {"user_message", "bot_reply"}, {"userInput", "assistantOutput"}, {"usuario", "asistente"}, {"utilisateur", "assistant"},
	{"Benutzer", "Assistent"}, {"пользователь", "ассистент"}, {"用户", "助手"}, {"ユーザー", "アシスタント"}, {"사용자", "봇"}, {"customer", "agent"}, {"student", "claude"}, {"user", "gpt-4o"},
}

var askedWords = strings.Fields("how far is the old harbour from here which boat leaves first when does it rain what grows in sand who wrote this song why do cats purr")

var toldWords = strings.Fields("the harbour lies two hours north of the town and boats leave every morning but in winter they stay where they are because the sea freezes over near the shore")

func phrase(r *rand.Rand, words []string, n int, end string) string {
	var list []string
	for range n {
		list = append(list, words[r.IntN(len(words))])
	}
	return strings.Join(list, " ") + end
}

// exchange is a question and its answer.
type exchange struct{ asked, told string }

// madeStructures are functions that write conversations in the structures of handmade files.
var madeStructures = map[string]func(r *rand.Rand, names [2]string, talks [][]exchange) (name string, document any){
	"records": func(_ *rand.Rand, names [2]string, talks [][]exchange) (string, any) {
		return "x.json", recordsOf(names, talks[0])
	},
	"records of sessions": func(_ *rand.Rand, names [2]string, talks [][]exchange) (string, any) {
		var list []any
		for i, talk := range talks {
			list = append(list, map[string]any{"id": fmt.Sprintf("s-%d", i), "turns": recordsOf(names, talk)})
		}
		return "x.json", map[string]any{"version": 1, "sessions": list}
	},
	"records under names": func(_ *rand.Rand, names [2]string, talks [][]exchange) (string, any) {
		all := map[string]any{}
		for i, talk := range talks {
			all[fmt.Sprintf("chat %c", 'a'+i)] = recordsOf(names, talk)
		}
		return "x.json", all
	},
	"rows with speakers": func(_ *rand.Rand, names [2]string, talks [][]exchange) (string, any) {
		var rows []any
		for i, talk := range talks {
			for _, e := range talk {
				rows = append(rows, map[string]any{"conversation_id": i + 1, "speaker": names[0], "text": e.asked}, map[string]any{"conversation_id": i + 1, "speaker": names[1], "text": e.told})
			}
		}
		return "x.jsonl", rows
	},
	"messages under ids": func(_ *rand.Rand, _ [2]string, talks [][]exchange) (string, any) {
		all := map[string]any{}
		for i, talk := range talks {
			var list []any
			for _, e := range talk {
				list = append(list, map[string]any{"role": "user", "content": e.asked}, map[string]any{"role": "assistant", "content": e.told})
			}
			all[fmt.Sprintf("id%d", 100+i)] = map[string]any{"title": fmt.Sprintf("talk %d", i), "messages": list}
		}
		return "x.json", map[string]any{"conversations": all}
	},
	"sections": func(r *rand.Rand, names [2]string, talks [][]exchange) (string, any) {
		names[0], names[1] = strings.TrimSuffix(names[0], "Input"), strings.TrimSuffix(names[1], "Output")
		marks := [...][2]string{{"## ", ""}, {"**", "**"}, {"### 🙂 ", " [10:00]"}, {"_**", " (2026-01-05 10:00:00Z)**_"}}[r.IntN(4)]
		var b strings.Builder
		for _, e := range talks[0] {
			for i, text := range []string{e.asked, e.told} {
				fmt.Fprintf(&b, "%s%s%s\n\n%s\n\n", marks[0], names[i], marks[1], text)
			}
		}
		return "x.md", b.String()
	},
}

func recordsOf(names [2]string, talk []exchange) (list []any) {
	for _, e := range talk {
		list = append(list, map[string]any{names[0]: e.asked, names[1]: e.told})
	}
	return list
}

// TestWildMade writes conversations in many structures under many names, and reads them back.
func TestWildMade(t *testing.T) {
	dir := t.TempDir()
	for structure, write := range madeStructures {
		for seed := range 2 * len(sideNames) {
			if !modeltest.SomeNamed(fmt.Sprint(structure, seed), 1) {
				continue
			}
			r := rand.New(rand.NewPCG(uint64(seed), 31))
			names := sideNames[seed%len(sideNames)]
			talks := make([][]exchange, 1)
			if !strings.HasPrefix(structure, "sections") && structure != "records" {
				talks = make([][]exchange, 2+r.IntN(3))
			}
			messages := 0
			for i := range talks {
				for range 2 + r.IntN(4) {
					talks[i] = append(talks[i], exchange{phrase(r, askedWords, 4+r.IntN(4), "?"), phrase(r, toldWords, 8+r.IntN(12), ".")})
					messages++
				}
			}
			name, document := write(r, names, talks)
			path := filepath.Join(dir, fmt.Sprintf("%s-%d-%s", strings.ReplaceAll(structure, " ", "-"), seed, name))
			if err := os.WriteFile(path, madeText(t, document), 0o600); err != nil {
				t.Fatal(err)
			}
			got, format := countsOf(t, path)
			if got["u"] != messages || got["a"] != messages || got["c"] != len(talks) {
				t.Errorf("%s of %q as %s: %v, want %d of each in %d conversations", structure, names, format, got, messages, len(talks))
			}
		}
	}
}

// madeText returns a document as JSON, rows as JSON lines and text unchanged.
func madeText(t *testing.T, document any) []byte {
	t.Helper()
	if text, ok := document.(string); ok {
		return []byte(text)
	}
	rows, ok := document.([]any)
	if !ok || len(rows) == 0 || rows[0].(map[string]any)["speaker"] == nil {
		return mustJSON(t, document)
	}
	var all []byte
	for _, row := range rows {
		all = append(append(all, mustJSON(t, row)...), '\n')
	}
	return all
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
