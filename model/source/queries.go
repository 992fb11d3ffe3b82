package source

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"turns/model"
	"turns/model/source/disk"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// computes reports whether a query asks for something that is computed.
func (d *database) computes(q model.Query) string {
	words := strings.FieldsFunc(strings.ToLower(q.SQL), func(r rune) bool {
		return r != '_' && !('a' <= r && r <= 'z') && !('0' <= r && r <= '9')
	})
	for _, name := range d.computed {
		if slices.Contains(words, strings.ToLower(name)) {
			return name
		}
	}
	return ""
}

// needed reports whether a query finds what it needs, and nothing of what it lacks.
func needed(q model.Query, tables map[string][]string) bool {
	for _, lack := range q.Lacks {
		if _, there := tables[lack]; there {
			return false
		}
	}
	for _, need := range q.Needs {
		table, column, dotted := strings.Cut(need, ".")
		columns, ok := tables[table]
		if !ok {
			return false
		}
		if dotted && !contains(columns, column) {
			return false
		}
	}
	return true
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// maxReads is how often a database is read anew because it was written meanwhile,
// and readPause how long is waited before the second time; the pauses double.
const (
	maxReads  = 8
	readPause = time.Millisecond
)

// errBusy says that a database did not stand still for as long as reading it
// takes. It is not locked for that: what its writer does is more important.
var errBusy = errors.New("it is written faster than it can be read")

// readDatabase unrolls the database as it is at one moment: each row of each query
// is a record, a JSON object of its columns, its List the query's name. Text is a
// JSON string even where it is JSON itself; a blob is the text that it holds,
// inflated if it is zlib, gzip or zstd, else {"$blob":{"bytes":n}}.
func readDatabase(ctx context.Context, path string, queries []model.Query, sink *recordSink, rows *rowMemory, opts Options) error {
	return atRest(ctx, path, opts.System, func(before stamp, copied bool) (stands bool, err error) {
		d, err := openDatabase(ctx, path, opts.TempDir, copied, opts.Limits)
		if err != nil {
			return false, err
		}
		steady := d.steady
		sink.held, sink.count, sink.meter = !steady || rows != nil && rows.begun(), 0, newMeter(opts.Limits)
		sink.meter.in.Store(d.bytes())
		err = d.unroll(ctx, queries, sink, rows)
		d.Close()
		keep := steady || before == stampOf(path)
		if keep && err == nil && rows != nil && rows.rewritten() {
			err = errRewritten
		}
		if sink.held {
			sink.release(keep && !errors.Is(err, errRewritten))
		}
		if rows != nil {
			rows.finish(keep, err == nil)
		}
		switch {
		case errors.Is(err, errRewritten):
			return true, err
		case steady && err != nil:
			return sink.count > 0 || sink.err != nil, err // what was given is not given again
		case keep || sink.err != nil:
			return true, err
		}
		return false, fmt.Errorf("read %q: %w", path, errBusy)
	})
}

// atRest reads a database, and reads it anew where it did not stand still: what is read in the
// middle of a write may look damaged. It asks for a copy when that goes on. An error that stands
// is one whatever was written.
func atRest(ctx context.Context, path string, system disk.System, read func(before stamp, copied bool) (stands bool, err error)) error {
	for try := 1; ; try++ {
		before := stampOf(path)
		stands, err := read(before, try > 2)
		if err == nil || stands || ctx.Err() != nil {
			return err
		}
		if !errors.Is(err, errBusy) {
			if before == stampOf(path) {
				return err
			}
			err = fmt.Errorf("read %q: %w", path, errBusy)
		}
		if try == maxReads {
			return err
		}
		if err := system.Pause(ctx, readPause<<(try-1)); err != nil {
			return err
		}
	}
}

// unroll runs the queries in one transaction, so that they see one state.
func (d *database) unroll(ctx context.Context, queries []model.Query, sink *recordSink, rows *rowMemory) error {
	tables, err := d.tables(ctx)
	if err != nil {
		return err
	}
	inTime, cancel := d.timed(ctx)
	defer cancel()
	tx, err := d.conn.BeginTx(inTime, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("read %q: %w", d.path, err)
	}
	defer tx.Rollback()
	var errs []error
	for _, q := range queries {
		if name := d.computes(q); name != "" {
			errs = append(errs, fmt.Errorf("read %s of %q: %q is computed when it is read, and no table", q.Name, d.path, name))
			continue
		}
		if !needed(q, tables) {
			continue
		}
		if err := d.runQuery(inTime, tx, q, sink, rows); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			errs = append(errs, fmt.Errorf("read %s of %q: %w", q.Name, d.path, d.late(inTime, err)))
		}
		if inTime.Err() != nil {
			break
		}
		if sink.err != nil {
			return sink.err
		}
	}
	return errors.Join(errs...)
}

