// Package providers reads the transcripts of requests to providers: Anthropic, Bedrock.
package providers
