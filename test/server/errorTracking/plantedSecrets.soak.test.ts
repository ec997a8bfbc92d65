import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { startTestServer } from '../../support/server.ts';
import { cardPlaces, cards } from './plantedCards.ts';
import { HARMLESS, places, secretForms, storedIn } from './plantedSecrets.ts';
import { envelope, errorEvent, trackedProject } from './senders.ts';

const COMBINATIONS = 5000;

it(`${COMBINATIONS} secrets of any form in any two fields are not stored in the database`, async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-planted-'));
  const server = await startTestServer({ file: path.join(folder, 'signalbox.sqlite') });
  try {
    const project = trackedProject(server);
    const parts: string[] = [];
    const around = {
      before: fc.constantFrom('', 'harbour ', '/', '"', '(', '\n', 'é', '€'.repeat(300), 'lamp '.repeat(1000)),
      behind: fc.constantFrom('', ' quay', '/', '"', ')', '\n', '…'),
    };
    const field = fc.oneof(
      fc.record({
        ...around,
        location: fc.constantFrom(...Object.values(places)),
        form: fc.constantFrom(...Object.values(secretForms)),
      }),
      fc.record({
        ...around,
        location: fc.constantFrom(...Object.values(cardPlaces)),
        form: fc.constantFrom(...Object.values(cards)).map((card) => (): readonly [string, string] => [card, card]),
      }),
    );
    const sending = fc.record({ fields: fc.tuple(field, field), isPacked: fc.boolean(), isSecond: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(sending, async ({ fields, isPacked, isSecond }) => {
        const members = fields.map(({ location, form, before, behind }) => {
          const [text, part] = form(`planted${String(parts.length).padStart(5, '0')}x9Y8z7W6`);
          parts.push(part.toLowerCase());
          return location(`${before}${text}${behind}`);
        });
        const event = errorEvent('sail', Object.assign({ logger: HARMLESS }, ...members) as object);
        const body = envelope({}, ...(isSecond ? [{ event: errorEvent('wait') }] : []), { event });
        const { status } = isPacked
          ? await project.post('envelope', Buffer.from(gzipSync(body)), { 'Content-Encoding': 'gzip' })
          : await project.post('envelope', body);
        assert.equal(status, 200);
      }),
      { numRuns: COMBINATIONS },
    );
    for (const [location, text] of storedIn(server, folder)) {
      const searched = text.toLowerCase();
      assert.equal(
        parts.find((part) => searched.includes(part)),
        undefined,
        location,
      );
    }
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
});
