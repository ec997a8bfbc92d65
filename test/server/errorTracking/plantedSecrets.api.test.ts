import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { openStream } from '../stream/streamClient.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';
import { cardPlaces, cards } from './plantedCards.ts';
import { everythingOf, HARMLESS, places, secretForms } from './plantedSecrets.ts';
import { envelope, errorEvent, type TrackedProject, trackedProject } from './senders.ts';

interface AppliedSeed {
  readonly name: string;
  readonly part: string;
  /** Text next to the secret that must be kept, if any. */
  readonly beside?: string;
  readonly send: (project: TrackedProject) => Promise<TestResponse>;
}

const gzip = { 'Content-Encoding': 'gzip' };
const packed = (text: string): Buffer<ArrayBuffer> => Buffer.from(gzipSync(text));
/** Compresses well, so it would be stored completely if nothing had to be scrubbed. */
const long = 'lamp '.repeat(150_000);

/** Ways to send an event. */
const ways: readonly (readonly [name: string, send: (project: TrackedProject, event: object) => Promise<TestResponse>])[] = [
  ['to the store', (project, event) => project.post('store', JSON.stringify(event))],
  ['to the store, compressed', (project, event) => project.post('store', packed(JSON.stringify(event)), gzip)],
  ['in an envelope', (project, event) => project.post('envelope', envelope({}, { event }))],
  ['in a compressed envelope', (project, event) => project.post('envelope', packed(envelope({}, { event })), gzip)],
  [
    'behind an event without secrets',
    (project, event) => project.post('envelope', packed(envelope({}, { event: errorEvent('wait') }, { event })), gzip),
  ],
  [
    'in an envelope that is read while it is decompressed',
    (project, event) =>
      project.post('envelope', packed(envelope({}, { event }, { event: { message: 'long', extra: { long } } })), gzip),
  ],
];

const forms = Object.entries(secretForms);
const uniqueOf = (number: number): string => `planted${String(number).padStart(3, '0')}x9Y8z7W6v5`;

/** Forty fields, each with another form and way. */
const fields: readonly AppliedSeed[] = Array.from({ length: 40 }, (_, number) => {
  const [location, eventOf] = Object.entries(places)[number % Object.keys(places).length] ?? [];
  const [form, secretOf] = forms[number % forms.length] ?? [];
  const [way, send] = ways[number % ways.length] ?? [];
  assert.ok(eventOf && secretOf && send);
  const [text, part] = secretOf(uniqueOf(number));
  const beside = `${HARMLESS} ${number}.`;
  const event = errorEvent(`sail${number}`, { ...eventOf(`harbour ${text}`), user: { id: '1' }, logger: beside });
  const withUser = 'user' in eventOf('') ? { ...event, ...eventOf(`harbour ${text}`) } : event;
  return { name: `${form}, ${location}, ${way}`, part, beside, send: (project) => send(project, withUser) };
});

const secret = (number: number): string => `ghp_${uniqueOf(number)}`;
const clean = (): object => errorEvent('moor');
const session = (attrs: object, more: object = {}): object => ({
  sid: '0123456789abcdef0123456789abcdef',
  started: new Date().toISOString(),
  status: 'ok',
  attrs,
  ...more,
});

