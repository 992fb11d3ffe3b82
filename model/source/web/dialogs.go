package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"time"
)

// dialogsBytes is the maximum size of a list of dialogs.
const dialogsBytes = 16 << 20

// Dialog is a dialog in a server's list.
type Dialog struct {
	ID, Title     string
	Address       string // of its history
	Started, Last int64  // Unix ms; 0 unknown
}

// ListsDialogs reports whether an address is a list of dialogs, with their histories below it:
// …/api/dialogs.
func ListsDialogs(address string) bool {
	u, err := url.Parse(address)
	return err == nil && IsURL(address) && path.Base(u.Path) == "dialogs"
}

// Dialogs requests the list of dialogs from a server: a list of objects with an id, or an object
// with such a list.
func Dialogs(ctx context.Context, address string, opts Options) ([]Dialog, error) {
	g := newGetter(opts)
	defer g.cancel()
	g.limits.Response = min(g.limits.Response, dialogsBytes)
	body, err := g.get(ctx, address)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	dialogs, err := readDialogs(address, data)
	if err != nil {
		err = fmt.Errorf("list dialogs of %q: %w", Shown(address), err)
	}
	return dialogs, err
}

// readDialogs parses the answer. An entry without an id has no address: readDialogs returns the
// others together with an error for it.
func readDialogs(address string, data []byte) ([]Dialog, error) {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		var within struct{ Dialogs, Items *[]json.RawMessage }
		_ = json.Unmarshal(data, &within) // fields of another type are ignored
		found := cmp.Or(within.Dialogs, within.Items)
		if found == nil {
			return nil, errors.New("the answer is not a list of dialogs")
		}
		list = *found
	}
	base, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("not a valid address")
	}
	base.RawQuery, base.Fragment = "", ""
	out := make([]Dialog, 0, len(list))
	var bad []error
	for i, v := range list {
		var row struct {
			ID         string
			DialogID   string `json:"dialog_id"`
			Title      string
			CreatedAt  string `json:"created_at"`
			UpdatedAt  string `json:"updated_at"`
			LastAccess string `json:"last_used_at"`
		}
		_ = json.Unmarshal(v, &row)
		id := cmp.Or(row.ID, row.DialogID)
		if id == "" || id == "." || id == ".." {
			bad = append(bad, fmt.Errorf("dialog %d has no id that an address can be made of", i+1))
			continue
		}
		out = append(out, Dialog{
			ID: id, Title: row.Title, Address: base.JoinPath(url.PathEscape(id), "history").String(),
			Started: moment(row.CreatedAt), Last: moment(cmp.Or(row.UpdatedAt, row.LastAccess)),
		})
	}
	return out, errors.Join(bad...)
}

func moment(text string) int64 {
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UnixMilli()
		}
	}
	return 0
}
