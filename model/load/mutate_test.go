package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"sort"
	"strings"
	"unicode"
)

// node is a JSON value with its keys in order, to be changed and written again.
type node struct {
	open   json.Delim // '{', '[' or 0
	keys   []string
	values []*node
	scalar any // string, json.Number, bool, nil
}

func readNode(d *json.Decoder) (*node, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	open, ok := tok.(json.Delim)
	if !ok {
		return &node{scalar: tok}, nil
	}
	n := &node{open: open}
	for d.More() {
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			n.keys = append(n.keys, key.(string))
		}
		v, err := readNode(d)
		if err != nil {
			return nil, err
		}
		n.values = append(n.values, v)
	}
	_, err = d.Token()
	return n, err
}

// readNodes returns all values of a file; nil if it is not JSON.
func readNodes(data []byte) []*node {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var list []*node
	for {
		n, err := readNode(d)
		if err == io.EOF {
			return list
		}
		if err != nil || n.open == 0 {
			return nil
		}
		list = append(list, n)
	}
}

func (n *node) write(b *bytes.Buffer) {
	if n.open == 0 {
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(n.scalar)
		b.Truncate(b.Len() - 1)
		return
	}
	b.WriteByte(byte(n.open))
	for i, v := range n.values {
		if i > 0 {
			b.WriteByte(',')
		}
		if n.open == '{' {
			(&node{scalar: n.keys[i]}).write(b)
			b.WriteByte(':')
		}
		v.write(b)
	}
	b.WriteByte(byte(n.open) + 2)
}

func (n *node) text() string {
	var b bytes.Buffer
	n.write(&b)
	return b.String()
}

// walk visits a value and all values inside.
func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, v := range n.values {
		v.walk(visit)
	}
}

func object(pairs ...any) *node {
	n := &node{open: '{'}
	for i := 0; i < len(pairs); i += 2 {
		v, ok := pairs[i+1].(*node)
		if !ok {
			v = &node{scalar: pairs[i+1]}
		}
		n.keys, n.values = append(n.keys, pairs[i].(string)), append(n.values, v)
	}
	return n
}

// transcript is the values of a file: a document, or lines.
type transcript struct {
	doc    bool
	values []*node
	rand   *rand.Rand
}

// parseTranscript reads a file for a mutator; the random choices depend only on the file and the
// mutator. It returns nil if the file is not JSON.
func parseTranscript(data []byte, seed string) *transcript {
	values := readNodes(data)
	if values == nil {
		return nil
	}
	h := fnv.New64a()
	io.WriteString(h, seed)
	first, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	return &transcript{len(values) == 1 && !json.Valid(first), values, rand.New(rand.NewPCG(h.Sum64(), 20))}
}

func (t *transcript) text() string {
	var b bytes.Buffer
	for _, v := range t.values {
		v.write(&b)
		b.WriteByte('\n')
	}
	return b.String()
}

func (t *transcript) walk(visit func(*node)) {
	for _, v := range t.values {
		v.walk(visit)
	}
}

// records returns the records in a reader's sense: the lines, or the elements of the largest list
// of objects in a document.
func (t *transcript) records() (list []*node, of *node) {
	if len(t.values) > 1 {
		return t.values, nil
	}
	most := 0
	t.walk(func(n *node) {
		if n.open != '[' || len(n.values) < 2 {
			return
		}
		for _, v := range n.values {
			if v.open != '{' {
				return
			}
		}
		if size := len(n.text()); of == nil || size > most && len(n.values) >= len(of.values) {
			list, of, most = n.values, n, size
		}
	})
	if of == nil {
		return t.values, nil
	}
	return list, of
}

// word returns a random word without meaning.
func (t *transcript) word() string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var b strings.Builder
	for range 2 + t.rand.IntN(2) {
		b.WriteByte(consonants[t.rand.IntN(len(consonants))])
		b.WriteByte(vowels[t.rand.IntN(len(vowels))])
	}
	return b.String() + string(consonants[t.rand.IntN(len(consonants))])
}

