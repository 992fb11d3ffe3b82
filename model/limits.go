package model

// Limits bound what a transcript can cost. The zero value of a field means its
// default, which [DefaultLimits] holds.
type Limits struct {
	Bodies       int64 // bytes of decoded messages that are kept in memory
	Spool        int64 // bytes of a spool that are kept in memory before it becomes a file
	Record       int64 // bytes of one record; a larger one is a row that says so
	Decompressed int64 // bytes that a compressed container may grow to
	Response     int64 // bytes of one HTTP response
}

// DefaultLimits are the limits that hold unless a caller says otherwise.
func DefaultLimits() Limits {
	return Limits{
		Bodies:       32 << 20,
		Spool:        16 << 20,
		Record:       256 << 20,
		Decompressed: 64 << 30,
		Response:     4 << 30,
	}
}

// WithDefaults is l with its zero fields set to their defaults.
func (l Limits) WithDefaults() Limits {
	d := DefaultLimits()
	if l.Bodies == 0 {
		l.Bodies = d.Bodies
	}
	if l.Spool == 0 {
		l.Spool = d.Spool
	}
	if l.Record == 0 {
		l.Record = d.Record
	}
	if l.Decompressed == 0 {
		l.Decompressed = d.Decompressed
	}
	if l.Response == 0 {
		l.Response = d.Response
	}
	return l
}
