package library

import (
	"context"
	"time"

	"turns/model"
	"turns/model/source/web"
	"turns/query/session"
)

// ListsDialogs reports whether an address is that of a server's list of dialogs.
func ListsDialogs(address string) bool { return web.ListsDialogs(address) }

// IsAddress reports whether a name is that of a server rather than of a file.
func IsAddress(name string) bool { return web.IsURL(name) }

// Dialogs lists the dialogs of a server. The path of each is the address that opens
// it. They are known by what the list tells: none was read.
func (l *Library) Dialogs(ctx context.Context, address string) ([]session.Session, error) {
	o := l.o.Load
	dialogs, err := web.Dialogs(ctx, address, web.Options{Limits: o.Limits, Header: o.Header})
	rows := make([]session.Session, 0, len(dialogs))
	for _, d := range dialogs {
		rows = append(rows, session.Of(model.Summary{
			Path: d.Address, Format: "agentsmithy", Agent: "AgentSmithy", Title: d.Title, Session: d.ID,
			Started: d.Started, Last: d.Last, Partial: true, Sessions: 1,
		}, time.Now()))
	}
	l.o.Labels.Label(rows)
	return rows, err
}
