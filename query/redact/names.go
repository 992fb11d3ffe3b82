package redact

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Kind is a kind of names.
type Kind uint8

// The kinds of names, in the order of lists.
const (
	Home Kind = iota // the user in the path of a home folder
	User
	Host
	Mail
	Address
	Repository
	Pattern // a pattern of the user
	Secret  // a kind of secrets
)

// String returns the name of a kind in lists and in JSON.
func (k Kind) String() string {
	return [...]string{"home", "user", "host", "mail", "address", "repository", "pattern", "secret"}[k]
}

// Own describes a machine and its user. Empty fields are unknown.
type Own struct {
	User, Home, Host string
	Patterns         []*regexp.Regexp  // of further names; nil: none
	Replacements     map[string]string // replacements of an earlier run; nil: none
}

// Names finds the names of people, machines and private repositories and replaces each
// consistently: alice is user1 in every text that passes through the same Names. Call [Names.Learn]
// for all texts first, because the last text may show that a word of the first is a name.
// Goroutines may share it.
type Names struct {
	patterns []*regexp.Regexp
	entries  atomic.Pointer[map[string]*entry] // by first word; adding a name replaces the map

	mu          sync.Mutex
	substitutes map[string]string // replacement of each name, by class and name in lower case
	next        map[string]int    // number of the next replacement of a class
	tally       map[string]*Replaced
}

// entry has the learned names and the contexts that begin with one word.
type entry struct {
	literals []literal // longest first
	context  surroundings
}

// surroundings searches for a name around a word.
type surroundings func(n *Names, s *scan, at, end int)

// literal is a learned name.
type literal struct {
	text string // in lower case
	kind Kind
	with string
}

// Replaced is a name and its replacement.
type Replaced struct {
	Kind  Kind
	From  string // as first found
	To    string
	Count int
}

// NewNames returns Names that include those of a machine and its user.
func NewNames(own Own) *Names {
	n := &Names{patterns: own.Patterns, substitutes: map[string]string{}, next: map[string]int{}, tally: map[string]*Replaced{}}
	n.take(own.Replacements)
	entries := map[string]*entry{}
	for word, look := range contexts() {
		entries[word] = &entry{context: look}
	}
	n.entries.Store(&entries)
	n.learnOwn(own.User[strings.LastIndexByte(own.User, '\\')+1:], own.Home)
	if short, _, _ := strings.Cut(own.Host, "."); isHost(short) {
		n.learn(Host, short, n.replacement("host", short))
	}
	return n
}

// Redactor returns a redactor that replaces names and, if secrets is true, also secrets.
func (n *Names) Redactor(secrets bool) *Redactor {
	r := &Redactor{seen: newSeen(), names: n}
	if secrets {
		r.secrets = allRules()
	}
	return r
}

