// Package langchain reads the transcripts of LangChain, LangGraph and LangSmith.
package langchain
