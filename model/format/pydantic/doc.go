// Package pydantic reads the messages of all versions of PydanticAI: requests and responses with
// parts, and the flat messages of the first versions. Begin at Format; pydantic_parts.go has the
// parts.
package pydantic
