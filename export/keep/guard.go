package keep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"turns/export/outfile"
)

// An archive may come from someone else. Its index is untrusted: names must not lead out of the
// folder, only regular files are read, and links are not followed.

// sound reports whether an entry of the index is valid: its path and its place are clean, its hash
// identifies only its own file, and its sizes are not negative.
func (e *Entry) sound() bool {
	native := path.Clean(filepath.ToSlash(e.Path))
	switch {
	case e.Path == "" || strings.ContainsRune(e.Path+e.Kept, 0) || native != filepath.ToSlash(e.Path):
		return false
	case e.Size < 0 || e.Stored < 0:
		return false
	case e.Kept != path.Clean(e.Kept) || !filepath.IsLocal(filepath.FromSlash(e.Kept)) || e.Kept == "." || strings.HasPrefix(e.Kept+"/", OwnDir+"/"):
		return false
	}
	return isHash(e.Hash)
}

func isHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// lineMost is the maximum length of a line of the index.
const lineMost = 256 << 10

// eachLine calls use for every line of the index, and damaged for every line that is too long. The
// last line may lack a newline.
func eachLine(r io.Reader, use func(line []byte), damaged func()) error {
	b := bufio.NewReaderSize(r, 1<<16)
	var line []byte
	long := false
	for {
		part, err := b.ReadSlice('\n')
		if long = long || len(line)+len(part) > lineMost; !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		switch text := bytes.TrimSpace(line); {
		case long:
			damaged()
		case len(text) > 0:
			use(text)
		}
		if line, long = line[:0], false; err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
	}
}

// take adopts a line of the index, or counts it as damaged.
func (s *Store) take(line []byte) {
	var e Entry
	if json.Unmarshal(line, &e) != nil || !e.sound() {
		s.damaged++
		return
	}
	s.know(&e)
}

// Damaged returns the number of unreadable lines of the index. Their files are not restored;
// archiving again writes new lines for existing files.
func (s *Store) Damaged() int { return s.damaged }

// openInside opens a file of the archive. It must be regular, inside the archive, and not a link.
func (s *Store) openInside(kept string) (*os.File, error) {
	if err := s.inside(kept); err != nil {
		return nil, err
	}
	return outfile.OpenRegular(s.file(kept))
}

// inside reports an error if a link leads from the folders of a place out of the archive.
func (s *Store) inside(kept string) error {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(path.Dir(kept))) // fails if a link leads out
	if err != nil {
		return err
	}
	return f.Close()
}

// mkdir makes the folders of a place in the archive. A link out of the archive is an error.
func (s *Store) mkdir(kept string) error {
	return mkdirBelow(s.dir, path.Dir(kept))
}

func mkdirBelow(top, dir string) error {
	root, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	defer root.Close()
	if dir == "." {
		return nil
	}
	return root.MkdirAll(filepath.FromSlash(dir), 0o700)
}

// ownFolder makes the archive's own folder. It is refused if it is a link.
func ownFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if info, err := os.Lstat(filepath.Join(dir, OwnDir)); err == nil && !info.IsDir() {
		return fmt.Errorf("%q is not a folder", filepath.Join(dir, OwnDir))
	}
	return mkdirBelow(dir, OwnDir+"/"+oldDir)
}
