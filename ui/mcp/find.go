package mcp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// find resolves the sessions named by the arguments: paths below the roots, the last parts of such
// paths, and ids.
func (a *answerer) find(ctx context.Context, args *arguments) error {
	_, err := strconv.Atoi(args.Session)
	switch {
	case args.Session == "":
	case args.Path != "" && err == nil:
		args.Part, args.Session = args.Session, ""
	case args.Path == "":
		args.Path, args.Session = args.Session, ""
	}
	if args.Path, err = a.one(ctx, args.Path); err != nil {
		return err
	}
	if args.Session != "" { // it may be the id of a session in the file, or of a file in the folder
		if one, err := a.one(ctx, args.Session); err == nil {
			args.Path = one
		} else {
			args.Part = args.Session
		}
	}
	args.Other, err = a.one(ctx, args.Other)
	return err
}

// source resolves the name of a source file with its line range.
func (a *answerer) source(name string) (string, error) {
	file, lines := name, ""
	if i := strings.LastIndexByte(name, ':'); i > 0 && strings.Trim(name[i+1:], "0123456789,-") == "" {
		file, lines = name[:i], strings.ReplaceAll(name[i:], "-", ",")
	}
	path, err := a.roots.below(file)
	if err != nil {
		return "", fmt.Errorf("no source file %q below the folders of this server: turns mcp DIR… allows more folders", file)
	}
	return path + lines, nil
}

// one resolves the name of a session or folder.
func (a *answerer) one(ctx context.Context, name string) (string, error) {
	path, err := a.roots.below(name)
	if err == nil {
		return path, nil
	}
	found := a.named(ctx, name)
	switch len(found) {
	case 0:
		return "", err
	case 1:
		return a.roots.below(found[0])
	}
	for i := range found {
		found[i] = a.short(found[i])
	}
	return "", fmt.Errorf("%q can be %s", name, strings.Join(found[:min(len(found), 5)], ", "))
}

// minName is the least length of an id prefix that finds a session.
const minName = 4

// named returns the paths of the sessions with an id or the end of a path.
func (a *answerer) named(ctx context.Context, name string) []string {
	var out, complaints bounded
	if _, err := a.run(ctx, append([]string{"ls", "--json", "--"}, a.roots...), &out, &complaints); err != nil {
		return nil
	}
	// In the order of precedence; transcripts of subagents have the id of their session, so they
	// are last.
	var found [4][]string
	suffix := "/" + strings.Trim(filepath.ToSlash(name), "./")
	for _, m := range rows(out.String()) {
		path, _ := m["path"].(string)
		id, _ := m["session_id"].(string)
		slashed := filepath.ToSlash(path)
		ends := len(suffix) > 1 && (strings.HasSuffix(slashed, suffix) || strings.HasSuffix(strings.TrimSuffix(slashed, filepath.Ext(slashed)), suffix))
		rank := 0
		switch {
		case ends || name == id:
		case len(name) >= minName && (strings.HasPrefix(id, name) || strings.HasPrefix(filepath.Base(path), name)):
			rank = 1
		default:
			continue
		}
		if m["subagent_of"] != nil && !ends {
			rank += 2
		}
		found[rank] = append(found[rank], path)
	}
	for _, paths := range found {
		if len(paths) > 0 {
			slices.Sort(paths)
			return slices.Compact(paths)
		}
	}
	return nil
}

// short returns a path relative to its root, if below resolves it again.
func (a *answerer) short(path string) string {
	for _, root := range a.roots {
		rel, err := filepath.Rel(root, path)
		if err != nil || rel == "." || !filepath.IsLocal(rel) {
			continue
		}
		if len(a.roots) == 1 {
			return rel
		}
		if found, err := a.roots.below(rel); err == nil && found == path {
			return rel
		}
	}
	return path
}
