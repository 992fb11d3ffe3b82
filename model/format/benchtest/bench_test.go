package benchtest

import (
	"encoding/json"
	"runtime"
	"slices"
	"testing"
	"time"

	"turns/model"
	"turns/model/format"
)

// BenchmarkParse measures the speed of each format's parser on the records of its samples, and the
// ratio to the speed of a JSON decoder.
func BenchmarkParse(b *testing.B) {
	for _, f := range format.All() {
		recs := recordsOf(b, f)
		if len(recs) == 0 {
			continue // a format of plain text
		}
		b.Run(f.Name, func(b *testing.B) { compare(b, f, recs) })
	}
}

func compare(b *testing.B, f *model.Format, recs []model.Record) {
	size := 0
	shapes := map[string]*shape{}
	for _, rec := range recs {
		size += len(rec.Data)
		var v any
		if err := json.Unmarshal(rec.Data, &v); err != nil {
			b.Fatal(err)
		}
		if shapes[rec.List] == nil {
			shapes[rec.List] = &shape{}
		}
		shapes[rec.List].see(v, "", knownOf[f.Name])
	}
	decoders := map[string]func([]byte) error{}
	for list, s := range shapes {
		decoders[list] = s.decoder()
	}
	decode := func() {
		for i := range recs {
			if err := decoders[recs[i].List](recs[i].Data); err != nil {
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
	var ratios []float64 // of adjacent measurements, because other programs disturb them
	for b.Loop() {
		parsing := computed(parse)
		b.StopTimer()
		ratios = append(ratios, float64(computed(decode))/float64(parsing))
		b.StartTimer()
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
}

// computed returns the CPU time of one call of do. It repeats the call long enough to include the
// collection of its garbage.
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
