package window

import (
	"fmt"
	"io"
	"strings"

	"turns/query"
	"turns/query/answer"
	"turns/query/human"
)

// TierBudgets are the maximum tokens of each part of a context, and of all parts together.
type TierBudgets struct {
	History          int64 `json:"history"`
	Today            int64 `json:"today"`
	Threads          int64 `json:"threads"`
	LastConversation int64 `json:"last_conversation"`
	Total            int64 `json:"total"` // 0: the sum of the others
}

// historyLeast is the size of the history that remains after all other cuts.
const historyLeast = 100

// Tiered reports the tokens of each part of a context and the cuts.
type Tiered struct {
	Version    int               `json:"version"`
	Budgets    TierBudgets       `json:"budgets"`
	Tokens     TierBudgets       `json:"tokens"` // after the cuts
	Before     TierBudgets       `json:"tokens_before"`
	Messages   int               `json:"history_messages"`
	Over       map[string]int64  `json:"over_budget"` // of history and total, if parts that must remain exceed the budget
	Truncated  bool              `json:"truncated"`
	Truncation map[string]string `json:"truncation_info"`
	Encoding   human.TextOrNull  `json:"encoding"`
	Note       human.TextOrNull  `json:"note"`
	Texts      TierTexts         `json:"texts"`
}

// TierTexts are the textual parts of a context.
type TierTexts struct {
	Today            string `json:"today"`
	Threads          string `json:"threads"`
	LastConversation string `json:"last_conversation"`
}

// HistoryCut reports the cut of a history: its tokens before and after, and the number of
// remaining messages.
type HistoryCut struct {
	Before, Tokens int64
	Messages       int
}

// Tiers cuts the parts of a context to their budgets. If all parts together are still too long,
// it cuts the last conversation, the threads, today and the history, in this order. history
// cuts the history to a budget; the first call has its whole budget. Over reports that the
// history is still too long.
func Tiers(texts TierTexts, budgets TierBudgets, counter query.TokenCounter, history func(budget int64) (HistoryCut, error)) (*Tiered, error) {
	if budgets.Total <= 0 {
		budgets.Total = budgets.History + budgets.Today + budgets.Threads + budgets.LastConversation
	}
	s := &Tiered{Version: human.AnswerVersion, Budgets: budgets, Truncation: map[string]string{}, Over: map[string]int64{}, Texts: texts}
	parts := []struct {
		name          string
		text          *string
		budget        int64
		before, after *int64
	}{
		{"last_conversation", &s.Texts.LastConversation, budgets.LastConversation, &s.Before.LastConversation, &s.Tokens.LastConversation},
		{"threads", &s.Texts.Threads, budgets.Threads, &s.Before.Threads, &s.Tokens.Threads},
		{"today", &s.Texts.Today, budgets.Today, &s.Before.Today, &s.Tokens.Today},
	}
	sum := int64(0)
	for _, p := range parts {
		*p.before = int64(counter.Count([]byte(*p.text)))
		*p.text, *p.after = cutTokens(*p.text, p.budget, counter)
		if *p.after < *p.before {
			s.Truncation[p.name] = fromTo(*p.before, *p.after)
		}
		sum += *p.after
		s.Before.Total += *p.before
	}
	cut, err := history(budgets.History)
	if err != nil {
		return nil, err
	}
	s.Before.History = cut.Before
	s.keep(cut)
	s.Before.Total += s.Before.History
	if s.Tokens.History < s.Before.History {
		s.Truncation["history"] = fromTo(s.Before.History, s.Tokens.History)
	}
	sum += s.Tokens.History
	for _, p := range parts {
		if sum <= budgets.Total || *p.after == 0 {
			continue
		}
		was := *p.after
		*p.text, *p.after = cutTokens(*p.text, max(was-(sum-budgets.Total), 0), counter)
		sum -= was - *p.after
		s.Truncation[p.name+"_priority"] = fromTo(was, *p.after)
	}
	if sum > budgets.Total {
		was := s.Tokens.History
		if cut, err = history(max(was-(sum-budgets.Total), historyLeast)); err != nil {
			return nil, err
		}
		s.keep(cut)
		if s.Tokens.History < was {
			s.Truncation["history_priority"] = fromTo(was, s.Tokens.History)
		}
	}
	s.Tokens.Total = s.Tokens.History + s.Tokens.Today + s.Tokens.Threads + s.Tokens.LastConversation
	if over := s.Tokens.Total - budgets.Total; over > 0 {
		s.Over["total"] = over
	}
	s.Truncated = len(s.Truncation) > 0
	return s, nil
}

// keep records a cut of the history.
func (s *Tiered) keep(cut HistoryCut) {
	s.Tokens.History, s.Messages = cut.Tokens, cut.Messages
	if delete(s.Over, "history"); cut.Tokens > s.Budgets.History {
		s.Over["history"] = cut.Tokens - s.Budgets.History
	}
}

func fromTo(before, after int64) string { return fmt.Sprintf("%d → %d tokens", before, after) }

// cutTokens returns the first lines of a text that fit a budget, and their tokens. If the first
// line does not fit, it is cut.
func cutTokens(text string, budget int64, counter query.TokenCounter) (string, int64) {
	n := int64(counter.Count([]byte(text)))
	if n <= budget || text == "" {
		return text, n
	}
	lo, hi := 0, len(text) // text[:lo] with its mark fits
	const mark = "…"
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if int64(counter.Count([]byte(human.Peek(text, mid)+mark))) <= budget {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	cut := human.Peek(text, lo)
	if i := strings.LastIndexByte(cut, '\n'); i > 0 {
		cut = cut[:i+1]
	}
	if cut == "" {
		return "", 0
	}
	cut += mark
	if n = int64(counter.Count([]byte(cut))); n > budget {
		return "", 0
	}
	return cut, n
}

// WriteJSON writes the snapshot.
func (s *Tiered) WriteJSON(w io.Writer) error { return query.WriteJSON(w, s) }

// Doc describes the snapshot.
func (s *Tiered) Doc() *answer.Doc {
	t := answer.NewTable("part", ">tokens", ">budget", "cut")
	row := func(name string, n, budget int64) {
		var cut []string
		for _, key := range [...]string{name, name + "_priority"} {
			if s.Truncation[key] != "" {
				cut = append(cut, s.Truncation[key])
			}
		}
		if n := s.Over[name]; n > 0 {
			cut = append(cut, human.Count(n)+" over the budget: what has to stay is more")
		}
		t.Add(strings.ReplaceAll(name, "_", " "), human.Count(n), human.Count(budget), strings.Join(cut, ", "))
	}
	row("history", s.Tokens.History, s.Budgets.History)
	row("today", s.Tokens.Today, s.Budgets.Today)
	row("threads", s.Tokens.Threads, s.Budgets.Threads)
	row("last_conversation", s.Tokens.LastConversation, s.Budgets.LastConversation)
	row("total", s.Tokens.Total, s.Budgets.Total)
	d := &answer.Doc{}
	d.AddTable("", t)
	d.Note("the history has " + human.Plural(s.Messages, "message"))
	if s.Note != "" {
		d.Note(string(s.Note))
	}
	return d
}
