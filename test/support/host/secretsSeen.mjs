// Loaded by --import into every Node of a VS Code under test: writes down what its extension host is answered, in which secrets stand.
import { appendFileSync } from 'node:fs';
import { subscribe } from 'node:diagnostics_channel';

const file = process.env['ANSWERS_FILE'];
if (file !== undefined && process.argv.includes('--type=extensionHost')) {
  subscribe('undici:request:bodyChunkReceived', ({ chunk }) => appendFileSync(file, chunk));
}
