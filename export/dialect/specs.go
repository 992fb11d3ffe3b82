// Package dialect writes what providers and frameworks take: each a file of its own
// and a line of the table in specs.go. Messages are repaired by the rules of package
// provider before a dialect sees them.
package dialect

import (
	"turns/export"
)

// spec is an export for a provider or a framework: a request body or a history that
// it accepts. It takes whole messages with the results at their calls, repaired by
// the rules of its name.
type spec struct {
	export.Format
	make  func(*sheet) dialect
	maker string // whose signatures it knows
	// its own blocks, which are copied as they were recorded; see shapes
	blocks        map[string]string
	chat          bool                  // its blocks are messages of the Chat Completions shape
	served        func(raw []byte) bool // what of a conversation the provider ran itself
	prompts       bool                  // a request has instructions of its own
	tune          func(*sheet)          // what the options change of it
	noIDs         bool                  // calls have no ids in it
	endsWithModel bool                  // an example ends with the model
	request       *request              // what stands beside the messages; nil: nothing does
	own           shapes
}

// specs are the exports for providers, in the order of the documentation: each a
// file of its own, and a line here.
func specs() []spec {
	return []spec{
		openAISpec(),
		responsesSpec(),
		anthropicSpec(),
		geminiSpec(),
		vercelSpec(),
		vercelUISpec(),
		vercelFunctionsSpec(),
		pydanticSpec(),
		langchainSpec(),
		atifSpec(),
		agentSmithySpec(),
		agentSmithyEventsSpec(),
		otlpSpec(),
		shareGPTSpec(),
		finetuneSpec(),
	}
}

// Formats are the exports for providers.
func Formats() []export.Format {
	list := specs()
	formats := make([]export.Format, len(list))
	for i := range list {
		if formats[i] = list[i].Format; formats[i].Ext == "" {
			formats[i].Ext, formats[i].MIME = ".json", "application/json"
		}
		formats[i].Provider = true
		formats[i].Write = list[i].write
	}
	return formats
}