// names returns the keys of a transcript except data: names of arguments and keys of maps.
func (t *transcript) names() []string {
	count := map[string]int{}
	t.walk(func(n *node) {
		for _, k := range n.keys {
			count[k]++
		}
	})
	var names []string
	for k := range count {
		names = append(names, k)
	}
	sort.Strings(names)
	return names
}

// renameAll renames keys; keys not in new stay.
func (t *transcript) renameAll(new map[string]string) {
	t.walk(func(n *node) {
		for i, k := range n.keys {
			if to, ok := new[k]; ok {
				n.keys[i] = to
			}
		}
	})
}

// blindNames renames every field to a random word. The arguments of a call are data and stay; args
// selects them.
func (t *transcript) blindNames(data func(*node) bool) {
	new, used := map[string]string{}, map[string]bool{}
	for _, k := range t.names() {
		if new[k] = k; strings.Count(strings.Map(digitsOnly, k), "0") > 1 {
			continue // an id, of a map
		}
		w := t.word()
		for used[w] {
			w = t.word()
		}
		used[w] = true
		new[k] = w
	}
	var rename func(n *node)
	rename = func(n *node) {
		if data(n) {
			return
		}
		for i, k := range n.keys {
			n.keys[i] = new[k]
		}
		for _, v := range n.values {
			rename(v)
		}
	}
	for _, v := range t.values {
		rename(v)
	}
}

func digitsOnly(r rune) rune {
	if r >= '0' && r <= '9' {
		return '0'
	}
	return -1
}

// mutator changes a transcript as time, or another program, changes formats.
type mutator struct {
	name   string
	cut    bool // removes a part of the conversation
	mutate func(t *transcript) string
}

// onRecords returns a mutator that wraps each record.
func onRecords(name string, wrap func(t *transcript, i int, rec *node) *node) mutator {
	return mutator{name: name, mutate: func(t *transcript) string {
		for i, rec := range t.values {
			t.values[i] = wrap(t, i, rec)
		}
		return t.text()
	}}
}

func stamp(i int) string { return fmt.Sprintf("2026-03-01T10:%02d:%02d.000Z", i/60%60, i%60) }

func mutators() []mutator {
	return []mutator{
		{"same", false, (*transcript).text},
		{"rename", false, mutateRename},
		{"spelling", false, mutateSpelling},
		{"add", false, mutateAdd},
		{"drop", false, mutateDrop},
		{"reorder", false, mutateReorder},
		{"nest", false, mutateNest},
		{"ids", false, mutateIDs},
		onRecords("in event", func(_ *transcript, i int, r *node) *node {
			return object("timestamp", stamp(i), "event", r)
		}),
		onRecords("in data", func(_ *transcript, _ int, r *node) *node { return object("data", r) }),
		onRecords("in row", func(_ *transcript, i int, r *node) *node {
			return object("row_idx", json.Number(fmt.Sprint(i)), "row", r, "truncated_cells", &node{open: '['})
		}),
		onRecords("in three", func(_ *transcript, i int, r *node) *node {
			return object("id", fmt.Sprintf("e-%05d", i), "body", object("source", "agent", "record", object("entry", r)))
		}),
		onRecords("as text", func(_ *transcript, i int, r *node) *node {
			return object("ts", stamp(i), "level", "info", "payload", r.text())
		}),
		onRecords("docker", func(_ *transcript, i int, r *node) *node {
			return object("log", r.text()+"\n", "stream", "stdout", "time", stamp(i))
		}),
		onRecords("cloudwatch", func(_ *transcript, i int, r *node) *node {
			return object("eventId", fmt.Sprintf("38%012d", i), "timestamp", json.Number(fmt.Sprint(1772359200000+int64(i))), "message", r.text(), "ingestionTime", json.Number(fmt.Sprint(1772359201000+int64(i))))
		}),
		onRecords("journald", func(_ *transcript, i int, r *node) *node {
			return object("__REALTIME_TIMESTAMP", fmt.Sprint(1772359200000000+int64(i)*1000), "_PID", "812", "PRIORITY", "6", "SYSLOG_IDENTIFIER", "agent", "MESSAGE", r.text())
		}),
		onRecords("loki", func(_ *transcript, i int, r *node) *node {
			return object("labels", object("app", "agent", "pod", "agent-0"), "line", r.text(), "timestamp", fmt.Sprint(1772359200000000000+int64(i)*1000))
		}),
		onRecords("list a line", func(_ *transcript, _ int, r *node) *node { return &node{open: '[', values: []*node{r}} }),
		{"kubernetes", false, func(t *transcript) string {
			var b strings.Builder
			for i, r := range t.values {
				fmt.Fprintf(&b, "%s stdout F %s\n", stamp(i), r.text())
			}
			return b.String()
		}},
		{"server-sent events", false, func(t *transcript) string {
			var b strings.Builder
			for i, r := range t.values {
				fmt.Fprintf(&b, "event: message\nid: %d\ndata: %s\n\n", i, r.text())
			}
			return b.String()
		}},
		{"evaluation row", false, mutateRow},
		{"cut before", true, func(t *transcript) string {
			list, of := t.records()
			list = list[min(max(1, len(list)*3/10), len(list)-1):]
			if of == nil {
				t.values = list
			} else {
				of.values = list
			}
			return t.text()
		}},
		{"cut behind", true, func(t *transcript) string {
			s := t.text()
			return s[:len(s)*7/10]
		}},
	}
}

