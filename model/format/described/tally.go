package described

import "turns/model"

// Tally counts how many records of a file the rules of a description matched.
type Tally struct {
	Rules []Taken
	Left  int            // records without a matching rule
	Kinds map[string]int // number of these, by kind
}

// Taken counts the records of one rule.
type Taken struct {
	At    string
	When  []string
	As    string
	Count int
	Parts map[string]int // how many of them had a part, by part
}

// Counting is like Compile, for a format that counts the matches of its rules; only one worker may
// parse at a time.
func Counting(d *Format, kit Kit) (*model.Format, *Tally, error) {
	p, err := compile(d, kit)
	if err != nil {
		return nil, nil, err
	}
	p.tally = &Tally{Kinds: map[string]int{}}
	for _, r := range append(append([]Rule{}, d.Rules...), d.Rule) {
		p.tally.Rules = append(p.tally.Rules, Taken{At: r.At, When: r.When, As: r.As, Parts: map[string]int{}})
	}
	if d.Rule.empty() {
		p.tally.Rules = p.tally.Rules[:len(d.Rules)]
	}
	return p.format(), p.tally, nil
}

func (r *reader) count(rule *rule, kept [][]byte) {
	if r.tally == nil {
		return
	}
	t := &r.tally.Rules[rule.index]
	t.Count++
	o := object{reader: r, rule: rule, kept: kept}
	for i := range rule.parts {
		if o.first(i) != nil {
			t.Parts[PartNames[i]]++
		}
	}
}

func (r *reader) countLeft(f *frame, v []byte) {
	if r.tally == nil || len(f.rules) == 0 {
		return
	}
	r.tally.Left++
	r.tally.Kinds[kindOf(v)]++
}

// kindOf returns an object's recorded kind, for people.
func kindOf(v []byte) string {
	kind := "without a kind"
	for _, name := range []string{"type", "kind", "event", "role"} {
		each(v, []string{name}, func(v []byte) {
			if len(v) > 2 && len(v) < 50 && v[0] == '"' {
				kind = name + "=" + string(v[1:len(v)-1])
			}
		})
	}
	return kind
}
