package stitch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"turns/model"
	"turns/model/format"
	"turns/model/format/formattest"
	"turns/model/modeltest"
)

// TestReadBack reads the messages of the samples of all formats, through a cache of few messages. A
// line of the golden file has the title and the end of the conversation, and a checksum of its
// messages and of the whole snapshot. The messages in memory make a second checksum.
func TestReadBack(t *testing.T) {
	slugs, err := os.ReadDir(formattest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]*model.Format{}
	for _, f := range format.All() {
		named[f.Name] = f
	}
	var lines strings.Builder
	for _, slug := range slugs {
		f := named[slug.Name()]
		if f == nil {
			continue
		}
		for _, file := range formattest.Files(t, slug.Name()) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := formattest.Sample(filepath.Base(file), data)
			snap := snapshotOf(f, formattest.Cut(f, f.Detect(s), s, data))
			var msgs []model.Message
			reader := snap.NewReader()
			for id := range model.ID(snap.Rows()) {
				msg, err := snap.Body(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				msgs = append(msgs, *msg)
				checkReader(t, reader, file, msg)
			}
			sum := checksum(t, snap, msgs)
			var inMemory uint32
			if len(msgs) > 0 {
				inMemory = checksum(t, model.FromMessages(msgs), msgs)
			}
			end := model.JoinEndings(snap.Endings())
			fmt.Fprintf(&lines, "%s/%s: %q %v %q, due %d, %d running: %08x %08x\n", slug.Name(), filepath.Base(file),
				model.NewTitles(snap, nil).Of(t.Context(), 0), end.State, end.Reason, end.Due, end.Runs, sum, inMemory)
		}
	}
	modeltest.Golden(t, "testdata/readback.golden", lines.String())
}

// snapshotOf joins the facts of records, whose texts one source holds one after another.
func snapshotOf(f *model.Format, records []model.Record) *model.Snapshot {
	var text []byte
	for i, rec := range records {
		from := int64(len(text))
		text = fmt.Appendf(text, "%s\t%s", rec.List, rec.Data)
		records[i].Ref = model.Ref{Off: from, Len: uint32(int64(len(text)) - from)}
	}
	b := New(f.Order, f.Repeats, model.NewBodyCache(8<<10))
	source := model.Source{Stream: bytes.NewReader(text), Format: f.Name, Framed: true, Parse: f.Parse}
	if len(records) > 0 {
		source.Variant = records[0].Variant
	}
	at := b.AddSource(source)
	batch := NewBatch()
	var facts model.Facts
	for _, rec := range records {
		rec.Ref.Source = at
		facts.Clear()
		if err := f.Parse(rec, &facts); err != nil {
			batch.AddUnreadable(rec.Ref)
			continue
		}
		batch.Add(rec.Ref, &facts)
	}
	b.Apply(batch)
	return b.Snapshot()
}

// checkReader compares the blocks that a reader returns for a message with those of its body.
func checkReader(t *testing.T, r *model.Reader, file string, msg *model.Message) {
	t.Helper()
	same := func(blocks []model.Block) bool {
		var got []string
		for i := range blocks {
			got = append(got, fmt.Sprintf("%v %v %q %q %q %v", blocks[i].Kind, blocks[i].Outcome, blocks[i].ID.String(), blocks[i].Name.String(), blocks[i].Text.String(), blocks[i].Took))
		}
		var want []string
		for i := range msg.Blocks {
			c := &msg.Blocks[i]
			want = append(want, fmt.Sprintf("%v %v %q %q %q %v", c.Kind, c.Outcome, c.ID, c.Name, c.Text, c.Took))
		}
		return slices.Equal(got, want)
	}
	if blocks, err := r.Blocks(t.Context(), msg.ID); err != nil || !same(blocks) {
		t.Errorf("%s: the reader has %+v of message %d, %v; its body %+v", file, blocks, msg.ID, err, msg.Blocks)
	}
	if blocks, ok := r.Prose(msg.ID); ok && !same(blocks) {
		t.Errorf("%s: the prose of message %d is %+v; its body %+v", file, msg.ID, blocks, msg.Blocks)
	}
}

// checksum is that of all that a snapshot says of its rows and sessions.
func checksum(t *testing.T, snap *model.Snapshot, msgs []model.Message) uint32 {
	t.Helper()
	var all bytes.Buffer
	e := json.NewEncoder(&all)
	say := func(v ...any) {
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	var bill model.Bill
	count := model.Summary{}
	for id := range model.ID(snap.Rows()) {
		h := snap.HeadRow(id)
		text, null := msgs[id].Content()
		tokens, ok := snap.Tokens(id)
		say(h, snap.Pos(id), snap.RowNumber(id), snap.RoleName(h), snap.ModelOf(id), snap.Calls(id), snap.Answers(id), tokens, ok, h.OutputLeast(9))
		say(msgs[id], text, null, msgs[id].Size(), string(msgs[id].Raw()), msgs[id].Fields(), len(msgs[id].Calls()), len(msgs[id].Results()))
		if u := tokens.Usage(); ok {
			bill.Use(&u, snap.ModelOf(id))
		}
		for _, c := range snap.Calls(id) {
			if snap.Counted(&c.Call) {
				count.Count(&c.Call)
			}
		}
	}
	for from := range min(snap.Rows(), 4) {
		for session := range snap.Sessions() {
			say(snap.Ending(session, model.ID(from)))
		}
		say(snap.Standing(count, from))
	}
	for session := range snap.Sessions() {
		say(snap.Model(session), model.NewTitles(snap, nil).Of(t.Context(), session))
	}
	say(snap.Endings(), model.JoinEndings(snap.Endings()), snap.LastAsked(), snap.LastQuotas(t.Context()), snap.Threads(), snap.Sessions(), snap.Events(), bill, count)
	return crc32.ChecksumIEEE(all.Bytes())
}
