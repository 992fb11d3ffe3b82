package source

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"turns/model"
	"turns/model/source/disk"
)

// computes returns the name of a computed table that a query uses, "" if it uses none.
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

// needed reports whether the tables have what a query needs, and none that it lists as Lacks.
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
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// maxReads limits the attempts to read a database that changes meanwhile. readPause is the pause
// before the second attempt; it doubles each time.
const (
	maxReads  = 8
	readPause = time.Millisecond
)

// errBusy reports that a database changed each time while turns read it. turns does not lock it:
// the writer has priority.
var errBusy = errors.New("it is written faster than it can be read")

// readDatabase unrolls one consistent state of the database. Each row of each query is a record: a
// JSON object of its columns, with the query's name as List. Text is a JSON string even if it is
// JSON itself. A blob is its text, inflated if it is zlib, gzip or zstd, or {"$blob":{"bytes":n}}.
func readDatabase(ctx context.Context, path string, queries []model.Query, sink *recordSink, rows *rowMemory, opts Options) error {
	return atRest(ctx, path, opts.System, func(before stamp, copied bool) (unchanged bool, err error) {
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
			return sink.count > 0 || sink.err != nil, err // do not write the same records twice
		case keep || sink.err != nil:
			return true, err
		}
		return false, fmt.Errorf("read %q: %w", path, errBusy)
	})
}

// atRest reads a database, and repeats that if the files changed meanwhile: a read in the middle of
// a write may look damaged. From the third attempt on it asks for a copy. If stands is true, the
// error is final.
func atRest(ctx context.Context, path string, system disk.System, read func(before stamp, copied bool) (unchanged bool, err error)) error {
	for try := 1; ; try++ {
		before := stampOf(path)
		unchanged, err := read(before, try > 2)
		if err == nil || unchanged || ctx.Err() != nil {
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

// runQuery writes the rows of a query. SQLite does not read values over the limit; at the first it
// runs the query again from that row, with marks in place of such values.
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

// mark covers each table with a temporary view that replaces values over the limit by an object
// with their size: SQLite knows the size without reading the value.
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

// rows writes the rows of a query except the first skip ones, and returns how many rows are done.
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

// untimed wraps a query with columns declared as dates: the driver turns their text into times,
// which loses the recorded text. An expression has no declared type. It returns "" if there is no
// such column, or if names repeat.
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

// timeText formats a time made by the driver, if untimed could not prevent it.
func timeText(t time.Time) string { return t.Format(time.RFC3339Nano) }
