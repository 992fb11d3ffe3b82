package window

import "testing"

// TestSlopeNeedsDistance: requests of nearly equal size do not determine the factor.
func TestSlopeNeedsDistance(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{nil, nil, 1},
		{[]float64{0, 499}, []float64{0, 998}, 1},
		{[]float64{0, 500}, []float64{0, 1000}, 2},
		{[]float64{500, 0}, []float64{1000, 0}, 2},
		{[]float64{0, 1000, 2000, 3000}, []float64{0, 1500, 3000, 9000}, 3}, // the median of 1.5, 1.5, 1.5, 3, 3.75 and 6
	} {
		if got := medianSlope(c.x, c.y); got != c.want {
			t.Errorf("slope of %v and %v is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}
