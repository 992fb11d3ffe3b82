package window

// Tokens are the tokens of messages, by kind.
type Tokens struct {
	System    int64 `json:"system"`
	User      int64 `json:"user"`
	Assistant int64 `json:"assistant"`
	Reasoning int64 `json:"reasoning"`
	Calls     int64 `json:"calls"`
	Results   int64 `json:"results"`
	Injected  int64 `json:"injected"`
	Summary   int64 `json:"summary"` // summaries in place of compacted messages
	Images    int64 `json:"images"`  // estimated from their size in pixels, see ImageRuleOf

	// number of images, and of those that cannot be estimated
	pictures, unsized int64
}

// Sum returns the tokens of all kinds together.
func (t *Tokens) Sum() int64 {
	return t.System + t.User + t.Assistant + t.Reasoning + t.Calls + t.Results + t.Injected + t.Summary + t.Images
}

func (t *Tokens) add(o *Tokens, sign int64) {
	t.System += sign * o.System
	t.User += sign * o.User
	t.Assistant += sign * o.Assistant
	t.Reasoning += sign * o.Reasoning
	t.Calls += sign * o.Calls
	t.Results += sign * o.Results
	t.Injected += sign * o.Injected
	t.Summary += sign * o.Summary
	t.Images += sign * o.Images
	t.pictures += sign * o.pictures
	t.unsized += sign * o.unsized
}

// Kinds are the names of the kinds, in drawing order.
var Kinds = [...]string{"system", "user", "assistant", "reasoning", "calls", "results", "injected", "summary", "images"}

// ByKind returns the tokens in the order of [Kinds].
func (t *Tokens) ByKind() [len(Kinds)]int64 {
	return [...]int64{t.System, t.User, t.Assistant, t.Reasoning, t.Calls, t.Results, t.Injected, t.Summary, t.Images}
}
