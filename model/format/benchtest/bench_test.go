package benchtest

import (
	"encoding/json"
	"reflect"
	"runtime"
	"testing"
	"time"

	goccy "github.com/goccy/go-json"

	"turns/model"
	"turns/model/format"
)

// BenchmarkParse is the speed of each format's parser on the records of its
// samples, and the ratio of it to that of the decoder.
func BenchmarkParse(b *testing.B) {
	for _, f := range format.All() {
		recs := recordsOf(b, f)
		if len(recs) == 0 {
			continue // plain text
		}
		b.Run(f.Name, func(b *testing.B) { compare(b, f, recs) })
	}
}

func compare(b *testing.B, f *model.Format, recs []model.Record) {
	size := 0
	types := map[string]*shape{}
	for _, rec := range recs {
		size += len(rec.Data)
		var v any
		if err := json.Unmarshal(rec.Data, &v); err != nil {
			b.Fatal(err)
		}
		if types[rec.List] == nil {
			types[rec.List] = &shape{}
		}
		types[rec.List].see(v)
	}
	goTypes := map[string]reflect.Type{}
	for list, s := range types {
		goTypes[list] = s.goType()
	}
	targets := make([]reflect.Type, len(recs))
	for i := range recs {
		targets[i] = goTypes[recs[i].List]
	}
	decode := func() {
		for i := range recs {
			if err := goccy.Unmarshal(recs[i].Data, reflect.New(targets[i]).Interface()); err != nil {
				b.Fatal(err)
			}
		}
	}
	var fs model.Facts
	parse := func() {
		for _, rec := range recs {
			fs.Clear()
			if err := f.Parse(rec, &fs); err != nil {
				b.Fatal(err)
			}
		}
	}
	parse()
	decode()
	b.SetBytes(int64(size))
	b.ReportAllocs()
	var parsing, decoding time.Duration // in turns, by what was computed: other programs run too
	for b.Loop() {
		parsing += computed(parse)
		b.StopTimer()
		decoding += computed(decode)
		b.StartTimer()
	}
	b.ReportMetric(float64(decoding)/float64(parsing), "ratio")
}

// computed is what doing something takes, done for long enough that a cycle of the
// garbage collector is paid by whoever made the garbage.
func computed(do func()) time.Duration {
	const long = 20 * time.Millisecond
	runtime.GC()
	times := 0
	from := cpuTime()
	for cpuTime()-from < long {
		for range 10 {
			do()
		}
		times += 10
	}
	return (cpuTime() - from) / time.Duration(times)
}
