// Package dump prints facts for people: for golden files, and to inspect the result of a
// parser.
package dump

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"turns/model"
)

// Dumper prints the facts of records. It prints keys as small numbers, in the order in which it
// first saw them.
type Dumper struct {
	w    *bufio.Writer
	keys map[model.Key]int
}

// New returns a Dumper that prints to w.
func New(w io.Writer) *Dumper {
	return &Dumper{bufio.NewWriter(w), map[model.Key]int{}}
}

// Write prints the facts of one record to w.
func Write(w io.Writer, fs *model.Facts) error { return New(w).Facts(fs) }

var opNames = [...]string{"say", "note", "unreadable", "reset", "rewind", "retract", "compact", "life", "leaf", "child", "meter", "about", "end"}

var joinNames = [...]string{"union", "replace", "extend", "apart", "answers", "nested", "stand-in", "in-text"}

var scopeNames = [...]string{"none", "each", "counter", "total"}

// Facts prints the facts of one record.
func (d *Dumper) Facts(fs *model.Facts) error {
	for i := range fs.Len() {
		d.fact(fs.At(i))
	}
	if fs.Rest > 0 {
		fmt.Fprintf(d.w, "rest %d\n", fs.Rest)
	}
	return d.w.Flush()
}

func (d *Dumper) fact(f *model.Fact) {
	d.word(opNames[f.Op])
	if f.Op == model.Say || f.Role != model.NoRole {
		d.word(" " + f.Role.String())
	}
	if f.Join != model.Union {
		d.word(" " + joinNames[f.Join])
	}
	d.key("key", f.Key)
	d.key("session", f.Session)
	d.key("thread", f.Thread)
	d.key("interaction", f.Interaction)
	d.key("record", f.Record)
	d.key("parent", f.Parent)
	d.key("target", f.Target)
	d.key("by", f.By)
	d.key("span", f.Span)
	d.key("above", f.Above)
	d.key("echo", f.Echo)
	d.number("seq", f.Seq)
	d.number("n", f.N)
	d.time(f.Time)
	d.text(" model=", f.Model)
	d.text(" name=", f.Name)
	d.text(" elsewhere=", f.Elsewhere)
	if f.Outcome != model.Unknown {
		d.word(" outcome=" + f.Outcome.String())
	}
	if f.Stop != model.StopUnknown {
		d.word(" stop=" + f.Stop.String())
	}
	if f.HasScore {
		d.word(" score=" + strconv.FormatFloat(f.Score, 'g', -1, 64))
	}
	d.flags(f.Flags)
	d.word("\n")
	d.usage(f.Usage)
	for _, k := range f.Calls {
		d.word("  calls")
		d.key("echo", k)
		d.word("\n")
	}
	for i := range f.Blocks {
		d.block(&f.Blocks[i])
	}
	for _, x := range f.Extra {
		d.word("  ." + x.Name)
		d.text(" ", x.Value)
		d.word("\n")
	}
	for i := range f.Files {
		d.file(&f.Files[i])
	}
}

func (d *Dumper) file(t *model.FileText) {
	d.word("  file " + t.Kind.String())
	d.text(" call=", t.Call)
	d.text(" path=", t.Path)
	d.number("first", int64(t.First))
	d.number("total", int64(t.Total))
	d.text(" ", t.Text)
	d.word("\n")
}

func (d *Dumper) block(b *model.Block) {
	d.word("  " + b.Kind.String())
	d.word([...]string{"", " script", " poll", " of-text"}[b.Nesting])
	d.key("within", b.Within)
	d.key("key", b.Key)
	d.text(" id=", b.ID)
	d.text(" name=", b.Name)
	if b.Outcome != model.Unknown {
		d.word(" outcome=" + b.Outcome.String())
	}
	if b.Took != 0 {
		d.word(" took=" + b.Took.String())
	}
	d.number("size", b.Size)
	d.number("width", int64(b.Width))
	d.number("height", int64(b.Height))
	d.text(" elsewhere=", b.Elsewhere)
	d.text(" ", b.Text)
	d.word("\n")
	for _, x := range b.Extra {
		d.word("    ." + x.Name)
		d.text(" ", x.Value)
		d.word("\n")
	}
}

func (d *Dumper) usage(u model.Usage) {
	if u.Scope == model.NoUsage {
		return
	}
	d.word("  usage " + scopeNames[u.Scope])
	d.key("key", u.Key)
	for _, n := range []struct {
		name string
		n    int64
	}{{"input", u.Input}, {"read", u.CacheRead}, {"write", u.CacheWrite}, {"output", u.Output}, {"reasoning", u.Reasoning}} {
		if n.n >= 0 {
			fmt.Fprintf(d.w, " %s=%d", n.name, n.n)
		}
	}
	if u.HourCache {
		d.word(" cache=hour")
	}
	if u.Missed != "" {
		d.word(" missed=" + u.Missed)
	}
	if u.Subagents {
		d.word(" subagents")
	}
	if u.HasCost {
		d.word(" cost=" + strconv.FormatFloat(u.Cost, 'g', -1, 64))
	}
	d.word("\n")
}

func (d *Dumper) word(s string) { d.w.WriteString(s) }

func (d *Dumper) key(name string, k model.Key) {
	if k == 0 {
		return
	}
	n, ok := d.keys[k]
	if !ok {
		n = len(d.keys) + 1
		d.keys[k] = n
	}
	fmt.Fprintf(d.w, " %s=#%d", name, n)
}

func (d *Dumper) number(name string, n int64) {
	if n != 0 {
		fmt.Fprintf(d.w, " %s=%d", name, n)
	}
}

func (d *Dumper) time(m model.Moment) {
	if m.Ms == 0 {
		return
	}
	layout := "2006-01-02T15:04:05.000"
	if m.Zoned {
		layout += "Z"
	}
	d.word(" time=" + time.UnixMilli(m.Ms).UTC().Format(layout))
}

func (d *Dumper) flags(flags model.Flags) {
	if names := flags.Names(); names != nil {
		d.word(" flags=" + strings.Join(names, ","))
	}
}

// dumpWidth is the maximum number of bytes printed of a text.
const dumpWidth = 160

// text prints a string quoted and any other value as its source. It prints nothing for an absent
// text.
func (d *Dumper) text(before string, t model.Text) {
	switch t.Encoding() {
	case model.Absent:
		return
	case model.Null:
		d.word(before + "null")
		return
	}
	s, more := t.String(), 0
	if len(s) > dumpWidth {
		cut := dumpWidth
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s, more = s[:cut], len(s)-cut
	}
	if t.Encoding() == model.JSONValue {
		s = strings.Map(func(r rune) rune {
			if r < ' ' {
				return -1
			}
			return r
		}, s)
	} else {
		s = strconv.Quote(s)
	}
	d.word(before + s)
	if more > 0 {
		fmt.Fprintf(d.w, "+%d", more)
	}
}
