package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"turns/model"
)

// Fetch requests a place named in a transcript, below the transcript's address on the same server.
func Fetch(ctx context.Context, own, elsewhere string, opts Options, limit int64) ([]byte, error) {
	address, err := placeOf(own, elsewhere)
	if err != nil {
		return nil, fmt.Errorf("fetch %q: %w", elsewhere, err)
	}
	g := newGetter(opts)
	defer g.cancel()
	g.near = true
	g.limits.Response = min(g.limits.Response, limit)
	body, err := g.get(ctx, address)
	if err != nil {
		return nil, err
	}
	body.over = fmt.Errorf("it is larger than the limit of %s", model.SizeOf(g.limits.Response))
	defer body.Close()
	return io.ReadAll(body)
}

// placeOf returns the address of a place named in a transcript, below the folder of its own
// address: /tool-results/ID of …/dialogs/7/history is …/dialogs/7/tool-results/ID. It drops the
// query, which is about the history.
func placeOf(address, elsewhere string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", errors.New("the transcript's own address is not valid")
	}
	place := strings.TrimPrefix(elsewhere, "/")
	if strings.Contains(place, ":") && !strings.HasPrefix(place, "tool-results/") || strings.HasPrefix(place, "/") {
		return "", errors.New("only what lies below the transcript's own address is fetched")
	}
	parts := strings.Split(place, "/")
	for _, part := range parts {
		if part == "" || part == "." || part == ".." {
			return "", errors.New("only what lies below the transcript's own address is fetched")
		}
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	base := &url.URL{Scheme: u.Scheme, Host: u.Host, User: u.User, Path: u.Path[:strings.LastIndexByte(u.Path, '/')+1]}
	return base.JoinPath(escaped(parts)...).String(), nil
}

// escaped escapes each part for use in a path.
func escaped(parts []string) []string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = url.PathEscape(p)
	}
	return out
}
