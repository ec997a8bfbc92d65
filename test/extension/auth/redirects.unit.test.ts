import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { createPendingRedirects } from '../../../src/auth/pendingRedirects.ts';
import type { WayBack } from '../../../src/auth/redirectFlow.ts';
import { createRedirectListener } from '../../../src/auth/redirectListener.ts';
import { createRedirects, type RedirectAttempt } from '../../../src/auth/redirects.ts';
import { createMask } from '../../../src/support/log.ts';
import { fakeClock, fakeLog, type FakeSecrets, fakeSecrets } from '../../support/extension/fakes.ts';

const BASE = 'https://gitlab.example.com';
const input = { instance: BASE, baseUrl: BASE, clientId: 'the-client', scope: 'api' };
const URI: WayBack = { kind: 'uri', redirectUri: 'vscode://signalbox.signalbox/oauth/callback' };
const IGNORED = /^Ignored a redirect: no sign-in is waiting for it\.$/;

const started: RedirectAttempt[] = [];
afterEach(async () => {
  for (const attempt of started.splice(0)) await attempt.end();
});

/** Creates a window. Windows with the same `secrets` and `clock` are on the same machine. Sleeping ends only through `tooLate`. */
function window(way: WayBack, secrets: FakeSecrets = fakeSecrets(), clock = fakeClock()) {
  const [log, mask, sleeps] = [fakeLog(), createMask(), [] as (() => void)[]];
  const redirects = createRedirects({
    way,
    listen: createRedirectListener('en', ''),
    pending: createPendingRedirects({ secrets, mask, log, now: clock.now }),
    now: clock.now,
    sleep: (_, signal) =>
      new Promise((resolve) => {
        sleeps.push(resolve);
        if (signal?.aborted === true) resolve();
        signal?.addEventListener('abort', () => resolve());
      }),
    mask,
    log,
  });
  return {
    ...redirects,
    begin: async () => {
      const attempt = await redirects.begin(input);
      started.push(attempt);
      return attempt;
    },
    /** Advances the clock by ten minutes. */
    tooLate: () => {
      clock.advance(10 * 60_000);
      for (const wake of sleeps) wake();
    },
    secrets,
    clock,
    log,
    mask,
  };
}

const parameters = (fields: Readonly<Record<string, string>>): URLSearchParams => new URLSearchParams(fields);
const patient = (): AbortSignal => new AbortController().signal;
/** Returns the status of a browser's request to the listener. */
const visit = async ({ redirectUri }: RedirectAttempt, fields: Readonly<Record<string, string>>): Promise<number> =>
  (await fetch(`${redirectUri}?${parameters(fields)}`)).status;
const assertClosed = (attempt: RedirectAttempt): Promise<void> => assert.rejects(fetch(attempt.redirectUri));

