// Package otel reads the transcripts of OpenTelemetry spans and logs of GenAI.
package otel
