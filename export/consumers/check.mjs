// Puts exports to the libraries that read them. Reads a list of {sample, to, sdk, file}
// and prints a line for each that was refused, then a table.
import { readFileSync, writeFileSync, mkdirSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mapStoredMessagesToChatMessages } from '@langchain/core/messages';

const here = dirname(fileURLToPath(import.meta.url));
const list = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const table = new Map(); // consumer: [tried, refused, refused rightly]
let failed = 0;

const quiet = { log() {}, warn() {}, error() {}, info() {}, debug() {} };
const out = console.log;
Object.assign(console, quiet);
globalThis.AI_SDK_LOG_WARNINGS = false;

// Refusals that are right: what was recorded cannot be said there, or is no more than
// half of what the API would have answered.
const right = [
  [/^ai \d, google/, /File data URLs in assistant messages/, 'Google takes no URL in what the model said'],
  [/^@anthropic-ai/, /"(temperature|top_p|top_k)"+ does not exist/, 'recorded of a model that takes it; newer ones do not'],
  [/^@anthropic-ai/, /(BashCodeExecutionResult|WebSearchResult)BlockParam/, 'a result of a tool of the server, recorded without its fields'],
  [/^@anthropic-ai/, /"tool_search_tool_bm25"/, 'a tool of the server that the types do not know yet'],
  [/^ai \d/, /media type:? (application\/octet-stream|audio\/|video\/|text\/)|Only PNG images/, 'the provider behind the SDK takes no such media'],
  [/^ai \d, UI to/, /"pageAge"/, 'a result of a tool of the server, recorded without its fields'],
];
const reasons = new Map();

function refused(consumer, entry, why) {
  why = String(why).replaceAll("'", '"');
  const known = right.find(([who, what]) => who.test(consumer) && what.test(why));
  table.get(consumer)[known ? 2 : 1]++;
  if (known) {
    reasons.set(known[2], (reasons.get(known[2]) ?? 0) + 1);
    return;
  }
  failed++;
  out(`${consumer}: ${entry.sample} (${entry.to}): ${String(why).replace(/\s+/g, ' ').slice(0, 400)}`);
}

async function put(consumer, entry, f) {
  if (!table.has(consumer)) table.set(consumer, [0, 0, 0]);
  table.get(consumer)[0]++;
  try {
    await f();
  } catch (e) {
    refused(consumer, entry, e?.cause?.message ?? e?.message ?? e);
  }
}

function expect(ok, what) {
  if (!ok) throw new Error(what);
}

// What the APIs answer, as short as their clients take it.
const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const answers = {
  anthropic: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'ok' }], stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
  google: { candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP', index: 0 }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } },
  openai: {
    id: 'r', object: 'response', created_at: 1, status: 'completed', model: 'm', output: [{ type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'ok', annotations: [] }] }],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  },
};
function mock(answer) {
  return async () => new Response(JSON.stringify(answer), { status: 200, headers: { 'content-type': 'application/json' } });
}

const sdks = {};
for (const v of [5, 6, 7]) {
  const [ai, a, g, o] = await Promise.all([
    import(`ai-${v}`), import(`@ai-sdk/anthropic-${v}`), import(`@ai-sdk/google-${v}`), import(`@ai-sdk/openai-${v}`),
  ]);
  sdks[v] = {
    ai,
    models: {
      anthropic: a.createAnthropic({ apiKey: 'k', fetch: mock(answers.anthropic) })('claude-sonnet-4-5'),
      google: g.createGoogleGenerativeAI({ apiKey: 'k', fetch: mock(answers.google) })('gemini-3-pro-preview'),
      openai: o.createOpenAI({ apiKey: 'k', fetch: mock(answers.openai) })('gpt-5'),
    },
  };
}

// generate sends a prompt through the provider's own client.
async function generate(v, model, prompt) {
  await sdks[v].ai.generateText({ model, maxRetries: 0, experimental_download: download, ...prompt });
}

// download gives what a client that opens no URL itself would have fetched.
async function download(list) {
  return list.map((d) => (d.isUrlSupportedByModel ? null : { data: new Uint8Array(pixel), mediaType: 'image/png' }));
}

async function vercel(entry, body) {
  const v = entry.sdk;
  const prompt = Array.isArray(body) ? { messages: body } : body;
  if (prompt.messages.length === 0) return;
  await put(`ai ${v}, modelMessageSchema`, entry, () => {
    for (const m of prompt.messages) sdks[v].ai.modelMessageSchema.parse(m);
  });
  for (const [name, model] of Object.entries(sdks[v].models)) {
    await put(`ai ${v}, ${name}`, entry, () => generate(v, model, prompt));
  }
}

async function vercelUI(entry, body) {
  if (body.length === 0) return;
  for (const v of [5, 6, 7]) {
    const { ai, models } = sdks[v];
    let messages;
    await put(`ai ${v}, validateUIMessages`, entry, async () => {
      await ai.validateUIMessages({ messages: body });
    });
    await put(`ai ${v}, convertToModelMessages`, entry, async () => {
      messages = await ai.convertToModelMessages(body.filter((m) => m.role !== 'system'), { ignoreIncompleteToolCalls: true });
      for (const m of messages) ai.modelMessageSchema.parse(m);
    });
    if (messages?.length) await put(`ai ${v}, UI to anthropic`, entry, () => generate(v, models.anthropic, { messages }));
  }
}

