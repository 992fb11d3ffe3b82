package source

import (
	"context"

	"turns/model/source/disk"
)

// Filled returns the number of rows of the non-empty tables that which selects. It returns nil if
// the source is not a database.
func (s *Source) Filled(ctx context.Context, which func(table string) bool) (map[string]int, error) {
	if s.dbase == "" {
		return nil, nil
	}
	var filled map[string]int
	err := atRest(ctx, s.dbase, disk.System{}.WithDefaults(), func(_ stamp, copied bool) (bool, error) {
		d, err := openDatabase(ctx, s.dbase, s.opts.TempDir, copied, s.opts.Limits)
		if err != nil {
			return false, err
		}
		defer d.Close()
		if _, err := d.tables(ctx); err != nil {
			return false, err
		}
		filled, err = d.filled(ctx, which)
		return false, err
	})
	return filled, err
}

// filled counts the rows of the tables that which selects, and leaves out empty ones.
func (d *database) filled(ctx context.Context, which func(table string) bool) (map[string]int, error) {
	ctx, cancel := d.timed(ctx)
	defer cancel()
	filled := map[string]int{}
	for table := range d.stored {
		if !which(table) {
			continue
		}
		var rows int
		if err := d.conn.QueryRowContext(ctx, "SELECT count(*) FROM "+quotedName(table)).Scan(&rows); err != nil {
			return nil, d.late(ctx, err)
		}
		if rows > 0 {
			filled[table] = rows
		}
	}
	return filled, nil
}
