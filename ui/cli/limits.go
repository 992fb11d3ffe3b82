package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"turns/model"
)

// limits are those that hold where no flag says otherwise, with what the flags say.
// bodies is how much of messages is kept in memory, where that is not asked for.
func (a *app) limits(bodies int64) (model.Limits, error) {
	l := model.Limits{Bodies: bodies}
	for _, given := range a.limit {
		if err := setLimit(&l, given); err != nil {
			return l, err
		}
	}
	return l, nil
}

func setLimit(l *model.Limits, given string) error {
	name, text, _ := strings.Cut(given, "=")
	var names []string
	for _, limit := range l.Table() {
		names = append(names, limit.Name)
		if limit.Name != name {
			continue
		}
		n, ok := limitValue(text, limit.Unit)
		if !ok {
			return hinted{fmt.Errorf("--limit %q: not a limit", given), "as in --limit " + name + "=" + limitExamples[limit.Unit]}
		}
		*limit.Value = n
		return nil
	}
	return hinted{fmt.Errorf("--limit %q: there is no limit of that name", given), "limits are " + strings.Join(names, ", ")}
}

var limitExamples = [...]string{model.Pieces: "5000000 or 5M", model.Bytes: "2GB", model.Nanoseconds: "30s"}

// limitValue reads 5000000, 5M, 2GB or 30s.
func limitValue(text string, unit model.LimitUnit) (int64, bool) {
	if unit == model.Nanoseconds {
		d, err := time.ParseDuration(text)
		return int64(d), err == nil && d > 0
	}
	digits := strings.TrimRight(text, "kKMGTB")
	power, ok := map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[strings.TrimSuffix(strings.ToUpper(text[len(digits):]), "B")]
	n, err := strconv.ParseFloat(digits, 64)
	n *= power
	return int64(n), ok && err == nil && n >= 1 && n < math.MaxInt64/2
}
