// An agent that traces itself with the OpenTelemetry SDK for JavaScript, with the attributes of the
// conventions for GenAI. It calls two tools, one of which times out, and prints the milliseconds
// of each.
//
//	node otel.mjs URL json|proto [texts]
import { SpanStatusCode } from '@opentelemetry/api';
import { OTLPTraceExporter as JSONExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const [url, form, texts] = process.argv.slice(2);
const Exporter = form === 'proto' ? ProtoExporter : JSONExporter;
const provider = new NodeTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new Exporter({ url: `${url}/v1/traces`, compression: form === 'proto' ? 'gzip' : 'none' }))],
});
provider.register();
const tracer = provider.getTracer('agent');
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const part = (role, ...parts) => ({ role, parts });

function chat(history, answer, input, output) {
  return tracer.startActiveSpan('chat gpt-4o', { attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'gpt-4o' } }, async (span) => {
    await wait(20);
    span.setAttributes({ 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output });
    if (texts) span.setAttributes({ 'gen_ai.input.messages': JSON.stringify(history), 'gen_ai.output.messages': JSON.stringify([answer]) });
    span.end();
  });
}

const took = {};
function tool(name, id, ms, args, result) {
  return tracer.startActiveSpan(`execute_tool ${name}`, { attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name, 'gen_ai.tool.call.id': id } }, async (span) => {
    await wait(ms);
    if (texts) span.setAttributes({ 'gen_ai.tool.call.arguments': JSON.stringify(args), ...(result && { 'gen_ai.tool.call.result': result }) });
    if (!result) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: `timed out after ${ms} ms` });
      span.setAttribute('error.type', 'TimeoutError');
    }
    span.end();
    took[name] = span.duration[0] * 1e3 + span.duration[1] / 1e6;
  });
}

const call = (id, name, args) => ({ type: 'tool_call', id, name, arguments: args });
const tide = [`tide-${process.pid}`, 'read_tide', { harbour: 'Husum' }];
const wind = [`wind-${process.pid}`, 'read_wind', { harbour: 'Husum' }];
await tracer.startActiveSpan('invoke_agent harbour', { attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'harbour' } }, async (span) => {
  const history = [part('user', { type: 'text', content: 'When is high tide in Husum?' })];
  const calls = part('assistant', call(...tide), call(...wind));
  await chat(history, { ...calls, finish_reason: 'tool_call' }, 40, 15);
  await tool(tide[1], tide[0], 60, tide[2], 'at 14:20');
  await tool(wind[1], wind[0], 90, wind[2]);
  history.push(calls, part('tool', { type: 'tool_call_response', id: tide[0], response: 'at 14:20' }), part('tool', { type: 'tool_call_response', id: wind[0], response: 'timed out' }));
  await chat(history, { ...part('assistant', { type: 'text', content: 'At 14:20.' }), finish_reason: 'stop' }, 60, 5);
  span.end();
});
await provider.shutdown();
console.log(JSON.stringify(took));
