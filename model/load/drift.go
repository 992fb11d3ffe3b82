package load

import (
	"context"
	"maps"
	"slices"

	"turns/model"
	"turns/model/format"
)

// Unread returns the parts of a known format's store that no parser reads: tables with rows in a
// database, and record types of a snapshot. It returns nil if there are none, and for formats not
// written by agents. It is safe for concurrent use.
func (c *Conversation) Unread(ctx context.Context, snap *model.Snapshot) []model.Unread {
	if c.format.Name == recordsName {
		return nil
	}
	filled, err := c.src.Filled(ctx, func(table string) bool { return !format.ReadsTable(c.format, table) })
	if err != nil {
		return nil // reading the store returns the error
	}
	var unread []model.Unread
	for _, table := range slices.Sorted(maps.Keys(filled)) {
		unread = append(unread, model.Unread{Kind: model.UnreadTable, Name: table, Count: filled[table]})
	}
	if snap == nil {
		return unread
	}
	return append(unread, format.Unread(c.format, snap)...)
}
