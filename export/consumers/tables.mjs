// Asks DuckDB the questions of the README about the tables in the current folder, and
// prints the answers as JSON, a list of rows for each.
import { DuckDBInstance } from '@duckdb/node-api';
import { readFileSync } from 'node:fs';

const duck = await (await DuckDBInstance.create(':memory:')).connect();
const questions = readFileSync(0, 'utf8').split(';').map((q) => q.trim()).filter(Boolean);
const answers = [];
for (const q of questions) answers.push((await duck.runAndReadAll(q)).getRowObjectsJson());
console.log(JSON.stringify(answers));
