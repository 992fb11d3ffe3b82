package trials

import "testing"

func TestMedianOf(t *testing.T) {
	// ranks of 95 % intervals for a median, from tables of the sign test
	for n, rank := range map[int]int{6: 1, 9: 2, 10: 2, 20: 6, 25: 8, 50: 18, 100: 40} {
		var x []float64
		for i := range n {
			x = append(x, float64(n-i)) // n … 1
		}
		m := medianOf(x)
		near(t, "median", m.Value, float64(n+1)/2, 1e-12)
		if m.Low == nil || *m.Low != float64(rank) || *m.High != float64(n+1-rank) || m.Known != n {
			t.Errorf("of 1 to %d the interval is not from %d: %+v", n, rank, m)
		}
		if x[0] != float64(n) {
			t.Error("the values were sorted in place")
		}
	}
	if m := medianOf([]float64{1, 2, 3, 4, 5}); m.Low != nil || m.High != nil || m.Value != 3 {
		t.Errorf("five values give %+v", m)
	}
	if medianOf(nil) != nil {
		t.Error("no value has a median")
	}
}
