package parquet

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	pq "github.com/parquet-go/parquet-go"
)

// known is the existing content of the tables.
type known struct {
	ids   map[string]knownRun // by transcript_id
	paths map[string]source   // of files with one session
}

// knownRun is a session in the tables.
type knownRun struct {
	source
	path     string
	messages int64 // 0: not recorded
}

func newKnown() known { return known{ids: map[string]knownRun{}, paths: map[string]source{}} }

// find searches for a session. A session may have several files, each of which counts separately; a
// moved file remains the same session.
func (k *known) find(id string, in *Run) (was knownRun, ok bool) {
	if was, ok = k.ids[id+"-"+short(in.Path)]; ok {
		return was, true
	}
	was, ok = k.ids[id]
	if !ok || was.path == in.Path || was.path == "" || was.source == in.source() && was.source != (source{}) {
		return was, ok
	}
	_, err := os.Stat(was.path)
	return was, err != nil
}

// source is the size and time of a session's file when it was read.
type source struct{ Bytes, Time int64 }

func sourceOf(info fs.FileInfo) source {
	if info == nil || !info.Mode().IsRegular() {
		return source{}
	}
	return source{info.Size(), info.ModTime().UnixMilli()}
}

// knownRow are the columns read from a table of sessions, whichever program wrote it.
type knownRow struct {
	TranscriptID string `parquet:"transcript_id,optional"`
	SourceURI    string `parquet:"source_uri,optional"`
	Messages     int64  `parquet:"message_count,optional"`
	SourceBytes  int64  `parquet:"source_bytes,optional"`
	SourceTime   int64  `parquet:"source_time,optional,timestamp(millisecond)"`
}

// read reads which sessions are in a table.
func (k *known) read(dir string) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == dir {
			return nil
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".parquet" {
			return err
		}
		return k.readFile(path)
	})
	if err != nil {
		return fmt.Errorf("reading the sessions in the tables: %w", err)
	}
	return nil
}

func (k *known) readFile(path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	defer func() { // a damaged file
		if r := recover(); r != nil {
			err = fmt.Errorf("reading %q: %v", path, r)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	file, err := pq.OpenFile(f, info.Size(), pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("reading %q: %w", path, err)
	}
	r := pq.NewGenericReader[knownRow](file)
	defer r.Close()
	rows := make([]knownRow, 128)
	for {
		n, err := r.Read(rows)
		for _, row := range rows[:n] {
			s := source{row.SourceBytes, row.SourceTime}
			k.ids[strings.Clone(row.TranscriptID)] = knownRun{s, strings.Clone(row.SourceURI), row.Messages}
			if s != (source{}) && !strings.Contains(row.SourceURI, "#") {
				k.paths[strings.Clone(row.SourceURI)] = s
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading %q: %w", path, err)
		}
	}
}

// short returns a short hash of a path.
func short(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:4])
}
