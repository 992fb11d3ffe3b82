package load

import (
	"context"
	"maps"
	"slices"

	"turns/model"
	"turns/model/format"
)

// Unread returns what the store of a known format holds that no parser reads: filled tables of a
// database, and types of records of which the loaded transcript has some. nil for nothing, and if
// the format is none that an agent writes.
func (c *Conversation) Unread(ctx context.Context) []model.Unread {
	if c.format.Name == recordsName {
		return nil
	}
	filled, err := c.src.Filled(ctx, func(table string) bool { return !format.ReadsTable(c.format, table) })
	if err != nil {
		return nil // reading the store says what is wrong with it
	}
	var unread []model.Unread
	for _, table := range slices.Sorted(maps.Keys(filled)) {
		unread = append(unread, model.Unread{Kind: model.UnreadTable, Name: table, Count: filled[table]})
	}
	if c.snap != nil {
		unread = append(unread, format.Unread(c.format, c.snap)...)
	}
	return unread
}
