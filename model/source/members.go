package source

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"

	"turns/model"
	"turns/model/source/disk"
)

// members are the files of an archive or a folder.
type members interface {
	names(ctx context.Context) ([]string, error)
	more() int // how many beyond the limit of members names left out, as far as that is known
	open(name string) (io.ReadCloser, error)
	stamp(name string) string // changes when the member does; "" if it never does
	Close() error
}

// archive is a zip file.
type archive struct {
	list  []*zip.File // as many as are allowed
	files map[string]*zip.File
	left  int // members beyond them
	meter *meter
}

// entryBytes is how many bytes of a directory are read for each member that is
// allowed: more than an entry has, so that it is the number that counts.
const entryBytes = 256

func openArchive(r io.ReaderAt, size int64, name string, m *meter) (*archive, error) {
	most := m.limits.Members
	d := &directory{r: r, left: 1<<20 + most*entryBytes, over: m.limits.Beyond("members", "its directory is too long to be read")}
	z, err := zip.NewReader(d, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // no path is ever written to
		return nil, fmt.Errorf("open archive %q: %w", name, err)
	}
	d.read = true
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderLowmem(true)))
	z.RegisterDecompressor(zstd.ZipMethodPKWare, zstd.ZipDecompressor(zstd.WithDecoderLowmem(true)))
	a := &archive{list: z.File[:min(int64(len(z.File)), most)], meter: m}
	a.left = len(z.File) - len(a.list)
	a.files = make(map[string]*zip.File, len(a.list))
	for _, f := range a.list {
		if !f.FileInfo().IsDir() {
			a.files[f.Name] = f // of members of one name the last is the valid one
		}
	}
	return a, nil
}

// directory is an archive while its directory is read, of which it gives no more
// than can be held.
type directory struct {
	r    io.ReaderAt
	left int64
	over error
	read bool
}

func (d *directory) ReadAt(p []byte, off int64) (int, error) {
	if d.read {
		return d.r.ReadAt(p, off)
	}
	if d.left -= int64(len(p)); d.left < 0 {
		return 0, d.over
	}
	return d.r.ReadAt(p, off)
}

func (a *archive) names(context.Context) ([]string, error) {
	var names []string
	for _, f := range a.list {
		if a.files[f.Name] == f {
			names = append(names, f.Name)
		}
	}
	return names, nil
}

func (a *archive) open(name string) (io.ReadCloser, error) {
	f := a.files[name]
	if f == nil {
		return nil, fs.ErrNotExist
	}
	if f.Flags&1 != 0 {
		return nil, errors.New("it is encrypted")
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	return metered{a.meter.gives(r), r}, nil
}

// metered is a member whose bytes are counted.
type metered struct {
	io.Reader
	io.Closer
}

func (a *archive) more() int           { return a.left }
func (a *archive) stamp(string) string { return "" }
func (a *archive) Close() error        { return nil }

// folder is a directory. Symbolic links in it are not followed: they could lead
// anywhere.
type folder struct {
	path string
	root *os.Root
	most int64 // members
	left int   // 1 if there are more
}

func openFolder(path string, limits model.Limits) (*folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, disk.PathError(path, err)
	}
	return &folder{path: path, root: root, most: limits.WithDefaults().Members}, nil
}

func (f *folder) names(ctx context.Context) ([]string, error) {
	f.left = 0
	var names []string
	err := fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == ".":
			return err
		case err != nil:
			return nil // a folder that may not be read has no names
		case d.Type().IsRegular():
			if int64(len(names)) >= f.most {
				f.left = 1
				return fs.SkipAll
			}
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", f.path, disk.BareError(err))
	}
	return names, nil
}

func (f *folder) open(name string) (io.ReadCloser, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, disk.BareError(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|disk.Nonblock, 0)
	if err != nil {
		return nil, disk.BareError(err)
	}
	return file, nil
}

func (f *folder) more() int { return f.left }

