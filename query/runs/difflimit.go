package runs

// Limit drops the rows after the n-th difference. The counts remain those of all rows.
func (d *DiffAnswer) Limit(n int) {
	d.Rows = upTo(d.Rows, n, func(r DiffRow) bool { return r.How != DiffSame })
}

// Limit drops all tasks but the first n. The means remain those of all tasks.
func (d *DirsAnswer) Limit(n int) {
	d.Tasks = upTo(d.Tasks, n, func(TaskDiff) bool { return true })
}

// Limit drops the rows after the n-th difference.
func (d *ManyDiff) Limit(n int) {
	d.Rows = upTo(d.Rows, n, func(r ManyRow) bool { return !r.Same })
}

// upTo returns the rows up to the n-th that counts, and all of them if there are fewer.
func upTo[R any](rows []R, n int, counts func(R) bool) []R {
	for i, r := range rows {
		if counts(r) {
			n--
		}
		if n <= 0 {
			return rows[:i+1]
		}
	}
	return rows
}
