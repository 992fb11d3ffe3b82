// Package dialect writes the formats of providers and frameworks: each has a file and a line of the
// table in specs.go. Messages are repaired by the rules of package provider before a dialect
// receives them.
package dialect

import (
	"turns/export"
)

// spec is an export for a provider or a framework: a request body or a history in its format. Its
// messages have the results at their calls, and are repaired by the rules of its name.
type spec struct {
	export.Format
	make  func(*sheet) dialect
	maker string // maker of the signatures that it understands
	// blocks in its format, which are copied unchanged; see shapes
	blocks        map[string]string
	chat          bool                  // its blocks are messages of the Chat Completions shape
	served        func(raw []byte) bool // reports blocks of tools that the provider ran itself
	prompts       bool                  // a request has separate instructions
	tune          func(*sheet)          // applies the options to it
	noIDs         bool                  // its calls have no ids
	endsWithModel bool                  // an example ends with the model
	request       *request              // other parts of the body; nil: none
	own           shapes
}

// specs are the exports for providers, in the order of the documentation: a file and a line here
// for each.
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

// Formats returns the exports for providers.
func Formats() []export.Format {
	list := specs()
	formats := make([]export.Format, len(list))
	for i := range list {
		if formats[i] = list[i].Format; formats[i].Ext == "" {
			formats[i].Ext = ".json"
		}
		formats[i].Provider = true
		formats[i].Write = list[i].write
	}
	return formats
}
