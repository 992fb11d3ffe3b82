// Package pydantic reads the transcripts of PydanticAI.
package pydantic