// runQuery writes the rows of a query. Where one has a value over the limit, which
// SQLite does not read, the query is run again from there with marks in place of
// such values.
func (d *database) runQuery(ctx context.Context, tx *sql.Tx, q model.Query, sink *recordSink, memory *rowMemory) error {
	done, err := d.rows(ctx, tx, q, 0, sink, memory)
	if tooBig := (*sqlite.Error)(nil); errors.As(err, &tooBig) && tooBig.Code() == sqlite3.SQLITE_TOOBIG && !d.marked {
		if err := d.mark(ctx, tx); err != nil {
			return err
		}
		if _, err = d.rows(ctx, tx, q, done, sink, memory); err == nil {
			err = d.limits.Beyond("value", "a value of a row, which says how large it is, is left out")
		}
	}
	return err
}

// mark lays a view of its own over each table, in which an object that says the
// size stands for a value over the limit: SQLite tells the size without reading
// the value.
func (d *database) mark(ctx context.Context, tx *sql.Tx) error {
	d.marked = true
	for table, columns := range d.stored {
		var b strings.Builder
		for _, c := range columns {
			fmt.Fprintf(&b, `, CASE WHEN octet_length(%[1]s) > %[2]d THEN '{"$blob":{"bytes":' || octet_length(%[1]s) || '}}' ELSE %[1]s END AS %[1]s`,
				quotedName(c), d.limits.Value)
		}
		if !contains(columns, "rowid") {
			b.WriteString(", rowid")
		}
		view := "CREATE TEMP VIEW " + quotedName(table) + " AS SELECT " + b.String()[2:] + " FROM main." + quotedName(table)
		if _, err := tx.ExecContext(ctx, "PRAGMA query_only=0; "+view+"; PRAGMA query_only=1"); err != nil {
			return err
		}
	}
	return nil
}

func quotedName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// rows writes the rows of a query but for the first ones, and gives how many there
// were.
func (d *database) rows(ctx context.Context, tx *sql.Tx, q model.Query, skip int, sink *recordSink, memory *rowMemory) (done int, err error) {
	rows, err := tx.QueryContext(ctx, q.SQL)
	if err != nil {
		return 0, err
	}
	defer func() { rows.Close() }()
	columns, err := rows.ColumnTypes()
	if err != nil {
		return 0, err
	}
	if wrapped := untimed(q.SQL, columns); wrapped != "" {
		rows.Close()
		if rows, err = tx.QueryContext(ctx, wrapped); err != nil {
			return 0, err
		}
	}
	e := rowEncoder{limit: d.limits.Value, values: make([]any, len(columns)), owner: -1}
	targets := make([]any, len(columns))
	for i, c := range columns {
		e.names = append(e.names, string(model.AppendQuoted(nil, []byte(c.Name()))))
		targets[i] = &e.values[i]
		if slices.Contains(sessionColumns[:], c.Name()) {
			e.owner = i
		}
		if fields, ok := q.Wire[c.Name()]; ok {
			if e.wire == nil {
				e.wire = make([][]*wireField, len(columns))
			}
			if e.wire[i], err = parseWire(fields); err != nil {
				return 0, err
			}
		}
		if q.Packed != nil {
			e.packed = append(e.packed, slices.Contains(q.Packed, c.Name()))
		}
	}
	for rows.Next() {
		if done++; done <= skip {
			continue
		}
		if err := rows.Scan(targets...); err != nil {
			return done - 1, err
		}
		line, key, session := e.encode()
		if memory != nil && memory.known(q.Name, key, session, line) {
			continue
		}
		sink.record(q.Name, line)
		if sink.err != nil {
			return done, sink.err
		}
	}
	return done, rows.Err()
}

// untimed wraps a query with columns that are declared as dates: the driver turns
// their text into times, and what was recorded would be lost. An expression has
// no declared type. "" if no such column is there, or names come twice.
func untimed(query string, columns []*sql.ColumnType) string {
	dated := false
	var b strings.Builder
	seen := map[string]bool{}
	for i, c := range columns {
		switch c.DatabaseTypeName() {
		case "DATE", "DATETIME", "TIMESTAMP":
			dated = true
		}
		name := strings.ReplaceAll(c.Name(), `"`, `""`)
		if lower := strings.ToLower(name); seen[lower] || name == "" {
			return ""
		} else {
			seen[lower] = true
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `+"%s" AS "%s"`, name, name)
	}
	if !dated {
		return ""
	}
	return "SELECT " + b.String() + " FROM (" + strings.TrimRight(query, "; \n\t") + "\n)"
}

// timeText is how a time that the driver made is written, where it could not be
// kept from doing so.
func timeText(t time.Time) string { return t.Format(time.RFC3339Nano) }
