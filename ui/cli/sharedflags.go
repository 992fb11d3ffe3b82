package cli

import (
	"os"
	"strconv"

	"turns/ui/screen"
	"turns/ui/transcripts"
)

// flags are the flags shared by commands. Each command registers only its own.
type flags struct {
	inputFlags
	selectFlags
	sessionFlags
	countFlags
	outputFlags
	lookFlags
	export    exportFlags
	anonymize anonymizeFlags
}

// inputFlags select how to read transcripts.
type inputFlags struct {
	from       string // a format
	formatFile string // a description of the format
	subagents  bool
	header     []string
	max        []string
	labelFile  string
	noLabels   bool
}

// selectFlags select messages of a session.
type selectFlags struct {
	query, slice, session string
	first, last           optional
}

// cut reports whether messages are selected by position.
func (s *selectFlags) cut() bool { return s.slice != "" || s.first.given || s.last.given }

// narrowed reports whether any flag may exclude messages.
func (s *selectFlags) narrowed() bool { return s.query != "" || s.cut() || s.session != "" }

// sessionFlags select the sessions of a query about many, and the grouping of the answers.
type sessionFlags struct {
	where, since, until string
	by, sort            string
	asked               bool // one of these flags is set, so the query is about many sessions
}

// countFlags select how tokens are counted and priced.
type countFlags struct {
	encoding  string
	noTokens  bool
	priceFile string // file of prices that override all others; "" for none
}

// outputFlags select the destination and the form of an answer.
type outputFlags struct {
	to    string // form; "": text
	json  bool
	rows  int // number of printed rows; 0: all
	out   string
	force bool
	utc   bool
}

// lookFlags select the look of the screen, or output without one.
type lookFlags struct {
	follow  bool
	at      string
	theme   string
	color   string
	ascii   bool
	plain   bool
	noState bool
	view    string

	tour     []screen.TourStep   // over the session
	chosen   func(resume string) // see screen.Options
	tty      *os.File            // terminal of the screen; nil: standard output
	readOnce func() *transcripts.Reads
}

// exportFlags shape exports.
type exportFlags struct {
	to                    string
	metadata              bool
	indent, maxContent    int
	csvRaw                bool
	redact, noRedact      bool
	noReasoning, noResult bool
	paths                 string
	model, system         string
	noTools, untilUser    bool
	before                int // see export.Options
	sdk                   int
	columns               []string
	given                 []string // those of these flags that are set
}

// anonymizeFlags are the flags of commands that publish transcripts.
type anonymizeFlags struct {
	on, dryRun bool
	given      bool // --anonymize or --anonymize=false is set
}

// optional is a number that may be unset, which differs from 0.
type optional struct {
	n     int
	given bool
}

func (o *optional) String() string {
	if !o.given {
		return ""
	}
	return strconv.Itoa(o.n)
}

// Type is int, like that of number flags.
func (o *optional) Type() string { return "int" }

// Set parses the number.
func (o *optional) Set(s string) (err error) {
	o.n, err = strconv.Atoi(s)
	o.given = err == nil
	return err
}
