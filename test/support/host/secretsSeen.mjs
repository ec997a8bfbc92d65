// Loaded by --import into every Node process of a VS Code under test: records the responses with secrets that the extension host receives.
import { appendFileSync } from 'node:fs';
import { subscribe } from 'node:diagnostics_channel';

const file = process.env['RESPONSES_FILE'];
if (file !== undefined && process.argv.includes('--type=extensionHost')) {
  // The test fails if the file is missing: then nothing would be recorded, and no secret could be found.
  appendFileSync(file, '');
  subscribe('undici:request:bodyChunkReceived', ({ chunk }) => appendFileSync(file, chunk));
}
