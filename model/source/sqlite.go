package source

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"turns/model"
	"turns/model/source/disk"
)

// database is a SQLite database. turns never writes to it, nor to any file next to it.
type database struct {
	path    string // the original
	conn    *sql.Conn
	db      *sql.DB
	copy    string // folder of a private copy, "" if there is none
	release func() // releases the hold on the copy
	// the content is of one moment, even if it is written meanwhile
	steady bool
	limits model.Limits
	size   int64               // total bytes of its files
	stored map[string][]string // columns of each table
	marked bool                // views with marks cover the tables
	// views, virtual tables and tables with generated columns. No query is run on these: their cost
	// does not depend on the size of the file.
	computed []string
}

// openDatabase opens the database at path. The mode depends on the files next to it: reading
// through a write-ahead log needs a shared-memory file, which SQLite would create; ignoring the log
// would lose the newest rows. So:
//
//   - a non-empty log with its shared memory: the writing program may be
//     running; both are used as they are, read-only
//   - no log, or an empty one: the file is complete and is opened as immutable,
//     which creates nothing. It does not lock either, because a lock could make
//     a write of the other program fail. The stamp shows later writes
//   - a log without shared memory, or a journal of an interrupted transaction:
//     all files are copied, and the copy is opened
//
// The only lock is the one of a reader of a write-ahead log, which does not block writers. copied
// forces the copy: copying is faster than queries, and may fit between two writes when queries do
// not.
func openDatabase(ctx context.Context, path, tempDir string, copied bool, limits model.Limits) (*database, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open database %q: %w", path, err)
	}
	if err := isDatabase(path); err != nil {
		return nil, err
	}
	path = throughLinks(path)
	var first error
	if mode := openMode(path); mode != "" && !(copied && mode == immutable) {
		d := &database{path: path, steady: mode != immutable, limits: limits.WithDefaults()}
		if first = d.open(ctx, path, mode); first == nil {
			return d, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	d, err := openCopy(ctx, path, tempDir, limits)
	if err != nil {
		// A file in mid-write looks damaged; the copy then fails with errBusy.
		if first != nil && !errors.Is(err, errBusy) {
			err = first
		}
		return nil, fmt.Errorf("open database %q: %w", path, err)
	}
	return d, nil
}

// throughLinks resolves links: the log and the journal are next to the file itself, not next to a
// link.
func throughLinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

func isDatabase(path string) error {
	f, err := disk.OpenFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var head [len(sqliteMagic)]byte
	if n, _ := f.ReadAt(head[:], 0); n < len(head) || string(head[:]) != sqliteMagic {
		return fmt.Errorf("open database %q: it is not a SQLite database", path)
	}
	return nil
}

// openMode returns the mode for opening the database in place, "" if it must be copied.
func openMode(path string) string {
	_, shmErr := os.Stat(path + "-shm")
	switch {
	case fileSize(path+"-journal") > 0 && fileSize(path+"-wal") <= 0:
		return "" // of a running or interrupted transaction: a copy rolls it back
	case fileSize(path+"-wal") > 0 && shmErr == nil:
		return "mode=ro&readonly_shm=1"
	case fileSize(path+"-wal") > 0:
		return ""
	}
	return immutable
}

const immutable = "mode=ro&immutable=1"

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

func (d *database) open(ctx context.Context, path, mode string) error {
	slashed := filepath.ToSlash(path)
	if runtime.GOOS == "windows" {
		slashed = "/" + slashed
	}
	dsn := "file:" + (&url.URL{Path: slashed}).EscapedPath() + "?" + mode +
		"&_defensive=1&_pragma=query_only(1)&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=mmap_size(0)" +
		"&_pragma=busy_timeout(2000)&_pragma=temp_store(2)"
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err == nil {
		_, err = sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, int(min(d.limits.Value, 1<<30)))
	}
	if err == nil {
		var n int
		err = conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&n)
	}
	if err != nil {
		if conn != nil {
			conn.Close()
		}
		db.Close()
		return err
	}
	d.db, d.conn = db, conn
	return nil
}

