// Reads every Parquet file below the current folder with hyparquet and with arrow-rs (parquet-wasm),
// and prints the rows of each table and the sums of its numbers as each reader has them, and as
// DuckDB has them.
import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readParquet } from 'parquet-wasm';

const number = (v) => (typeof v === 'bigint' ? Number(v) : typeof v === 'number' ? v : 0);
const sums = { hyparquet: {}, arrow: {}, duckdb: {} };
const refused = [];

function add(reader, table, column, value) {
  const t = (sums[reader][table] ??= {});
  t[column] = (t[column] ?? 0) + value;
}

const columns = { runs: ['output_tokens', 'call_count', 'error_count'], messages: ['output_tokens', 'input_tokens', 'message_index'], calls: ['message_index', 'result_index'], orphans: ['result_index'], labels: ['message_index'] };

const readers = {
  async hyparquet(table, data) {
    const file = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
    const rows = await parquetReadObjects({ file, compressors });
    add('hyparquet', table, 'rows', rows.length);
    for (const c of columns[table]) add('hyparquet', table, c, rows.reduce((sum, row) => sum + number(row[c]), 0));
  },
  async arrow(table, data) {
    const rows = tableFromIPC(readParquet(data).intoIPCStream());
    add('arrow', table, 'rows', rows.numRows);
    for (const c of columns[table]) {
      const column = rows.getChild(c);
      if (!column) throw new Error(`no column ${c}`);
      let sum = 0;
      for (const v of column) sum += number(v);
      add('arrow', table, c, sum);
    }
  },
};

const duck = await (await DuckDBInstance.create(':memory:')).connect();
for (const table of readdirSync('.').filter((name) => columns[name])) {
  for (const name of readdirSync(table, { recursive: true }).filter((n) => n.endsWith('.parquet'))) {
    const data = readFileSync(join(table, name));
    for (const [reader, read] of Object.entries(readers)) {
      try {
        await read(table, data);
      } catch (e) {
        refused.push(`${reader}: ${table}/${name}: ${e.message ?? e}`);
      }
    }
  }
  const list = columns[table].map((c) => `coalesce(sum(${c}), 0)::BIGINT AS ${c}`).join(', ');
  const [row] = (await duck.runAndReadAll(`SELECT count(*) AS rows, ${list} FROM '${table}/**/*.parquet'`)).getRowObjects();
  for (const [c, v] of Object.entries(row)) add('duckdb', table, c, number(v));
}
console.log(JSON.stringify({ sums, refused }));
