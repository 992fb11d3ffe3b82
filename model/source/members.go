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
	more() int // number of members that names left out because of the limit, as far as known
	open(name string) (io.ReadCloser, error)
	stamp(name string) string // changes with the member; "" if it never changes
	Close() error
}

// archive is a zip file.
type archive struct {
	list  []*zip.File // up to the limit
	files map[string]*zip.File
	left  int // number of members over the limit
	meter *meter
}

// entryBytes is the number of directory bytes to read for each allowed member. It exceeds the size
// of an entry, so that the number of members is the effective limit.
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
			a.files[f.Name] = f // of members with one name the last is valid
		}
	}
	return a, nil
}

// directory reads an archive's directory, and stops at the bytes that the limits allow.
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

// folder is a directory. Symbolic links in it are not followed, because they could lead anywhere.
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
			return nil // an unreadable folder has no names
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

// unroller repeatedly unrolls the members that changed since the last time.
type unroller struct {
	set     members
	pick    func([]string) []string
	stub    func(name string, place int) []byte // as in [model.Unroll]; nil: all are read
	session bool                                // a folder that an agent writes: a file's last line may be incomplete
	meter   *meter
	stamps  map[string]string // nil: the set is not followed
	buf     *bufio.Reader     // written by an agent: the last line may be incomplete
	mem     []byte            // of its scanner
	failed  map[string]error  // errors of unreadable members, valid until their stamp changes
}

// maxErrors is the number of member errors to report one by one.
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

// changed writes the records of a member unless it is unchanged since the last check. For an
// unchanged member it returns the previous error.
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
		return nil // deleted since the listing: the next check reports it
	case errors.Is(err, fs.ErrPermission):
		u.stamps[name] = "" // a permission can return without a change of the file
	default:
		u.failed[name] = err
	}
	return err
}

// gone reports whether a member that was read no longer exists.
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
	b := bufio.NewReaderSize(decoded, window) // u.buf itself if the member is not compressed
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

// document writes each top-level value of a member as a record. A truncated one is written up to
// its end, so that it is visible.
func (u *unroller) document(ctx context.Context, r io.Reader, name string, sink *recordSink) error {
	s := &scanner{ctx: ctx, r: &inOrder{r: r}, mem: u.mem}
	defer func() { u.mem = s.mem }()
	for s.nextValue() {
		sink.begin(name)
		s.copyValue(sink)
		if s.err != nil && sink.memory != nil {
			sink.abort() // it is being written; the next check reads all of it
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

// inOrder is a reader for a scanner that never seeks back.
type inOrder struct{ r io.Reader }

func (o *inOrder) ReadAt(p []byte, _ int64) (int, error) { return o.r.Read(p) }

// memberLines writes each non-blank line as a record, however long. The last line of a growing file
// may be incomplete: it is written once it is complete.
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