func (f *folder) stamp(name string) string {
	info, err := f.root.Lstat(name)
	if err != nil {
		return "gone"
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

func (f *folder) Close() error { return f.root.Close() }

// unroller unrolls members again and again, those that changed since the last
// time.
type unroller struct {
	set     members
	pick    func([]string) []string
	stub    func(name string, place int) []byte // as [model.Unroll] has it; nil: all are read
	session bool                                // a folder whose files an agent writes: the last line of one may be half written
	meter   *meter
	stamps  map[string]string // nil: nothing is followed
	buf     *bufio.Reader     // of the member in hand
	mem     []byte            // of its scanner
	failed  map[string]error  // members that could not be read, with the stamp that they have
}

// maxErrors is how many members' errors are told one by one.
const maxErrors = 10

func (u *unroller) unroll(ctx context.Context, sink *recordSink) error {
	all, err := u.set.names(ctx)
	if err != nil {
		return err
	}
	chosen := u.pick(slices.Clone(all))
	if u.gone(chosen) {
		return errRewritten
	}
	var errs []error
	failed := 0
	for i, name := range chosen {
		if u.stub != nil {
			if stub := u.stub(name, i); stub != nil {
				sink.record(name, stub)
				continue
			}
		}
		err := u.changed(ctx, name, sink)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if failed++; failed <= maxErrors {
				errs = append(errs, fmt.Errorf("read %q: %w", name, err))
			}
		}
		if sink.err != nil {
			return sink.err
		}
		if err := u.meter.spent(); err != nil {
			return errors.Join(append(errs, err)...)
		}
	}
	if failed > maxErrors {
		errs = append(errs, fmt.Errorf("%d more members cannot be read", failed-maxErrors))
	}
	if u.set.more() > 0 {
		errs = append(errs, u.meter.limits.Beyond("members", "other members are left out"))
	}
	return errors.Join(errs...)
}

// changed writes the records of a member unless it is the same as at the last look;
// then what was wrong with it still is.
func (u *unroller) changed(ctx context.Context, name string, sink *recordSink) error {
	if u.stamps == nil {
		return u.member(ctx, name, sink)
	}
	stamp := u.set.stamp(name)
	if stamp != "" && u.stamps[name] == stamp {
		return u.failed[name]
	}
	u.stamps[name] = stamp
	delete(u.failed, name)
	err := u.member(ctx, name, sink)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
		return nil // deleted since it was listed: the next look says so
	case errors.Is(err, fs.ErrPermission):
		u.stamps[name] = "" // permission comes back without a change of the file
	default:
		u.failed[name] = err
	}
	return err
}

// gone reports whether a member that was read is not there any more.
func (u *unroller) gone(chosen []string) bool {
	if len(u.stamps) == 0 {
		return false
	}
	there := make(map[string]bool, len(chosen))
	for _, name := range chosen {
		there[name] = true
	}
	for name := range u.stamps {
		if !there[name] {
			return true
		}
	}
	return false
}

// member writes the records of one member: its JSON documents, or its lines.
func (u *unroller) member(ctx context.Context, name string, sink *recordSink) error {
	f, err := u.set.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := io.Reader(ctxReader{ctx, f})
	if _, packed := f.(metered); !packed {
		in = u.meter.reads(in)
	}
	if u.buf == nil {
		u.buf = bufio.NewReaderSize(in, window)
	} else {
		u.buf.Reset(in)
	}
	decoded, closer, err := decode(u.buf, u.meter)
	if closer != nil {
		defer closer()
	}
	if err != nil {
		return err
	}
	b := bufio.NewReaderSize(decoded, window) // u.buf itself, of what is not compressed
	head, err := b.Peek(window)
	if err != nil && err != io.EOF {
		if len(head) == 0 {
			return err
		}
	}
	switch v := judge(head, err == io.EOF); {
	case v.shape == model.Binary:
		return errors.New("it is not text")
	case v.shape == model.Document, v.whole:
		return u.document(ctx, b, name, sink)
	}
	return memberLines(b, name, u.session, sink)
}

// document writes each value at the top of a member as a record. One that
// breaks off is written as far as it goes, so that it shows.
func (u *unroller) document(ctx context.Context, r io.Reader, name string, sink *recordSink) error {
	s := &scanner{ctx: ctx, r: &inOrder{r: r}, mem: u.mem}
	defer func() { u.mem = s.mem }()
	for s.nextValue() {
		sink.begin(name)
		s.copyValue(sink)
		if s.err != nil && sink.memory != nil {
			sink.abort() // it is being written; the next look sees it whole
			break
		}
		sink.end()
		if s.err != nil || sink.err != nil {
			break
		}
	}
	if s.err != nil {
		return s.failure()
	}
	return sink.err
}

// inOrder is a reader for a scanner that never goes back.
type inOrder struct{ r io.Reader }

func (o *inOrder) ReadAt(p []byte, _ int64) (int, error) { return o.r.Read(p) }

// memberLines writes each line that is not blank as a record, however long. The last line of a file
// that grows may be half written: it counts when it is whole.
func memberLines(r *bufio.Reader, name string, grows bool, sink *recordSink) error {
	begun := false
	for first := true; ; {
		piece, err := r.ReadSlice('\n')
		if first {
			piece = bytes.TrimPrefix(piece, []byte("\xef\xbb\xbf"))
			first = false
		}
		whole := err == nil
		piece = bytes.TrimRight(piece, "\r\n\x00")
		if !begun && len(bytes.TrimLeft(piece, " \t\x00")) > 0 {
			sink.begin(name)
			begun = true
		}
		if begun {
			sink.Write(bytes.ReplaceAll(piece, []byte("\r"), []byte(" ")))
		}
		if begun && (whole || err != bufio.ErrBufferFull) {
			if whole || sink.memory == nil && !grows || sink.complete() {
				sink.end()
			} else {
				sink.abort() // it is being written
			}
			begun = false
		}
		switch {
		case sink.err != nil:
			return sink.err
		case err == io.EOF:
			return nil
		case err != nil && err != bufio.ErrBufferFull:
			return err
		}
	}
}
