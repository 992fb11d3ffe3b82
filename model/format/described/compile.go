package described

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"turns/model"
)

// kinds are the valid values of a rule's As.
const kinds = " message exchange dialogue text reasoning call result note about compact meter retract end span block group skip "

func compile(d *Format, kit Kit) (*parser, error) {
	p := &parser{desc: d, kit: kit, roles: map[string]model.Role{}, root: &frame{slots: 1}}
	if err := p.conditions(d); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(d.Roles)) {
		role := d.Roles[name]
		r, ok := model.ParseRole(role)
		if !ok {
			return nil, &pathError{role, fmt.Sprintf("there is no role %q", role)}
		}
		p.roles[name] = r
	}
	if p.usage = kit.Usage; len(d.Counts) > 0 && kit.Counts != nil {
		p.usage = kit.Counts(d.Counts)
	}
	p.fields(d)
	all := slices.Clone(d.Rules)
	if !d.Rule.empty() {
		base := d.Rule
		base.Keep = nil // these apply to all records
		all = append(all, base)
	}
	for i := range all {
		all[i].inherit(&d.Rule)
		for at := range strings.SplitSeq(all[i].At, "|") {
			rule := all[i]
			rule.At = at
			if err := p.add(&rule, i); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// conditions compiles the conditions that identify the format, and the marks.
func (p *parser) conditions(d *Format) error {
	for _, list := range []struct {
		texts []string
		into  *[][]condition
	}{{d.Any, &p.any}, {d.Has, &p.has}} {
		for _, text := range list.texts {
			set, err := parseConditions(text)
			if err != nil {
				return err
			}
			*list.into = append(*list.into, set)
		}
	}
	for _, text := range d.Match {
		set, err := parseConditions(text)
		if err != nil {
			return err
		}
		p.match = append(p.match, set...)
	}
	for _, list := range d.Marks {
		m := mark{}
		for _, name := range list.Flags {
			flag, ok := flagNames[name]
			if !ok {
				return &pathError{name, fmt.Sprintf("there is no mark %q", name)}
			}
			m.flags |= flag
		}
		if err := m.setConditions(list.When, p.root); err != nil {
			return err
		}
		p.marks = append(p.marks, m)
	}
	return nil
}

// flagNames are the flags that a mark can set.
var flagNames = map[string]model.Flags{
	"injected": model.Injected, "synthetic": model.Synthetic, "partial": model.Partial, "sidechain": model.Sidechain, "interrupted": model.Interrupted,
	"api-error": model.APIError, "queued": model.Queued, "hidden": model.Hidden, "refused": model.Refused, "compacted": model.Compacted,
	"invalidated": model.Invalidated, "superseded": model.Superseded, "archived": model.Archived, "summary": model.Recap,
}

// fields sets which fields of a record become extra fields, and their names.
func (p *parser) fields(d *Format) {
	for _, path := range d.Inner {
		p.root.node(steps(path)).inner = true
	}
	for _, path := range d.Drop {
		p.root.node(steps(path))
	}
	for _, name := range slices.Sorted(maps.Keys(d.Keep)) {
		for path := range strings.SplitSeq(d.Keep[name], "|") {
			p.root.node(steps(strings.TrimSpace(path))).as = name
		}
	}
}

// inherit fills the rule's unset paths with those of the description for all records.
func (r *Rule) inherit(base *Rule) {
	if r.At != "" {
		return
	}
	for _, part := range []struct{ own, all *string }{
		{&r.Time, &base.Time}, {&r.Model, &base.Model}, {&r.Usage, &base.Usage}, {&r.Key, &base.Key}, {&r.Parent, &base.Parent},
		{&r.Session, &base.Session}, {&r.Status, &base.Status}, {&r.Name, &base.Name}, {&r.Stop, &base.Stop}, {&r.Record, &base.Record},
	} {
		if *part.own == "" {
			*part.own = *part.all
		}
	}
}

func (r *Rule) empty() bool {
	for _, path := range r.Paths() {
		if *path != "" {
			return false
		}
	}
	return r.As == ""
}

// add compiles a rule into its frame.
func (p *parser) add(d *Rule, index int) error {
	if d.As != "" && !strings.Contains(kinds, " "+d.As+" ") {
		return &pathError{d.As, fmt.Sprintf("a record cannot be read as %q; it is one of%s", d.As, strings.TrimRight(kinds, " "))}
	}
	f := p.frameAt(d.At)
	r := &rule{Rule: d, index: index}
	if err := r.setConditions(d.When, f); err != nil {
		return err
	}
	for i, path := range r.Rule.Paths() {
		if fixed, ok := strings.CutPrefix(*path, "="); ok && i == partRole {
			if r.fixed, ok = model.ParseRole(fixed); !ok {
				return &pathError{*path, fmt.Sprintf("there is no role %q", fixed)}
			}
			continue
		}
		r.parts[i] = f.spots(*path)
	}
	last := d.Error[strings.LastIndexByte(d.Error, '.')+1:]
	r.asserts = last == "success" || last == "ok" || last == "succeeded"
	r.kindly = r.As == "call" && slices.ContainsFunc(d.When, func(c string) bool { return strings.HasPrefix(c, d.Tool+"=") })
	for _, name := range slices.Sorted(maps.Keys(d.Keep)) {
		r.keeps = append(r.keeps, keeping{name, f.spots(d.Keep[name])})
	}
	f.rules = append(f.rules, r)
	p.keyed = p.keyed || slices.ContainsFunc(r.parts[:], asksForKey) || slices.ContainsFunc(r.keeps, func(k keeping) bool { return asksForKey(k.spots) })
	p.joins, p.spans = p.joins || d.Joins, p.spans || d.As == "span"
	p.tells = p.tells || d.As == "about" && d.At == "" && len(p.desc.Keep) > 0
	return nil
}

func asksForKey(spots []spot) bool {
	return slices.ContainsFunc(spots, func(s spot) bool { return s.slot == slotKey })
}

// setConditions sets the conditions of a rule.
func (r *rule) setConditions(when []string, f *frame) error {
	for _, text := range when {
		c, err := parseCondition(text)
		if err != nil {
			return err
		}
		s := f.spot(c.path)
		c.slot, c.path = s.slot, s.tail
		r.when = append(r.when, c)
	}
	return nil
}

// frameAt returns the frame of a place, inside the frame of the nearest place above.
func (p *parser) frameAt(at string) *frame {
	f := p.root
	way := steps(at)
	for len(way) > 0 {
		next := (*frame)(nil)
		for _, u := range f.under {
			if len(u.path) <= len(way) && equal(u.path, way[:len(u.path)]) && (next == nil || len(u.path) > len(next.path)) {
				next = u
			}
		}
		if next == nil {
			next = &frame{path: way, slots: 1}
			s := f.spot(way)
			next.slot, next.tail = s.slot, s.tail
			f.under = append(f.under, next)
		}
		way, f = way[len(next.path):], next
	}
	return f
}

func equal(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// spots returns the spots of a path's alternatives. Text that begins with "=" is not a path.
func (f *frame) spots(paths string) (list []spot) {
	if strings.HasPrefix(paths, "=") {
		return nil
	}
	for way := range strings.SplitSeq(paths, "|") {
		switch way = strings.TrimSpace(way); way {
		case "":
		case ".":
			f.lists = true
			list = append(list, spot{slot: slotWhole})
		case "@":
			list = append(list, spot{slot: slotKey})
		default:
			list = append(list, f.spot(steps(way)))
		}
	}
	return list
}

// spot makes a slot for a path, or for the part of the path before the first list.
func (f *frame) spot(path []string) spot {
	at := slices.IndexFunc(path, func(key string) bool { return key == "" || key == Pairs || isPrefix(key) })
	if at < 0 {
		at = len(path)
	}
	return spot{f.node(path[:at]).keep(f), path[at:]}
}

// node returns the place of a path without lists.
func (f *frame) node(path []string) *tree {
	t := &f.tree
	for _, key := range path {
		next := t.under([]byte(key))
		if next == nil {
			next = &tree{key: key}
			t.next = append(t.next, next)
		}
		t = next
	}
	return t
}

// under returns the place of a key, nil if no path has it. The keys are few, so a linear search is
// faster than a map.
func (t *tree) under(key []byte) *tree {
	for _, n := range t.next {
		if n.key == string(key) {
			return n
		}
	}
	return nil
}

func (t *tree) keep(f *frame) int {
	if t.slot == 0 {
		t.slot = f.slots
		f.slots++
	}
	return t.slot
}
