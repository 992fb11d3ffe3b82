package evals

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"turns/model"
	"turns/model/format/kit"
	"turns/model/jsonspan"
)

// InspectFormat reads the log of an evaluation with Inspect AI: a JSON document, or an archive with
// a member for each sample. Each sample is a session; the log's own fields belong to the session of
// the evaluation.
func InspectFormat() *model.Format {
	return &model.Format{
		Name:   "inspect",
		Title:  "Inspect AI evaluation log",
		Where:  []string{"logs/*.eval", "logs/*.json"},
		Detect: inspectDetect,
		Lists:  func(model.Match) []string { return []string{"samples"} },
		Unroll: &model.Unroll{Members: InspectMembers, Stub: inspectStub},
		Parse:  inspectParse,
	}
}

// inspectBare is the variant of a log without samples. Only there the usage of the whole evaluation
// counts; otherwise that of the samples does.
const inspectBare = kit.EvalOther

func inspectDetect(s *model.Sample) model.Match {
	if s.Shape == model.Archive || s.Shape == model.Folder {
		return inspectDetectMembers(s)
	}
	v, ok := kit.EvalVariant(s, []string{"eval"}, func(v []byte) bool { return kit.EvalHas(v, "version", "status", "eval.task", "eval.model") })
	if !ok || v != kit.EvalDoc {
		return model.Match{}
	}
	doc := s.Doc
	if len(s.Records) == 1 {
		doc = s.Records[0]
	}
	m := model.Match{Score: 96, Variant: kit.EvalDoc, Reason: "a document with version, status and eval with task and model"}
	if samples, ok := kit.Seek(doc, "samples"); ok && kit.IsEmpty(samples.Skip()) || !ok && (s.Whole || len(s.Records) == 1) {
		m.Variant = inspectBare
	}
	return m
}

func inspectDetectMembers(s *model.Sample) model.Match {
	head, samples := false, false
	for _, name := range s.Names {
		head = head || name == "header.json" || name == "_journal/start.json"
		samples = samples || strings.HasPrefix(name, "samples/")
	}
	switch {
	case head && samples:
		return model.Match{Score: 96, Reason: "an archive with header.json or _journal/start.json and samples/"}
	case head && slices.Contains(s.Names, "_journal/start.json"):
		return model.Match{Score: 90, Variant: inspectBare, Reason: "an archive with _journal/start.json"}
	}
	return model.Match{}
}

// InspectMembers returns the members of an archive: the description of the evaluation (if it is
// unfinished, the start of the journal), then the samples by id and epoch.
func InspectMembers(names []string) []string {
	var head, samples []string
	for _, name := range names {
		if strings.HasPrefix(name, "samples/") && strings.HasSuffix(name, ".json") {
			samples = append(samples, name)
		}
	}
	for _, name := range []string{"header.json", "_journal/start.json"} {
		if slices.Contains(names, name) {
			head = []string{name}
			break
		}
	}
	slices.SortFunc(samples, func(a, b string) int {
		ida, epa, _ := strings.Cut(strings.TrimSuffix(a[len("samples/"):], ".json"), "_epoch_")
		idb, epb, _ := strings.Cut(strings.TrimSuffix(b[len("samples/"):], ".json"), "_epoch_")
		return cmp.Or(inspectCompare(ida, idb), inspectCompare(epa, epb))
	})
	return append(head, samples...)
}

// inspectStub returns the conversation of a sample that is not selected: they are numbered in the
// order of members.
func inspectStub(name string, place, conversation int) []byte {
	if place == 0 || place == conversation {
		return nil // the first member describes all of them
	}
	id, epoch, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(name, "samples/"), ".json"), "_epoch_")
	if n, ok := jsonspan.ParseInt([]byte(epoch)); ok {
		return fmt.Appendf(model.AppendQuoted([]byte(`{"id":`), []byte(id)), `,"epoch":%d}`, n)
	}
	return nil
}

// inspectCompare compares numerically if both strings are numbers.
func inspectCompare(a, b string) int {
	x, okx := jsonspan.ParseInt([]byte(a))
	y, oky := jsonspan.ParseInt([]byte(b))
	if okx && oky {
		return cmp.Compare(x, y)
	}
	return strings.Compare(a, b)
}

func inspectParse(rec model.Record, fs *model.Facts) error {
	c := jsonspan.New(rec.Data)
	if !kit.StartObject(&c, fs) {
		return kit.Finish(&c, fs)
	}
	if rec.List == "samples" || strings.HasPrefix(rec.List, "samples/") {
		inspectSample(&c, fs)
	} else {
		inspectHead(&c, rec.Variant, fs)
	}
	if c.Err != nil {
		fs.Clear()
	}
	return kit.Finish(&c, fs)
}