async function langchain(entry, body) {
  await put('@langchain/core', entry, () => {
    const read = mapStoredMessagesToChatMessages(body);
    expect(read.length === body.length, `${read.length} messages of ${body.length}`);
    read.forEach((m, i) => {
      expect(m.getType() === body[i].type, `message ${i} is of ${m.getType()}`);
      expect((m.tool_calls ?? []).length === (body[i].data.tool_calls ?? []).length, `message ${i} lost calls`);
      expect((m.invalid_tool_calls ?? []).length === 0, `message ${i} has invalid calls`);
      m.contentBlocks;
    });
  });
}

async function finetune(entry, text) {
  await put('fine-tuning rules', entry, () => {
    for (const line of text.split('\n').filter(Boolean)) {
      const { messages } = JSON.parse(line);
      expect(messages.at(-1).role === 'assistant', `an example ends with the ${messages.at(-1).role}`);
    }
  });
}

async function sharegpt(entry, body) {
  await put('ShareGPT rules', entry, () => {
    for (const { conversations } of body) {
      const turns = conversations.filter((t, i) => t.from !== 'system' || i > 0);
      turns.forEach((t, i) => expect(i % 2 ? t.from === 'gpt' : t.from === 'human' || t.from === 'tool', `turn ${i} is of ${t.from}`));
      expect(turns.at(-1).from === 'gpt', 'it does not end with gpt');
    }
  });
}

// What has types but no schema is put to the compiler.
const typed = {
  openai: ['openai', "import type { ChatCompletionCreateParamsNonStreaming as T } from 'openai/resources/chat/completions';"],
  'openai-finetune': ['openai, fine-tuning', "import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'; type T = { messages: ChatCompletionMessageParam[] }[];"],
  'openai-responses': ['openai, responses', "import type { ResponseCreateParamsNonStreaming as T } from 'openai/resources/responses/responses';"],
  anthropic: ['@anthropic-ai/sdk', "import type { MessageCreateParamsNonStreaming as T } from '@anthropic-ai/sdk/resources/messages';"],
  gemini: ['@google/genai', "import type { Content, Tool } from '@google/genai'; type T = { contents: Content[]; systemInstruction?: Content; tools?: Tool[]; generationConfig?: unknown; toolConfig?: unknown; safetySettings?: unknown };"],
};
const sources = join(here, 'node_modules', '.types');
rmSync(sources, { recursive: true, force: true });
mkdirSync(sources, { recursive: true });
const files = [];

function type(entry, text) {
  const [consumer, imports] = typed[entry.to];
  if (!table.has(consumer)) table.set(consumer, [0, 0, 0]);
  table.get(consumer)[0]++;
  const value = entry.to === 'openai-finetune' ? `[${text.split('\n').filter(Boolean).map((line) => line.replace(/,"weight":[01]/g, '')).join(',\n')}]` : text.trim();
  const name = `t${files.length}.ts`;
  writeFileSync(join(sources, name), `${imports}\nexport const body: T =\n${value};\n`);
  files.push({ name, consumer, entry });
}

function compile() {
  writeFileSync(join(sources, 'tsconfig.json'), JSON.stringify({
    compilerOptions: { strict: true, noEmit: true, skipLibCheck: true, module: 'nodenext', moduleResolution: 'nodenext', target: 'es2022', types: ['node'] }, include: ['*.ts'],
  }));
  try {
    execFileSync(process.execPath, [join(here, 'node_modules/typescript/bin/tsc'), '-p', sources, '--pretty', 'false'], { encoding: 'utf8', maxBuffer: 1 << 28 });
  } catch (e) {
    const seen = new Set();
    const lines = String(e.stdout ?? e).split('\n');
    lines.forEach((line, i) => {
      const m = line.match(/(t\d+)\.ts\((\d+),(\d+)\): (.*)/);
      const file = m && files.find((f) => f.name === m[1] + '.ts');
      if (!file || seen.has(file)) return;
      seen.add(file);
      const source = readFileSync(join(sources, file.name), 'utf8').split('\n')[m[2] - 1].slice(Math.max(0, m[3] - 40), +m[3] + 120);
      let why = m[4];
      for (let k = i + 1; k < lines.length && lines[k].startsWith(' '); k++) why = lines[k];
      refused(file.consumer, file.entry, `${why} at ${source}`);
    });
    if (seen.size === 0) throw e;
  }
}

const readers = { vercel, 'vercel-ui': vercelUI, langchain, sharegpt };
for (const entry of list) {
  const text = readFileSync(entry.file, 'utf8');
  if (typed[entry.to]) type(entry, text);
  if (entry.to === 'openai-finetune') await finetune(entry, text);
  if (readers[entry.to]) await readers[entry.to](entry, JSON.parse(text));
}
compile();
out('\nconsumer\ttried\trefused\trightly');
for (const [name, [tried, no, rightly]] of table) out(`${name}\t${tried}\t${no}\t${rightly}`);
for (const [why, n] of reasons) out(`right ${n} times: ${why}`);
process.exit(failed ? 1 : 0);