describe('redirects to a URI of VS Code', () => {
  it('redirects to a URI of VS Code use the redirect URI of VS Code and deliver the code once to the waiting sign-in', async () => {
    const { begin, receive, secrets, log, mask } = window(URI);
    const attempt = await begin();
    const { state, verifier, page } = attempt;
    assert.equal(new URL(page).searchParams.get('redirect_uri'), 'vscode://signalbox.signalbox/oauth/callback');
    assert.equal(new URL(page).searchParams.get('state'), state);
    assert.equal(secrets.values.size, 1);
    assert.ok(![...secrets.values.keys()].join().includes(state), 'the keys of the secrets do not contain the state');

    const waiting = attempt.wait(patient());
    assert.equal(await receive(parameters({ code: 'code-of-ana', state, iss: BASE })), undefined);
    assert.deepEqual(await waiting, { kind: 'code', code: 'code-of-ana' });
    assert.deepEqual([log.lines, secrets.values.size], [[], 0]);
    await receive(parameters({ code: 'code-of-eve', state, iss: BASE }));
    await attempt.end();
    await receive(parameters({ code: 'code-of-ana', state, iss: BASE }));
    assert.deepEqual(await attempt.wait(patient()), { kind: 'code', code: 'code-of-ana' });
    assert.equal(log.lines.length, 2);
    for (const line of log.lines) assert.match(line, IGNORED);
    assert.equal(secrets.values.size, 0);
    assert.equal(mask.apply(`${state} ${verifier} code-of-ana`), '••• ••• •••');
  });

  it('redirects to a URI of VS Code with an unknown state are ignored and logged', async () => {
    const { begin, receive, log } = window(URI);
    const attempt = await begin();
    const { state } = attempt;
    const waiting = attempt.wait(patient());
    for (const fields of [
      { code: 'abcdef', state: 'another' },
      { code: 'abcdef' },
      { error: 'access_denied', state: state.slice(1) },
    ]) {
      assert.equal(await receive(parameters(fields)), undefined);
    }
    await receive(new URLSearchParams(`code=abcdef&state=${state}&state=${state}`));
    assert.equal(log.lines.length, 4);
    for (const line of log.lines) assert.match(line, IGNORED);
    await receive(parameters({ code: 'uvwxyz', state }));
    assert.deepEqual(await waiting, { kind: 'code', code: 'uvwxyz' });
  });

  for (const [what, query, kind] of [
    ['a denial', 'error=access_denied', 'denied'],
    ['two codes', 'code=abcdef&code=uvwxyz', 'refused'],
    ['another issuer', 'code=abcdef&iss=https%3A%2F%2Fevil.example', 'refused'],
    ['an error', 'error=invalid_scope', 'refused'],
  ] as const) {
    it(`redirects to a URI of VS Code end with ${what}, and a later code for the same request is ignored`, async () => {
      const { begin, receive, log } = window(URI);
      const attempt = await begin();
      await receive(new URLSearchParams(`${query}&state=${attempt.state}`));
      await receive(parameters({ code: 'abcdef', state: attempt.state, iss: BASE }));
      assert.equal((await attempt.wait(patient())).kind, kind);
      assert.equal(log.lines.length, 1);
    });
  }

  it('redirects to a URI of VS Code are ignored after the user cancels', async () => {
    const { begin, receive, secrets, log } = window(URI);
    const attempt = await begin();
    const cancel = new AbortController();
    const waiting = attempt.wait(cancel.signal);
    cancel.abort();
    assert.deepEqual(await waiting, { kind: 'cancelled' });
    await attempt.end();
    assert.equal(secrets.values.size, 0);
    assert.equal(await receive(parameters({ code: 'abcdef', state: attempt.state })), undefined);
    assert.match(log.lines.join(), IGNORED);
  });

  it('redirects to a URI of VS Code are ignored after ten minutes in all windows', async () => {
    const { begin, receive, tooLate, secrets, clock, log } = window(URI);
    const attempt = await begin();
    const waiting = attempt.wait(patient());
    tooLate();
    assert.equal(await window(URI, secrets, clock).receive(parameters({ code: 'abcdef', state: attempt.state })), undefined);
    await receive(parameters({ code: 'abcdef', state: attempt.state }));
    assert.deepEqual(await waiting, { kind: 'expired' });
    assert.match(log.lines.join(), IGNORED);
  });

  it('redirects to a URI of VS Code can be received once by another window, which continues instead of the first', async () => {
    const first = window(URI);
    const second = window(URI, first.secrets, first.clock);
    const attempt = await first.begin();
    const { state, verifier } = attempt;
    const waiting = attempt.wait(patient());
    const both = await Promise.all([1, 2].map(() => second.receive(parameters({ code: 'abcdef', state }))));
    const [request, ...more] = both.filter((taken) => taken !== undefined);
    assert.deepEqual([request?.state, request?.verifier, request?.instance, more], [state, verifier, BASE, []]);
    assert.deepEqual(await waiting, { kind: 'elsewhere' });
    assert.equal(first.secrets.values.size, 0);
    assert.equal(second.mask.apply(`${state} ${verifier}`), '••• •••');
    assert.equal(second.log.lines.length, 1);
  });

  it('redirects to a URI of VS Code find their request after a reload of the window', async () => {
    const before = window(URI);
    const { state, redirectUri, clientId, deadline } = await before.begin();
    const after = window(URI, before.secrets, before.clock);
    const request = await after.receive(parameters({ code: 'abcdef', state }));
    assert.deepEqual(
      [request?.redirectUri, request?.clientId, request?.deadline, request?.state],
      [redirectUri, clientId, deadline, state],
    );
    assert.equal(await after.receive(parameters({ code: 'abcdef', state })), undefined);
  });

  it('redirects to a URI of VS Code leave no secrets of closed windows behind', async () => {
    const { begin, tooLate, secrets } = window(URI);
    await begin();
    tooLate();
    secrets.values.set('pendingRedirect/broken', '{');
    secrets.values.set('session/of-somebody', '{}');
    await begin();
    assert.deepEqual([...secrets.values.keys()].map((key) => key.split('/')[0]).toSorted(), ['pendingRedirect', 'session']);
  });

  it('redirects to a URI of VS Code are received in the same window even if the secret storage fails', async () => {
    const secrets = fakeSecrets();
    const refuse = async (): Promise<never> => {
      throw new Error('locked');
    };
    const { begin, receive, log } = window(URI, { ...secrets, get: refuse, store: refuse, delete: refuse, keys: refuse });
    const attempt = await begin();
    await receive(parameters({ code: 'abcdef', state: attempt.state }));
    assert.equal((await attempt.wait(patient())).kind, 'code');
    await receive(parameters({ code: 'abcdef', state: 'another' }));
    await attempt.end();
    assert.match(log.lines.join('\n'), /could not be stored.*locked/);
  });
});

describe('redirects to a listener', () => {
  const LOOPBACK: WayBack = { kind: 'loopback' };

  it('redirects to a listener use the address of the listener and accept one response', async () => {
    const { begin, receive, secrets, log } = window(LOOPBACK);
    const attempt = await begin();
    const { state, page, redirectUri } = attempt;
    assert.equal(new URL(page).searchParams.get('redirect_uri'), redirectUri);
    assert.equal(secrets.values.size, 0, 'nothing is stored, because the listener ends with its window');
    const waiting = attempt.wait(patient());
    assert.equal(await visit(attempt, { code: 'abcdef', state: 'another' }), 400);
    assert.equal(await receive(parameters({ code: 'abcdef', state })), undefined);
    assert.equal(await visit(attempt, { code: 'uvwxyz', state, iss: BASE }), 200);
    assert.equal(await visit(attempt, { code: 'uvwxyz', state, iss: BASE }), 400);
    assert.deepEqual(await waiting, { kind: 'code', code: 'uvwxyz' });
    assert.equal(log.lines.length, 3);
    for (const line of log.lines) assert.match(line, IGNORED);
    await attempt.end();
    await assertClosed(attempt);
  });

  it('redirects to a listener leave no listener behind when the user cancels or the time runs out', async () => {
    for (const way of ['cancelled', 'expired'] as const) {
      const { begin, tooLate } = window(LOOPBACK);
      const attempt = await begin();
      const cancel = new AbortController();
      const waiting = attempt.wait(cancel.signal);
      if (way === 'cancelled') cancel.abort();
      else tooLate();
      assert.equal((await waiting).kind, way);
      await attempt.end();
      await assertClosed(attempt);
    }
  });
});
