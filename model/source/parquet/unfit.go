package parquet

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	pq "github.com/parquet-go/parquet-go"
)

// asked are the columns of transcripts whose type matters, with their required type.
var asked = [...]struct {
	name       string
	text, list bool
	lost       string // the consequence of another type
}{
	{"messages", true, true, "no row has messages"},
	{"role", true, false, "no message has a role"},
	{"tool_calls", true, true, "no message has calls"},
}

// unfit returns why the rows of a table have less data than a transcript's would: a column has
// another type, or is missing next to columns that only tables of messages have.
func unfit(schema *pq.Schema) error {
	var names []string
	var errs []error
	for _, f := range schema.Fields() {
		names = append(names, f.Name())
		for _, a := range asked {
			if a.name != f.Name() {
				continue
			}
			list := f.Repeated() || !f.Leaf()
			text := !list && (f.Type().Kind() == pq.ByteArray || f.Type().Kind() == pq.FixedLenByteArray)
			if list && !a.list || text && !a.text || !list && !text {
				errs = append(errs, fmt.Errorf("column %q is %s, and %s", a.name, kind(f, list), a.lost))
			}
		}
	}
	has := func(name string) bool { return slices.Contains(names, name) }
	switch {
	case has("messages"):
	case has("content") && !has("role") && slices.ContainsFunc(runColumns, has):
		errs = append(errs, errors.New(`there is no column "role" nor "messages", and the rows are no messages`))
	case has("role") && !slices.ContainsFunc([]string{"content", "tool_calls", "parts", "reasoning", "text"}, has) && slices.ContainsFunc(runColumns, has):
		errs = append(errs, errors.New(`there is no column "content" nor "tool_calls", and the messages are empty`))
	}
	return errors.Join(errs...)
}

// kind returns the type of a column in words.
func kind(f pq.Field, list bool) string {
	if list {
		return "a list or a group"
	}
	return strings.ToLower(f.Type().Kind().String())
}

// lostError reports rows whose messages are text that is not JSON.
type lostError struct {
	rows, first int64
	before      error
}

func (e *lostError) Error() string {
	text := fmt.Sprintf("column %q is no JSON in %d of the rows, the first of them row %d", "messages", e.rows, e.first)
	if e.before != nil {
		text = e.before.Error() + "; " + text
	}
	return text
}

// lost adds a row to the error if its messages are text: valid JSON was parsed into a list.
func lost(err error, messages any, row int64) error {
	if text, ok := messages.(string); !ok || strings.TrimSpace(text) == "" {
		return err
	}
	if e, ok := err.(*lostError); ok {
		e.rows++
		return e
	}
	return &lostError{1, row, err}
}
