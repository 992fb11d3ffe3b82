package dialect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"turns/export"
	"turns/export/exporttest"
	"turns/model"
	"turns/model/modeltest"
	"turns/query/provider"
)

// atom is a part of a conversation that must survive the way through another format.
type atom struct {
	what     string // words, call, result, image
	who      string
	id, text string
}

// atomsOf returns the parts of a conversation in order. It moves results after their calls and
// joins consecutive words of one role, as formats do.
func atomsOf(t *testing.T, snap *model.Snapshot) (atoms []atom) {
	t.Helper()
	results := map[string][]atom{}
	each := func(yield func(m *model.Message)) {
		for _, id := range exporttest.Everything(snap).IDs {
			m, err := snap.Body(context.Background(), id)
			if err != nil {
				t.Fatal(err)
			}
			yield(m)
		}
	}
	each(func(m *model.Message) {
		for i := range m.Blocks {
			if b := &m.Blocks[i]; b.Kind == model.ToolResult {
				results[b.ID] = append(results[b.ID], atom{"result", "", b.ID, b.Text})
			}
		}
	})
	bare := 0
	each(func(m *model.Message) {
		who := m.Role.String()
		for i := range m.Blocks {
			b := &m.Blocks[i]
			switch b.Kind {
			case model.Words:
				if strings.TrimSpace(b.Text) == "" {
					continue
				}
				if n := len(atoms) - 1; n >= 0 && atoms[n].what == "words" && atoms[n].who == who {
					atoms[n].text += "\n" + b.Text
					continue
				}
				atoms = append(atoms, atom{"words", who, "", b.Text})
			case model.ToolCall:
				atoms = append(atoms, atom{"call", "", b.ID, b.Name + compact(b.Text)})
				if list := results[b.ID]; len(list) > 0 {
					n := 0
					if b.ID == "" {
						n, bare = bare, bare+1
					}
					if n < len(list) {
						atoms = append(atoms, list[n])
					}
				}
			case model.Media:
				if a := provider.AttachmentOf(b); a != nil {
					atoms = append(atoms, atom{"image", who, "", a.MIME + a.Data})
				}
			}
		}
	})
	return atoms
}

func compact(text string) string {
	var v any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return text
	}
	out, _ := json.Marshal(v)
	return string(out)
}

// losses lists the parts of Chat Completions that a format cannot express, with the words of the
// note in its report.
var losses = map[string]map[string]string{
	"sharegpt":           {"id": "no ids", "image": "could not be written", "end": "behind the last answer"},
	"openai-finetune":    {"end": "behind the last answer"},
	"vercel-functions":   {"id": "no ids", "image": "could not be written"},
	"atif":               {"image": "could not be written"},
	"agentsmithy":        {"image": "could not be written"},
	"agentsmithy-events": {"image": "could not be written", "result": "the format has no results", "system": "the format has none"},
}

// without returns the atoms that remain if a format cannot express the lost parts.
func without(atoms []atom, lost map[string]string) (left []atom) {
	for _, a := range atoms {
		if _, gone := lost["id"]; gone {
			a.id = ""
		}
		_, result := lost["result"]
		_, system := lost["system"]
		if result && a.what == "result" || system && a.who == "system" {
			continue
		}
		if _, gone := lost["image"]; gone {
			lines := slices.DeleteFunc(strings.Split(a.text, "\n"), func(s string) bool { return strings.HasSuffix(s, "it is not included)") })
			if a.text = strings.Join(lines, "\n"); a.what == "image" || len(lines) == 0 {
				continue
			}
		}
		if _, gone := lost["end"]; gone && a.what == "result" {
			a.text = "" // the format cuts the results of the last calls
		}
		if n := len(left) - 1; n >= 0 && a.what == "words" && left[n].what == "words" && left[n].who == a.who {
			left[n].text += "\n" + a.text
			continue
		}
		left = append(left, a)
	}
	return left
}

// crossing returns a random conversation that Chat Completions can express, with images.
func crossing(r *rand.Rand) []model.Message {
	msgs := randomMessages(r)
	for i := range msgs {
		if msgs[i].Role == model.User && r.IntN(3) == 0 {
			msgs[i].Blocks = append(msgs[i].Blocks, model.Content{Kind: model.Media, Name: "image/png", Text: dot})
		}
	}
	return msgs
}

// TestCrossing converts conversations from Chat Completions to another format and back. Only the
// parts that the report names may be missing.
func TestCrossing(t *testing.T) {
	modeltest.Long(t, "it writes every format from every other")
	crossings := append(slices.Clone(roundTrips), []struct{ format, reads string }{{"vercel-functions", "vercel-model"}, {"agentsmithy-events", "agentsmithy"}, {"otlp", "otel"}}...)
	for _, rt := range crossings {
		t.Run(rt.format, func(t *testing.T) {
			for seed := range uint64(40) {
				body, _ := written(t, "openai", exporttest.Everything(model.FromMessages(crossing(rand.New(rand.NewPCG(seed, 21))))), export.Options{})
				from := exporttest.FromBytes(t, body, "openai")
				out, report := written(t, rt.format, exporttest.Everything(from), export.Options{})
				if empty(out) {
					continue
				}
				through, err := exporttest.TryBytes(t, out, rt.reads)
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, out)
				}
				again, _ := written(t, "openai", exporttest.Everything(through), export.Options{})
				got, want := atomsOf(t, exporttest.FromBytes(t, again, "openai")), atomsOf(t, from)
				notes, lost := strings.Join(report.Notes, "\n"), map[string]string{}
				for what, note := range losses[rt.format] {
					if strings.Contains(notes, note) {
						lost[what] = note
					}
				}
				got, want = without(got, lost), without(want, lost)
				if _, cut := lost["end"]; cut {
					want = want[:min(len(want), len(got))]
				}
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, notes %q:\ngot  %s\nwant %s\nas   %s", seed, report.Notes, fmt.Sprint(got), fmt.Sprint(want), out)
				}
			}
		})
	}
}
