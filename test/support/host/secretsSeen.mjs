// Loaded by --import into every Node process of a VS Code under test: records the responses with secrets that the extension host receives.
import { appendFileSync } from 'node:fs';
import { subscribe } from 'node:diagnostics_channel';

const file = process.env['RESPONSES_FILE'];
if (file !== undefined && process.argv.includes('--type=extensionHost')) {
  subscribe('undici:request:bodyChunkReceived', ({ chunk }) => appendFileSync(file, chunk));
}