// openCopy copies the database with its log or journal into a folder that only the user can read.
// The copies lose their names immediately if the system allows it.
func openCopy(ctx context.Context, path, tempDir string, limits model.Limits) (*database, error) {
	dir, release, err := disk.Keep(tempDir)
	if err != nil {
		return nil, err
	}
	d := &database{path: path, copy: dir, release: release, steady: true, limits: limits.WithDefaults()}
	for try := 0; ; try++ {
		before := stampOf(path)
		if err = copyDatabase(ctx, path, dir); err != nil {
			break
		}
		if before == stampOf(path) {
			break
		}
		if try == 4 {
			err = errBusy
			break
		}
	}
	if err == nil {
		err = d.open(ctx, filepath.Join(dir, "db"), "mode=rw")
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	if runtime.GOOS != "windows" && os.RemoveAll(dir) == nil {
		d.copy = ""
		release()
	}
	return d, nil
}

func copyDatabase(ctx context.Context, path, dir string) error {
	for _, suffix := range []string{"", "-wal", "-journal"} {
		to := filepath.Join(dir, "db"+suffix)
		in, err := disk.OpenFile(path + suffix)
		if err != nil {
			if suffix == "" {
				return err
			}
			if err := os.RemoveAll(to); err != nil {
				return err
			}
			continue
		}
		err = copyFile(ctx, in, to)
		in.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func copyFile(ctx context.Context, in *disk.File, to string) error {
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, ctxReader{ctx, io.NewSectionReader(in, 0, in.Size())})
	return errors.Join(err, out.Close())
}

type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

func (d *database) Close() error {
	var err error
	if d.conn != nil {
		err = errors.Join(d.conn.Close(), d.db.Close())
	}
	if d.copy != "" {
		err = errors.Join(err, os.RemoveAll(d.copy))
		d.release()
	}
	return err
}

// stamp identifies the state of a database's files, to detect changes.
type stamp struct {
	size, mtime       [3]int64
	counter           [4]byte  // change counter in the database's header
	salt              [8]byte  // of the log: new when it restarts
	index             [48]byte // of the log: its length, and the position of overwriting
	nonce             [4]byte  // of the journal: differs for each transaction
	missing, walEmpty bool
}

func stampOf(path string) stamp {
	var s stamp
	path = throughLinks(path)
	// Read the counter first: a transaction writes it before all other pages, and empties its
	// journal after them. A new counter with an empty journal means that all pages are written.
	readInto(path, s.counter[:], 24)
	for i, suffix := range []string{"", "-wal", "-journal"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			s.missing = s.missing || i == 0
			continue
		}
		s.size[i], s.mtime[i] = info.Size(), info.ModTime().UnixNano()
	}
	s.walEmpty = s.size[1] == 0
	readInto(path+"-wal", s.salt[:], 16)
	readInto(path+"-shm", s.index[:], 0)
	readInto(path+"-journal", s.nonce[:], 12)
	return s
}

func readInto(path string, b []byte, off int64) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.ReadAt(b, off) // if the file is too short, its size shows changes
}

// tables returns the columns of each table, and sets d.computed. A column is generated if
// table_xinfo has hidden 2; an entry without a root page is not a stored table.
func (d *database) tables(ctx context.Context) (map[string][]string, error) {
	timed, cancel := d.timed(ctx)
	defer cancel()
	rows, err := d.conn.QueryContext(timed, `SELECT m.name, c.name, m.type = 'table' AND m.rootpage > 0 AND c.hidden <> 2
		FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c WHERE m.type IN ('table', 'view') ORDER BY m.name, c.cid`)
	if err != nil {
		return nil, fmt.Errorf("read the tables of %q: %w", d.path, d.late(timed, err))
	}
	defer rows.Close()
	tables, computed := map[string][]string{}, map[string]bool{}
	for rows.Next() {
		var table, column string
		var stored bool
		if err := rows.Scan(&table, &column, &stored); err != nil {
			return nil, fmt.Errorf("read the tables of %q: %w", d.path, err)
		}
		tables[table] = append(tables[table], column)
		computed[table] = computed[table] || !stored
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the tables of %q: %w", d.path, d.late(timed, err))
	}
	d.computed, d.stored = nil, map[string][]string{}
	for table, is := range computed {
		if is {
			d.computed = append(d.computed, table)
		} else {
			d.stored[table] = tables[table]
		}
	}
	slices.Sort(d.computed)
	return tables, nil
}

// timed limits the database's work to the time that its queries may take.
func (d *database) timed(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d.limits.QueryTime(d.bytes()), errSlow)
}

// bytes returns the size of the database at the first call.
func (d *database) bytes() int64 {
	if d.size == 0 {
		d.size = max(fileSize(d.path), 0) + max(fileSize(d.path+"-wal"), 0)
	}
	return d.size
}

var errSlow = errors.New("its queries take too long")

// late returns the error of the time limit if it ended a query, otherwise err.
func (d *database) late(ctx context.Context, err error) error {
	if !errors.Is(context.Cause(ctx), errSlow) {
		return err
	}
	return d.limits.Beyond("queries", errSlow.Error())
}
