// Package otel reads OpenTelemetry spans and logs about generative AI. Every span of a chat repeats
// the conversation, so repeated messages are recognized by their content.
//
// Begin at Format. span.go reads a span, events.go the older conventions, vendors.go other
// conventions (OpenInference, Traceloop etc.), agentlogs.go the logs of agents without spans.
package otel