/** Data sent in addition to events. */
const others: readonly (readonly [name: string, send: (project: TrackedProject, text: string) => Promise<TestResponse>])[] = [
  ['the release of a session', (project, release) => project.post('envelope', envelope({}, { session: session({ release }) }))],
  [
    'the environment of counted sessions',
    (project, environment) =>
      project.post(
        'envelope',
        envelope(
          {},
          { sessions: { aggregates: [{ started: new Date().toISOString(), exited: 1 }], attrs: { release: '1', environment } } },
        ),
      ),
  ],
  [
    'a session behind an event',
    (project, release) =>
      project.post('envelope', packed(envelope({}, { event: clean() }, { session: session({ release }) })), gzip),
  ],
  [
    'the way in which a session ended',
    (project, abnormal_mechanism) =>
      project.post('envelope', envelope({}, { session: session({ release: '1' }, { status: 'abnormal', abnormal_mechanism }) })),
  ],
  [
    'the reason of a report',
    (project, reason) =>
      project.post(
        'envelope',
        envelope({}, { client_report: { discarded_events: [{ reason: reason.toLowerCase(), category: reason, quantity: 1 }] } }),
      ),
  ],
  [
    'a report behind an event',
    (project, note) => project.post('envelope', envelope({}, { event: clean() }, { client_report: { note } })),
  ],
  ['the header of an envelope', (project, note) => project.post('envelope', envelope({ trace: { note } }, { event: clean() }))],
  [
    'the header of an item',
    (project, note) =>
      project.post('envelope', ['{}', JSON.stringify({ type: 'event', note }), JSON.stringify(clean()), ''].join('\n')),
  ],
  ['the type of an item', (project, type) => project.post('envelope', envelope({}, { event: clean() }, { [type]: {} }))],
  [
    'a report of a user',
    (project, comments) => project.post('envelope', envelope({}, { event: clean() }, { user_report: { comments } })),
  ],
  [
    'an item that ends too early',
    (project, note) => project.post('envelope', `${envelope({}, { event: clean() })}{"type":"event","length":999}\n${note}`),
  ],
  [
    'an item that is no JSON',
    (project, note) => project.post('envelope', `${envelope({}, { event: clean() })}{"type":"event"}\n{"note":${note}}\n`),
  ],
  [
    'a transaction among events',
    (project, note) => project.post('envelope', envelope({}, { event: clean() }, { event: { type: 'transaction', note } })),
  ],
  [
    'another field of a form',
    (project, note) =>
      project.post('store', `sentry_data=${encodeURIComponent(JSON.stringify(clean()))}&note=${note}`, {
        'Content-Type': 'application/x-www-form-urlencoded',
      }),
  ],
  [
    'the name of a client that is refused',
    (project, client) =>
      project.post('envelope', 'no envelope', { 'X-Sentry-Auth': `Sentry sentry_key=${project.key}, sentry_client=${client}` }),
  ],
];

/** Each number of a card in another place. */
const plantedCards: readonly AppliedSeed[] = Object.entries(cardPlaces).map(([location, eventOf], number): AppliedSeed => {
  const [form, card] = Object.entries(cards)[number % Object.keys(cards).length] ?? [];
  const [way, send] = ways[number % ways.length] ?? [];
  assert.ok(card && send);
  const event = errorEvent(`pay${number}`, { ...eventOf(`harbour ${card}`), logger: `${HARMLESS} of card ${number}.` });
  return { name: `${form}, ${location}, ${way}`, part: card, send: (project) => send(project, event) };
});

const applied: readonly AppliedSeed[] = [
  ...fields,
  ...plantedCards,
  ...others.map(
    ([name, send], index): AppliedSeed => ({
      name: `GitHub token, ${name}`,
      part: uniqueOf(100 + index),
      send: (project) => send(project, secret(100 + index)),
    }),
  ),
];

describe('a secret that an SDK sends by mistake is not stored anywhere', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-planted-'));
  const lines: string[] = [];
  let server: TestServer;
  let found: ReadonlyMap<string, string>;
  before(async () => {
    server = await startTestServer({ file: path.join(folder, 'signalbox.sqlite'), log: (line) => lines.push(line) });
    const project = trackedProject(server);
    await using stream = await openStream(server, project.owner.token);
    for (const { send, name } of applied) {
      const { status, text } = await send(project);
      assert.ok(status === 200 || name.includes('refused'), `${name}: ${text}`);
    }
    const everything = new Map(await everythingOf(server, project, folder));
    const reported: string[] = [];
    for (const _ of await project.errors()) reported.push((await stream.next()).data);
    found = everything.set('the stream', reported.join('\n')).set('the log', lines.join(''));
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  for (const { name, part, beside } of applied) {
    it(name, () => {
      for (const [location, text] of found) assert.ok(!text.toLowerCase().includes(part.toLowerCase()), `found in ${location}`);
      if (beside === undefined) return;
      assert.ok(
        [...found].some(([location, text]) => location.endsWith('/events') && text.includes(beside)),
        'what stands beside it is lost',
      );
    });
  }

  it('planted secrets are in none of the searched data', () => {
    const holding = (text: string): readonly string[] =>
      [...found].filter(([, one]) => one.includes(text)).map(([location]) => location);
    for (const location of [
      'file signalbox.sqlite-wal',
      'rows of tracked_payloads',
      'rows of tracked_errors',
      'GraphQL',
      'the stream',
    ]) {
      assert.ok(holding('[Filtered]').includes(location), location);
    }
    assert.ok(holding('envelope').includes('the request log'));
  });
});