// mutateRow turns the lines into the history of an evaluation's row, next to its score.
func mutateRow(t *transcript) string {
	name := []string{"history", "messages", "trajectory", "events", "steps", "trace", "conversation"}[t.rand.IntN(7)]
	history := &node{open: '[', values: t.values}
	if len(t.values) == 1 {
		history = t.values[0]
	}
	row := object("instance_id", "task__1", name, history, "score", json.Number("1"), "metadata", object("model", "m-1", "seed", json.Number("7")))
	return row.text() + "\n"
}

// mutateRename renames one field to a word with the same meaning or none.
func mutateRename(t *transcript) string {
	names := t.names()
	old := names[t.rand.IntN(len(names))]
	same := map[string]string{
		"role": "speaker", "content": "body", "text": "content_text", "type": "kind", "name": "tool", "id": "uid", "message": "msg",
		"tool_calls": "calls", "arguments": "params", "input": "args", "output": "response", "timestamp": "at", "parts": "segments",
		"tool_use_id": "call_id", "tool_call_id": "call", "usage": "tokens", "payload": "body", "result": "outcome",
	}
	to, ok := same[old]
	if !ok || t.rand.IntN(2) == 0 {
		to = t.word()
	}
	t.renameAll(map[string]string{old: to})
	return t.text()
}

// mutateSpelling writes all names in the other case: tool_use_id as toolUseId.
func mutateSpelling(t *transcript) string {
	new := map[string]string{}
	for _, k := range t.names() {
		new[k] = respell(k)
	}
	t.renameAll(new)
	return t.text()
}

