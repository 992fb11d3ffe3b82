package transcripts

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"turns/query/many"
	"turns/query/trials"
)

// TrialsOptions select the sessions to read as trials, and how to read them.
type TrialsOptions struct {
	trials.Reading // an empty By means the folder if there are several, otherwise the model
	Totals         TotalsOptions
}

// Trials reads the sessions of the store as trials of tasks and puts them into a matrix. It calls
// took with each transcript that it read; took reports whether the sessions count. nil: all
// readable ones count. The error is that of ctx, or why transcripts could not be found.
func (l *Store) Trials(ctx context.Context, o TrialsOptions, took func(done, all int, a *Answer[[]*many.Run]) bool) (*trials.Answer, error) {
	paths, err := l.Transcripts(ctx)
	if len(paths) == 0 && err != nil {
		return nil, err
	}
	roots := l.o.Dirs
	if o.By == "" {
		o.By = "model"
		if len(roots) > 1 {
			o.By = "folder"
		}
	}
	names := rootNames(roots)
	var list []trials.Trial
	done := 0
	for a := range l.Totals(ctx, paths, o.Totals) {
		done++
		if took != nil && !took(done, len(paths), &a) || took == nil && (a.Err != nil || a.None) {
			continue
		}
		for _, run := range a.Answer {
			in := trials.Input{Run: run, Rest: filepath.Base(a.Path)}
			for i, root := range roots {
				if rest, ok := below(root, a.Path); ok {
					in.Root, in.Rest = names[i], rest
				}
			}
			list = append(list, o.Trial(&in))
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	order := []string(nil)
	if o.By == "folder" {
		order = names
	}
	return trials.New(list, order), nil
}

// below returns the path of a transcript relative to the name in the request: a folder, a pattern,
// or the transcript itself.
func below(root, name string) (rest string, ok bool) {
	root, name = filepath.ToSlash(root), filepath.ToSlash(name)
	if name == root {
		return path.Base(name), true
	}
	if i := strings.IndexAny(root, "*?["); i >= 0 {
		root = path.Dir(root[:i] + "x") // the folder before the pattern
	}
	rest, ok = strings.CutPrefix(name, strings.TrimSuffix(root, "/")+"/")
	if !ok && root == "." {
		return name, !path.IsAbs(name)
	}
	return rest, ok
}

// rootNames returns the shortest suffixes of paths that distinguish them.
func rootNames(roots []string) []string {
	names := make([]string, len(roots))
	for n := 1; ; n++ {
		longer := false
		for i, root := range roots {
			parts := strings.Split(strings.Trim(filepath.ToSlash(root), "/"), "/")
			longer = longer || n < len(parts)
			names[i] = strings.Join(parts[max(len(parts)-n, 0):], "/")
		}
		sorted := slices.Sorted(slices.Values(names))
		if !longer || len(slices.Compact(sorted)) == len(names) {
			return names
		}
	}
}
