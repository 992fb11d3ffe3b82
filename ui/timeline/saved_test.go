package timeline

import (
	"math"
	"strconv"
	"testing"

	"turns/model"
	"turns/query/querytest"
)

// slowlyFound searches the rows before and after the place, one by one.
func slowlyFound(r savedRow, s *model.Snapshot) (model.ID, bool) {
	want, _ := strconv.ParseUint(r.Key, 16, 64)
	for d := range near {
		for _, n := range [...]int{r.Row - d, r.Row + d} {
			if n >= 0 && n < s.Rows() && uint64(s.HeadRow(model.ID(n)).Key) == want {
				return model.ID(n), true
			}
		}
	}
	return 0, false
}

// TestKeptRowsAreFound compares places with slowlyFound, for keys that occur once, often and never,
// and far from their old place.
func TestKeptRowsAreFound(t *testing.T) {
	g := querytest.NewGrowing()
	for i := range near + 3000 {
		key := model.Key(i%700 + 1)
		if i%1000 == 999 {
			key = model.Key(i)
		}
		g.Add(model.Head{Key: key})
	}
	s := g.Snapshot()
	st := Saved{Cursor: &savedRow{Row: math.MaxInt, Key: "1"}, Marks: map[string]savedRow{"a": {Row: math.MinInt, Key: "1"}}}
	for i := range 60 {
		key := strconv.FormatInt(int64(i*997), 16)
		if i%3 == 0 {
			key = strconv.FormatInt(int64(i*1000+999), 16)
		}
		st.Folds = append(st.Folds, Fold{savedRow: savedRow{Row: i * 1100, Key: key}}, Fold{savedRow: savedRow{Row: 3, Key: key}})
	}
	at := st.places(s)
	for i, r := range st.kept() {
		k, ok := r.found(s, at)
		if i == 0 || r.Row < 0 {
			if ok {
				t.Errorf("%+v is found at %d", *r, k.ID)
			}
			continue
		}
		if id, there := slowlyFound(*r, s); ok != there || ok && id != k.ID {
			t.Errorf("%+v is found at %d, %v, want %d, %v", *r, k.ID, ok, id, there)
		}
	}
}
