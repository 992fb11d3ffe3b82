package export

// providerFormats are those that a provider or a framework accepts as a request
// body or a history, each a dialect in a file of its own. They take whole
// messages, with the results at their calls, repaired by the provider's rules.
func providerFormats() []Format {
	const mime = "application/json"
	return []Format{
		{Name: "openai", Help: "the body of an OpenAI Chat Completions request", Ext: ".json", MIME: mime, Write: writeAs("openai", newOpenAI)},
		{Name: "openai-responses", Help: "the body of an OpenAI Responses request", Ext: ".json", MIME: mime, Write: writeAs("openai-responses", newResponses)},
		{Name: "anthropic", Help: "the body of an Anthropic Messages request", Ext: ".json", MIME: mime, Write: writeAs("anthropic", newAnthropic)},
		{Name: "gemini", Help: "the body of a Gemini generateContent request", Ext: ".json", MIME: mime, Write: writeAs("gemini", newGemini)},
		{Name: "vercel", Help: "ModelMessages of the Vercel AI SDK (version 5 and later)", Ext: ".json", MIME: mime, Write: writeAs("vercel", newVercel)},
		{Name: "vercel-ui", Help: "UIMessages of the Vercel AI SDK (version 5 and later)", Ext: ".json", MIME: mime, Write: writeAs("vercel-ui", newVercelUI)},
		{Name: "pydantic-ai", Help: "a message history of PydanticAI", Ext: ".json", MIME: mime, Write: writeAs("pydantic-ai", newPydantic)},
		{Name: "langchain", Help: "messages as LangChain's messages_to_dict writes them", Ext: ".json", MIME: mime, Write: writeAs("langchain", newLangchain)},
		{Name: "atif", Help: "an ATIF trajectory, steps with their metrics", Ext: ".json", MIME: mime, Write: writeAs("atif", newATIF)},
		{Name: "agentsmithy", Help: "an AgentSmithy dialog history response (no results)", Ext: ".json", MIME: mime, Write: writeAs("agentsmithy", newAgentSmithy)},
		{Name: "sharegpt", Help: "ShareGPT training data, a conversation for each session", Ext: ".json", MIME: mime, Write: writeAs("sharegpt", newShareGPT)},
		{Name: "openai-finetune", Help: "OpenAI fine-tuning data, a conversation a line", Ext: ".jsonl", MIME: "application/x-ndjson", Write: writeAs("openai-finetune", newFinetune)},
	}
}
