package parquet

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	pq "github.com/parquet-go/parquet-go"
)

const (
	// For speed only: waiting is about the number of bytes of rows that wait in memory for a file,
	// over all tables.
	waiting = 8 << 20
	// For speed only: writers is the maximum number of open files of a table.
	writers = 3
	// For speed only: group is about the number of bytes of rows in a row group.
	group = 64 << 20
	// atOnce is the maximum number of rows passed to the library at once. For three or four rows,
	// or that many more than a multiple of 64, it writes zeros instead of some nulls.
	atOnce = 64
	// For speed only: pageful is about the number of bytes of rows passed to the library at once: a
	// page ends after them, and reading a row requires memory for its page.
	pageful = 1 << 20
)

// row is a row of one of the tables.
type row[T any] interface {
	*T
	weight() int64
}

// shelf is a table with rows that wait by folder. Which of them get a file is decided over all
// tables.
type shelf interface {
	heaviest() (folder string, bytes int64)
	settle(folder string) error
	close() error
}

// table writes the rows of one table. Its files are in folders by day and agent. Few are open at
// once: rows of other folders wait until there are enough of them.
type table[T any, R row[T]] struct {
	name   string
	begins string // prefix of file names
	set    *Set

	mu    sync.Mutex
	waits map[string]*batch[T]
	open  []*part[T] // least recently used first
}

// batch has rows of one folder.
type batch[T any] struct {
	rows  []T
	bytes int64
}

// part is an open file.
type part[T any] struct {
	folder string
	file   *os.File
	w      *pq.GenericWriter[T]
	bytes  int64 // of the row group
}

func newTable[T any, R row[T]](s *Set, name string) *table[T, R] {
	t := &table[T, R]{name: name, begins: "part-", set: s, waits: map[string]*batch[T]{}}
	s.shelves = append(s.shelves, t)
	return t
}

// add adds rows of a session.
func (t *table[T, R]) add(folder string, rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	var bytes int64
	for i := range rows {
		bytes += R(&rows[i]).weight()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.part(folder); p != nil {
		return t.write(p, rows, bytes)
	}
	b := t.waits[folder]
	if b == nil {
		b = &batch[T]{}
		t.waits[folder] = b
	}
	b.rows = append(b.rows, rows...)
	b.bytes += bytes
	t.set.waits.Add(bytes)
	return nil
}

func (t *table[T, R]) heaviest() (folder string, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, b := range t.waits {
		if b.bytes > bytes {
			folder, bytes = name, b.bytes
		}
	}
	return folder, bytes
}

// settle writes the waiting rows of a folder to a file.
func (t *table[T, R]) settle(folder string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.waits[folder]
	if b == nil {
		return nil
	}
	delete(t.waits, folder)
	t.set.waits.Add(-b.bytes)
	p := t.part(folder)
	if p == nil {
		var err error
		if p, err = t.begin(folder); err != nil {
			return err
		}
	}
	return t.write(p, b.rows, b.bytes)
}

// write adds rows to a file. They are encoded and compressed page by page.
func (t *table[T, R]) write(p *part[T], rows []T, bytes int64) error {
	var err error
	for len(rows) > 0 && err == nil {
		n, size := 0, int64(0)
		for n < min(len(rows), atOnce) && size < pageful {
			size += R(&rows[n]).weight()
			n++
		}
		if n == 3 || n == 4 {
			n = 2
		}
		_, err = p.w.Write(rows[:n])
		rows = rows[n:]
	}
	if p.bytes += bytes; err == nil && p.bytes > group {
		p.bytes = 0
		err = p.w.Flush()
	}
	if err != nil {
		return fmt.Errorf("writing the table %s: %w", t.name, err)
	}
	return nil
}

// part returns the open file of a folder, nil if there is none.
func (t *table[T, R]) part(folder string) *part[T] {
	for i, p := range t.open {
		if p.folder == folder {
			t.open = append(append(t.open[:i:i], t.open[i+1:]...), p)
			return p
		}
	}
	return nil
}

// begin opens a file. It closes the least recently used one if too many are open.
func (t *table[T, R]) begin(folder string) (*part[T], error) {
	if len(t.open) >= writers {
		if err := t.finish(); err != nil {
			return nil, err
		}
	}
	file, err := t.set.create(t.name, folder, t.begins)
	if err != nil {
		return nil, err
	}
	// Each file has its own writer: a reset writer writes footers without the names of columns.
	p := &part[T]{folder: folder, file: file, w: pq.NewGenericWriter[T](file, t.options()...)}
	t.open = append(t.open, p)
	return p, nil
}

func (t *table[T, R]) options() []pq.WriterOption {
	options := []pq.WriterOption{
		pq.Compression(t.set.codec),
		pq.CreatedBy("turns", "1", ""), pq.PageBufferSize(128 << 10),
	}
	for _, name := range unsorted {
		options = append(options, pq.SkipPageBounds(name), pq.SkipPageStatistics(name))
	}
	return options
}

// finish completes the least recently used file.
func (t *table[T, R]) finish() error {
	p := t.open[0]
	t.open = t.open[1:]
	err := p.w.Close()
	if err == nil {
		err = p.file.Sync() // otherwise a power failure could leave the name without the bytes
	}
	if err = errors.Join(err, p.file.Close()); err != nil {
		return fmt.Errorf("writing the table %s: %w", t.name, err)
	}
	return nil
}

// close writes all waiting rows.
func (t *table[T, R]) close() error {
	for _, folder := range slices.Sorted(maps.Keys(t.waits)) {
		if err := t.settle(folder); err != nil {
			return err
		}
	}
	for len(t.open) > 0 {
		if err := t.finish(); err != nil {
			return err
		}
	}
	return nil
}

// folderOf returns the folder of a day and an agent in Hive's notation. Unknown values have Hive's
// name for them.
func folderOf(day, agent string) string {
	return filepath.Join("day="+hiveName(day), "agent="+hiveName(agent))
}

func hiveName(s string) string {
	if s == "" {
		return "__HIVE_DEFAULT_PARTITION__"
	}
	var b strings.Builder
	for _, r := range s {
		if r < ' ' || strings.ContainsRune("\"#%'*/:=?\\\x7f{[]^<>|", r) {
			fmt.Fprintf(&b, "%%%02X", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