// inspectHead reads the fields of the evaluation.
func inspectHead(c *jsonspan.Cursor, variant uint8, fs *model.Facts) {
	at := fs.Len()
	f, rest := kit.EvalHead(fs, 0, "evaluation")
	var status, results, stats, failure, samples []byte
	fields := kit.Fields{
		kit.Raw("status", &status), kit.Raw("results", &results), kit.Raw("stats", &stats),
		kit.Raw("error", &failure), kit.Raw("samples", &samples),
	}
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "eval":
			inspectEval(c, f, rest)
		case "version":
			kit.Keep(rest, "log version", c.Skip())
		default:
			fields.ReadOrKeep(rest, c)
		}
	}
	kit.Keep(rest, "results", results)
	kit.EvalHeadDone(fs, at)
	if variant == inspectBare {
		kit.EvalTotal(fs, 0, inspectUsage(jsonspan.Get(stats, "model_usage")))
	}
	if variant == inspectBare || string(kit.Inside(status)) != "success" {
		inspectEnd(fs, status, results, stats, failure)
	} else { // its samples have their own ends, after their messages
		kit.Keep(rest, "status", status)
	}
	list := jsonspan.New(samples) // from a document on one line
	for list.Array(); list.More(); {
		inspectSample(&list, fs)
	}
}

func inspectEval(c *jsonspan.Cursor, f *model.Fact, rest *model.Fact) {
	for c.Object(); c.Key(); {
		switch string(c.Name) {
		case "task":
			kit.Keep(f, "title", c.Skip())
		case "model":
			kit.Keep(f, "model", c.Skip())
		case "eval_id":
			kit.Keep(f, "session", c.Skip())
		case "created":
			f.Time = kit.ReadMoment(c)
		case "packages":
			v := c.Skip()
			kit.Keep(f, "version", jsonspan.Get(v, "inspect_ai"))
		case "solver":
			kit.Keep(f, "agent", c.Skip())
		default:
			kit.KeepField(rest, c)
		}
	}
}

// inspectEnd adds the outcome of the evaluation; its score is the first metric.
func inspectEnd(fs *model.Facts, status, results, stats, failure []byte) {
	o, ok := kit.OutcomeOfStatus(kit.Inside(status))
	if !ok || o == model.Running {
		return
	}
	f := fs.Add(model.End)
	f.Outcome, f.Name = o, model.ValueText(status)
	f.Time = kit.MomentOf(jsonspan.Get(stats, "completed_at"))
	if text := jsonspan.Get(failure, "message"); !kit.IsEmpty(text) {
		f.Name = model.ValueText(text)
		f.AddText(model.Words, model.ValueText(failure))
	}
	if score := kit.EvalFirst(kit.EvalAt(results, "scores")); score != nil {
		metrics := jsonspan.New(kit.EvalAt(score, "metrics"))
		for metrics.Object(); metrics.Key(); {
			if x, ok := kit.EvalFloat(jsonspan.Get(metrics.Skip(), "value")); ok {
				f.Score, f.HasScore = x, true
				break
			}
		}
	}
}

// inspectUsage adds up the usage of all models. Their input excludes cached tokens if the total is
// the sum of all four numbers.
func inspectUsage(models []byte) model.Usage {
	sum := kit.NoUsage(model.Total)
	if kit.IsEmpty(models) {
		return sum
	}
	add := func(to *int64, n int64) {
		if n >= 0 {
			*to = max(*to, 0) + n
		}
	}
	c := jsonspan.New(models)
	for c.Object(); c.Key(); {
		u := inspectModelUsage(c.Skip())
		add(&sum.Input, u.Input)
		add(&sum.CacheRead, u.CacheRead)
		add(&sum.CacheWrite, u.CacheWrite)
		add(&sum.Output, u.Output)
		add(&sum.Reasoning, u.Reasoning)
		if u.HasCost {
			sum.Cost, sum.HasCost = sum.Cost+u.Cost, true
		}
	}
	return sum
}

// inspectModelUsage reads the usage of a model. Providers differ in whether the input includes
// cached tokens; the total shows which is the case.
func inspectModelUsage(v []byte) model.Usage {
	u, total := kit.NoUsage(model.Each), int64(-1)
	kit.ReadObject(v,
		kit.Count("input_tokens", &u.Input), kit.Count("output_tokens", &u.Output),
		kit.Count("input_tokens_cache_read", &u.CacheRead),
		kit.Count("input_tokens_cache_write", &u.CacheWrite),
		kit.Count("reasoning_tokens", &u.Reasoning), kit.Count("total_tokens", &total), kit.Cost("total_cost", &u),
	)
	if cached := max(u.CacheRead, 0) + max(u.CacheWrite, 0); cached > 0 && total >= 0 && total < max(u.Input, 0)+max(u.Output, 0)+cached {
		kit.ExcludeCache(&u)
	}
	if u.Input < 0 && u.Output < 0 {
		return model.Usage{Input: -1, CacheRead: -1, CacheWrite: -1, Output: -1, Reasoning: -1}
	}
	return u
}