func respell(k string) string {
	var b strings.Builder
	if strings.Contains(strings.Trim(k, "_"), "_") {
		up := false
		for i, r := range k {
			switch {
			case r == '_' && i > 0:
				up = true
			case up:
				b.WriteRune(unicode.ToUpper(r))
				up = false
			default:
				b.WriteRune(r)
			}
		}
		return b.String()
	}
	for i, r := range k {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// mutateAdd adds unknown fields to every record.
func mutateAdd(t *transcript) string {
	list, _ := t.records()
	a, b, c := t.word(), t.word(), t.word()
	for i, r := range list {
		if r.open != '{' {
			continue
		}
		r.keys = append([]string{a}, append(r.keys, b, c)...)
		r.values = append([]*node{{scalar: json.Number(fmt.Sprint(t.rand.IntN(1000)))}}, append(r.values,
			object("build", fmt.Sprintf("1.%d", i%3), "ok", true), &node{scalar: "us-east-1"})...)
	}
	return t.text()
}

// mutateDrop removes a field whose values are neither words nor kinds nor repeated elsewhere: an
// optional number, time or id.
func mutateDrop(t *transcript) string {
	values, distinct := map[string]int{}, map[string]map[any]bool{}
	container, seen := map[string]bool{}, map[any]int{}
	t.walk(func(n *node) {
		for i, k := range n.keys {
			v := n.values[i]
			values[k]++
			if distinct[k] == nil {
				distinct[k] = map[any]bool{}
			}
			if s, ok := v.scalar.(string); v.open != 0 || ok && (len(s) > 60 || strings.Contains(s, " ")) {
				container[k] = true
			}
			if v.open == 0 && !distinct[k][v.scalar] {
				distinct[k][v.scalar] = true
				if _, ok := v.scalar.(string); ok {
					seen[v.scalar]++
				}
			}
		}
	})
	var optional []string
	for _, k := range t.names() {
		says := container[k]
		for v := range distinct[k] {
			s, ok := v.(string)
			says = says || ok && (seen[v] > 1 || !strings.ContainsAny(s, "0123456789"))
		}
		if !says && values[k] > 1 {
			optional = append(optional, k)
		}
	}
	if len(optional) == 0 {
		return t.text()
	}
	gone := optional[t.rand.IntN(len(optional))]
	t.walk(func(n *node) {
		for i := len(n.keys) - 1; i >= 0; i-- {
			if n.keys[i] == gone {
				n.keys = append(n.keys[:i:i], n.keys[i+1:]...)
				n.values = append(n.values[:i:i], n.values[i+1:]...)
			}
		}
	})
	return t.text()
}

func mutateReorder(t *transcript) string {
	t.walk(func(n *node) {
		if n.open == '{' {
			t.rand.Shuffle(len(n.keys), func(i, j int) {
				n.keys[i], n.keys[j] = n.keys[j], n.keys[i]
				n.values[i], n.values[j] = n.values[j], n.values[i]
			})
		}
	})
	return t.text()
}

// mutateNest puts the value of one field of the records one deeper.
func mutateNest(t *transcript) string {
	list, _ := t.records()
	count := map[string]int{}
	for _, r := range list {
		for _, k := range r.keys {
			count[k]++
		}
	}
	var names []string
	for k, n := range count {
		if n*2 >= len(list) {
			names = append(names, k)
		}
	}
	if len(names) == 0 {
		return t.text()
	}
	sort.Strings(names)
	name := names[t.rand.IntN(len(names))]
	for _, r := range list {
		for i, k := range r.keys {
			if k == name {
				r.values[i] = object("value", r.values[i])
			}
		}
	}
	return t.text()
}

// mutateIDs replaces the ids with numbers.
func mutateIDs(t *transcript) string {
	numbers := map[string]string{}
	isID := func(k string) bool {
		k = strings.ToLower(k)
		return strings.HasSuffix(k, "id") || strings.HasSuffix(k, "uuid") || strings.HasSuffix(k, "ids")
	}
	t.walk(func(n *node) {
		for i, k := range n.keys {
			s, ok := n.values[i].scalar.(string)
			if !isID(k) || !ok || len(s) < 4 || strings.Contains(s, " ") || !strings.ContainsAny(s, "0123456789") {
				continue
			}
			if numbers[s] == "" {
				numbers[s] = fmt.Sprint(100000 + 7*len(numbers))
			}
		}
	})
	t.walk(func(n *node) {
		if s, ok := n.scalar.(string); ok && numbers[s] != "" {
			n.scalar = json.Number(numbers[s])
		}
	})
	return t.text()
}