// learnOwn learns the user of the machine and the home folder, wherever it is.
func (n *Names) learnOwn(user, home string) {
	base := home[strings.LastIndexAny(home, `/\`)+1:]
	for _, name := range [...]string{user, base} {
		if isUser(name) && !commonWords(strings.ToLower(name)) {
			n.learn(User, name, n.replacement("user", name))
		}
	}
	parent := strings.TrimSuffix(home, base)
	if len(parent) > 1 && !plainUsers(strings.ToLower(base)) && parent != "/home/" && parent != "/Users/" && strings.HasPrefix(home, "/") {
		n.learn(Home, home[1:], "home/"+n.replacement("user", cmp.Or(user, base)))
	}
}

// OnlyCounting returns a redactor of secrets that counts them by kind.
func OnlyCounting() *Redactor {
	r := New()
	r.names = &Names{tally: map[string]*Replaced{}}
	r.names.entries.Store(&map[string]*entry{})
	r.counts = true
	return r
}

// Names returns the names that a redactor replaces, nil if it replaces none.
func (r *Redactor) Names() *Names { return r.names }

// Learn reads the names in a text and chooses their replacements. The order of texts decides the
// numbers.
func (n *Names) Learn(text []byte) { n.Redactor(false).Find(text) }

// LearnFrom reads the names in a text, line by line.
func (n *Names) LearnFrom(from io.Reader) error {
	w := &Writer{learns: n}
	_, err := io.Copy(w, from)
	return errors.Join(err, w.Close())
}

// String returns a text with every name replaced.
func (n *Names) String(text string) string { return n.Redactor(false).String(text) }

// Replaced returns the replaced names so far, by kind and number.
func (n *Names) Replaced() []Replaced {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := make([]Replaced, 0, len(n.tally))
	for _, r := range n.tally {
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b Replaced) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(len(a.To), len(b.To)), cmp.Compare(a.To, b.To))
	})
	return list
}

// Replacements returns the replacement of each name, for [Own.Replacements] of a later run.
func (n *Names) Replacements() map[string]string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return maps.Clone(n.substitutes)
}

// take adopts the replacements of an earlier run.
func (n *Names) take(substitutes map[string]string) {
	for key, with := range substitutes {
		class, _, _ := strings.Cut(key, " ")
		n.substitutes[key] = with
		if number, ok := numberOf(class, with); ok {
			n.next[class] = max(n.next[class], number)
		}
	}
}

// count counts a replaced name.
func (n *Names) count(kind Kind, from, to string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	key := kind.String() + " " + to
	r := n.tally[key]
	if r == nil {
		r = &Replaced{Kind: kind, From: strings.Clone(from), To: to}
		n.tally[key] = r
	}
	r.Count++
}

// replacement returns the replacement of a name, and makes one for a new name.
func (n *Names) replacement(class, name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	key := class + " " + strings.ToLower(composed(name))
	with := n.substitutes[key]
	if with == "" {
		n.next[class]++
		with = numberedName(class, n.next[class])
		n.substitutes[key] = with
	}
	return with
}

// numberedName returns the replacement with a number. Addresses are those that RFC 5737, 2544 and
// 3849 reserve for documents and tests.
func numberedName(class string, number int) string {
	switch class {
	case "mail":
		return "mail" + strconv.Itoa(number) + "@example.com"
	case "ip4":
		if number < 255 {
			return "192.0.2." + strconv.Itoa(number)
		}
		number -= 254
		return "198." + strconv.Itoa(18+number>>16&1) + "." + strconv.Itoa(number>>8&255) + "." + strconv.Itoa(number&255)
	case "ip6":
		return "2001:db8::" + strconv.FormatInt(int64(number), 16)
	}
	return class + strconv.Itoa(number)
}

// numberOf returns the number in a replacement.
func numberOf(class, with string) (int, bool) {
	switch class {
	case "mail":
		with = strings.TrimSuffix(with, "@example.com")
	case "ip4":
		class = "192.0.2."
		if !strings.HasPrefix(with, class) {
			var a, b, c int
			for i, to := range [...]*int{&a, &b, &c} {
				*to, _ = strconv.Atoi(strings.Split(with+"....", ".")[i+1])
			}
			return 254 + (a-18)<<16 + b<<8 + c, true
		}
	case "ip6":
		number, err := strconv.ParseInt(strings.TrimPrefix(with, "2001:db8::"), 16, 32)
		return int(number), err == nil
	}
	number, err := strconv.Atoi(strings.TrimPrefix(with, class))
	return number, err == nil
}

// isStanding reports whether a text is a replacement of a class such as user.
func isStanding(class, text string) bool {
	rest, ok := strings.CutPrefix(text, class)
	return ok && rest != "" && strings.Trim(rest, "0123456789") == ""
}

// learn adds a name. Later scans replace it wherever it is a word.
func (n *Names) learn(kind Kind, name, with string) {
	text := strings.ToLower(name)
	word := firstWord(text)
	if len(word) < 1 || len(word) > longestWord {
		return
	}
	l := literal{text, kind, with}
	n.mu.Lock()
	defer n.mu.Unlock()
	old := *n.entries.Load()
	e := &entry{}
	if was := old[word]; was != nil {
		if slices.ContainsFunc(was.literals, func(o literal) bool { return o.text == text }) {
			return
		}
		*e = *was
	}
	e.literals = append(slices.Clone(e.literals), l)
	slices.SortStableFunc(e.literals, func(a, b literal) int { return len(b.text) - len(a.text) })
	fresh := maps.Clone(old)
	fresh[word] = e
	n.entries.Store(&fresh)
	for _, other := range spellings(text) {
		if other != text {
			n.mu.Unlock()
			n.learn(kind, other, with)
			n.mu.Lock()
		}
	}
}

func dashedRune(r rune) rune {
	if r == '.' || r == '_' || r == ' ' || r == '/' {
		return '-'
	}
	return r
}

// longestWord is the maximum length of the first word of a name: that of a label in a host name.
const longestWord = 63
