package model

import (
	"fmt"
	"time"
)

// Limits bound the cost of a transcript, for one open. A zero field means its default, see
// [DefaultLimits].
type Limits struct {
	Records int64 // records that become rows of the index; a run of equal ones is one
	Rows    int64 // other rows of the index: parts of messages, calls, threads
	Blocks  int64 // parts of a message, of one record
	Record  int64 // bytes of one record; a larger one becomes a row that reports its size
	Value   int64 // bytes of one value of a database, as stored and as inflated
	Members int64 // files of an archive or folder
	// bytes unpacked from a container; its size times Ratio if more
	Unpacked int64
	Ratio    int64         // bytes unpacked from a container, per byte of its size
	Queries  time.Duration // for all queries of a database; a large one has more, see QueryTime
	Response int64         // bytes of one HTTP response, and of all pages of a history
	Spool    int64         // bytes of a spool in memory; a larger spool becomes a file
	Bodies   int64         // bytes of decoded messages in memory
}

// DefaultLimits returns the limits that apply unless the user sets others.
func DefaultLimits() Limits {
	return Limits{
		Records:  2_000_000,
		Rows:     4_000_000,
		Blocks:   100_000,
		Record:   256 << 20,
		Value:    64 << 20,
		Members:  100_000,
		Unpacked: 128 << 20,
		Ratio:    100,
		Queries:  3 * time.Second,
		Response: 1 << 30,
		Spool:    16 << 20,
		Bodies:   32 << 20,
	}
}

// WithDefaults returns l with its zero fields set to their defaults.
func (l Limits) WithDefaults() Limits {
	d := DefaultLimits()
	if l == (Limits{}) { // the common case for a list
		return d
	}
	defaults := d.Table()
	for i, limit := range l.Table() {
		if *limit.Value == 0 {
			*limit.Value = *defaults[i].Value
		}
	}
	return l
}

// Brief returns limits for summaries in a list, which may have thousands of files.
func (l Limits) Brief() Limits {
	l = l.WithDefaults()
	l.Unpacked, l.Ratio = max(l.Unpacked/100, 1), max(l.Ratio/4, 1)
	// Queries is time, not work: a tenth of it may pass while other programs run.
	for _, v := range []*int64{&l.Records, &l.Rows, &l.Blocks, &l.Members} {
		*v = max(*v/10, 1)
	}
	l.Value = max(l.Value/4, 1) // a column of a table may have a long message
	l.Record = min(l.Record, 4<<20)
	return l
}

// MayGrow returns how many bytes a container of from bytes may unpack to.
func (l Limits) MayGrow(from int64) int64 {
	if from > (1<<62)/max(l.Ratio, 1) {
		return 1 << 62
	}
	return max(l.Unpacked, l.Ratio*from)
}

// QueryTime returns how long the queries of a database of this size may run.
func (l Limits) QueryTime(bytes int64) time.Duration {
	return l.Queries + time.Duration(float64(l.Queries)*float64(bytes)/64e6)
}

// Limit is one of the limits, with its name, to list or to set it.
type Limit struct {
	Name, What string
	Unit       LimitUnit
	Value      *int64
}

// LimitUnit is the unit of a limit.
type LimitUnit uint8

// The units.
const (
	Pieces LimitUnit = iota
	Bytes
	Nanoseconds
)

// Table returns the limits of l by name.
func (l *Limits) Table() []Limit {
	return []Limit{
		{"records", "records of a transcript, lines or elements; a run of equal ones is one", Pieces, &l.Records},
		{"rows", "parts of messages, calls and threads in the index", Pieces, &l.Rows},
		{"blocks", "parts of a message in one record", Pieces, &l.Blocks},
		{"record", "one record; of a larger one a row shows the beginning", Bytes, &l.Record},
		{"value", "one value of a database, as stored and as inflated", Bytes, &l.Value},
		{"members", "files of an archive or folder", Pieces, &l.Members},
		{"unpacked", "unpacked size of a compressed file, answer, archive or database, unless its size times `ratio` is more", Bytes, &l.Unpacked},
		{"ratio", "growth of a large compressed file, archive or database, as a multiple of its size", Pieces, &l.Ratio},
		{"queries", "time of all queries of a database, and as much again for each 64 MB of it", Nanoseconds, (*int64)(&l.Queries)},
		{"response", "a response from a URL, and all pages of a history together", Bytes, &l.Response},
		{"spool", "a spool in memory (of pipes, documents, databases); a larger one is a private file", Bytes, &l.Spool},
		{"bodies", "cached messages in memory", Bytes, &l.Bodies},
	}
}

// String returns the limit's value for people.
func (l Limit) String() string {
	switch l.Unit {
	case Bytes:
		return SizeOf(*l.Value)
	case Nanoseconds:
		return time.Duration(*l.Value).String()
	}
	return grouped(*l.Value)
}

// grouped returns a number with commas.
func grouped(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// LimitError reports that a limit was reached, and the omission.
type LimitError struct {
	Name string // of the limit
	Left string // the omission, in words
}

// Error describes the omission.
func (e *LimitError) Error() string { return e.Left }

// Hint returns the flag that raises the limit.
func (e *LimitError) Hint() string { return "--max " + e.Name + "=… raises the limit" }

// Beyond returns the error for an omission caused by the limit with that name.
func (l Limits) Beyond(name, left string) error {
	for _, limit := range l.Table() {
		if limit.Name == name {
			left += ", beyond the limit of " + limit.String()
		}
	}
	return &LimitError{name, left}
}
