// Package pydantic reads the messages of PydanticAI: requests and responses with parts, of every
// age, and the flat messages of its first versions. Begin at Format; pydantic_parts.go has the
// parts.
package pydantic
