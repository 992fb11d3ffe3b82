// Package otel reads spans and logs of OpenTelemetry about generative AI. Every span of a chat
// repeats the conversation, so that what was said before is known by its content.
//
// Begin at Format; span.go says what a span tells, events.go reads the older conventions,
// vendors.go those of others (OpenInference, Traceloop and the like), agentlogs.go the logs of
// agents that send no spans.
package otel
