package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"turns/model"
	"turns/model/source/bucket"
	"turns/model/source/disk"
	"turns/model/source/remote"
	"turns/model/source/shell"
)

// WithPlaces returns a context in which the addresses of buckets and other hosts are readable, with
// the credentials in the environment. The function closes all connections.
func WithPlaces(ctx context.Context, env func(string) string) (context.Context, func() error) {
	p := remote.NewPlaces(func(a remote.Address) (remote.Store, error) {
		if a.Kind == "ssh" {
			return shell.Open(a.Root), nil
		}
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		s, err := bucket.Open(a.Root, bucket.Of(a.Kind, env, home))
		if err != nil {
			return nil, err // a nil *bucket.Store would make a non-nil Store
		}
		return s, nil
	})
	stop := context.AfterFunc(ctx, func() { p.Close() }) // no read outlives ctx
	return remote.With(ctx, p), func() error { stop(); return p.Close() }
}

// AnswerAs lets the program read the files of this machine by the addresses that another machine
// has for them. host is this machine's name there.
func AnswerAs(ctx context.Context, host string) {
	a := remote.Address{Kind: "ssh", Root: host}
	remote.Of(ctx).Put(a, shell.OpenHere(host))
}

// openElsewhere opens a file or folder in a bucket or on another host.
func (s *Source) openElsewhere(a remote.Address) error {
	s.name = a.Base()
	s.opts.System = remote.System(s.ctx, s.opts.Follow)
	info, err := s.opts.System.Stat(s.arg)
	switch {
	case err != nil:
		return disk.PathError(a.Shown(), err)
	case info.IsDir():
		s.set, s.shape = &below{ctx: s.ctx, at: a, most: s.opts.Limits.Members}, model.Folder
		return nil
	}
	if s.file, err = s.opts.System.OpenFile(s.arg); err != nil {
		return err
	}
	return s.openFile()
}

// below is a remote folder.
type below struct {
	ctx     context.Context // of the opener
	at      remote.Address
	most    int64
	left    int
	objects map[string]remote.Object // by name in the folder
}

func (b *below) names(ctx context.Context) ([]string, error) {
	all, err := remote.List(ctx, b.at)
	if err != nil {
		return nil, err
	}
	b.left = max(len(all)-int(b.most), 0)
	all = all[:len(all)-b.left]
	b.objects = make(map[string]remote.Object, len(all))
	prefix := strings.TrimSuffix(b.at.Key, "/") + "/"
	if b.at.Key == "" {
		prefix = ""
	}
	names := make([]string, 0, len(all))
	for _, o := range all {
		name := strings.TrimPrefix(o.Key, prefix)
		b.objects[name] = o
		names = append(names, name)
	}
	return names, nil
}

func (b *below) open(name string) (io.ReadCloser, error) {
	o, ok := b.objects[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	f, err := remote.Open(b.ctx, b.at.At(o.Key).String())
	if err != nil {
		return nil, err
	}
	return metered{io.NewSectionReader(f, 0, o.Size), f}, nil
}

func (b *below) more() int { return b.left }

func (b *below) stamp(name string) string {
	o, ok := b.objects[name]
	if !ok {
		return "gone"
	}
	return fmt.Sprint(o.Size, o.Written.UnixNano(), o.Tag)
}

func (b *below) Close() error { return nil }

// fetchElsewhere implements Fetch for a remote transcript: it reads files in the transcript's
// folder or below.
func (s *Source) fetchElsewhere(ctx context.Context, a remote.Address, elsewhere string) ([]byte, error) {
	dir := a.Dir()
	if s.set != nil {
		dir = a
	}
	for _, name := range s.nearby(dir.String(), elsewhere) {
		at := dir.At(path.Join(dir.Key, name)).String()
		info, err := remote.Stat(ctx, at)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("fetch %q: %w", elsewhere, disk.BareError(err))
		}
		if info.Size() > maxFetched {
			return nil, fmt.Errorf("fetch %q: it is larger than the limit of %s", elsewhere, model.SizeOf(maxFetched))
		}
		f, err := remote.Open(ctx, at)
		if err != nil {
			return nil, fmt.Errorf("fetch %q: %w", elsewhere, disk.BareError(err))
		}
		defer f.Close()
		return io.ReadAll(io.NewSectionReader(f, 0, info.Size()))
	}
	return nil, fmt.Errorf("fetch %q: there is no such file in the transcript's folder %q or below it", elsewhere, dir)
}

// saveLog copies the log next to a remote database: the latest changes are only in the log.
func (s *Source) saveLog(ctx context.Context) error {
	name := s.arg + "-wal"
	if !remote.Is(s.arg) {
		return nil
	}
	info, err := remote.Stat(s.ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir():
		return nil
	case errors.Is(err, fs.ErrPermission): // also for missing files, if listing is forbidden
		s.lacks = fmt.Errorf("what was written last is missing, if there is a log: %w", err)
		return nil
	case err != nil:
		return err
	}
	log, err := remote.Open(s.ctx, name)
	if err != nil {
		return err
	}
	defer log.Close()
	out, err := os.OpenFile(s.dbase+"-wal", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, ctxReader{ctx, io.NewSectionReader(log, 0, info.Size())})
	return errors.Join(err, out.Close())
}
