// Package openai reads the transcripts of OpenAI: Chat Completions and Responses.
package openai
