import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'mocha';
import type { WireResponse, WireRequest } from '../../../src/api/transport.ts';
import { createPendingCodes } from '../../../src/auth/pendingCodes.ts';
import { createPendingRedirects } from '../../../src/auth/pendingRedirects.ts';
import { createRedirects, type RedirectAttempt } from '../../../src/auth/redirects.ts';
import { createSessions } from '../../../src/auth/sessions.ts';
import type { SignInDialogs } from '../../../src/auth/dialogs.ts';
import { newTokenPage } from '../../../src/auth/newTokenPage.ts';
import { createSignIn } from '../../../src/auth/signIn.ts';
import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import type { Instance } from '../../../src/instances/instances.ts';
import { createMask } from '../../../src/support/log.ts';
import {
  networkWithRule,
  connectionFailure,
  fakeClock,
  fakeLog,
  fakeMemento,
  fakeSecrets,
  formOf,
  json,
} from '../../support/extension/fakes.ts';

const BASE = 'https://gitlab.example.com';
const instance: Instance = { key: BASE, kind: 'remote', label: 'gitlab.example.com', clientId: 'the-client' };
const secretParts = /access-\d|refresh-\d|device-\d|CODE-\d|glpat-/;

/** Instance that issues a new code for each request. `approval` returns the response to the polls of each round. */
function platform(approval: (round: number) => WireResponse) {
  let round = 0;
  return networkWithRule(({ url }) => {
    switch (url.slice(BASE.length)) {
      case '/oauth/authorize_device':
        round += 1;
        return json(200, {
          device_code: `device-${round}`,
          user_code: `CODE-${round}`,
          verification_uri: `${BASE}/oauth/device`,
          verification_uri_complete: `${BASE}/oauth/device?user_code=CODE-${round}`,
          expires_in: 300,
          interval: 1,
        });
      case '/oauth/token':
        return approval(round);
      case '/api/v4/user':
        return json(200, { id: 7, username: 'ana', name: 'Ana Novak', state: 'active' });
      case '/oauth/revoke':
        return json(200, {});
      default:
        return json(404, { error: '404 Not Found' });
    }
  });
}

/** Response of an instance to the requests about a personal access token. */
function ofPersonalToken(url: string): WireResponse {
  if (url.endsWith('/personal_access_tokens/self')) return json(200, { id: 1, scopes: ['api'] });
  return url.endsWith('/user') ? json(200, { id: 7, username: 'ana', name: 'Ana Novak' }) : json(404, {});
}

const tokens = (round: number): WireResponse =>
  json(200, {
    access_token: `access-${round}`,
    refresh_token: `refresh-${round}`,
    token_type: 'Bearer',
    expires_in: 7200,
    scope: 'api',
  });
const refusal = (error: string, status = 400): WireResponse => json(status, { error });

/** User who opens the page. `changes` replaces dialogs. */
function person(changes: Partial<SignInDialogs> = {}) {
  const saw: string[] = [];
  const reported = (what: string): void => {
    saw.push(what);
  };
  const dialogs: SignInDialogs = {
    chooseWay: async () => 'code',
    chooseOtherWay: async () => {
      reported('no sign-in with a code');
      return undefined;
    },
    askToken: async () => undefined,
    choosePersona: async () => undefined,
    keepForNow: async ({ key }) => {
      reported(`keep ${key}`);
      return false;
    },
    showCode: async (_, { user_code: code }) => {
      reported(`code ${code}`);
      return 'open';
    },
    openPage: async (_, { verification_uri_complete: page }) => {
      reported(`page ${page}`);
      return true;
    },
    wait: (_, _deadline, work) => work(new AbortController().signal),
    showPage: async (_, { page }) => {
      reported(`page ${page.split('?', 1)[0]}`);
      return true;
    },
    waitForRedirect: (_, _attempt, work) => work(new AbortController().signal),
    expired: async (_, way) => {
      reported(way === 'code' ? 'expired' : 'expired page');
      return false;
    },
    denied: async () => {
      reported('denied');
      return false;
    },
    failed: (text) => reported(`failed: ${text}`),
    ...changes,
  };
  return { dialogs, saw };
}

/** Sleeps until the signal is aborted. */
async function untilAborted(_: number, signal: AbortSignal = new AbortController().signal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

function world(
  network: ReturnType<typeof networkWithRule>,
  dialogs: SignInDialogs,
  { secrets = fakeSecrets(), window = fakeMemento(), clock = fakeClock(), hasRedirects = true } = {},
) {
  const log = fakeLog();
  const mask = createMask();
  const { now, sleep } = clock;
  const sessions = createSessions({ secrets, memory: fakeMemento(), window: fakeMemento(), mask, log, sleep });
  const redirects = createRedirects({
    way: { kind: 'uri', redirectUri: 'vscode://signalbox.signalbox/oauth/callback' },
    listen: () => assert.fail('nobody listens'),
    pending: createPendingRedirects({ secrets, mask, log, now }),
    now,
    sleep: untilAborted,
    mask,
    log,
  });
  const signIn = createSignIn({
    sessions,
    pendingCodes: createPendingCodes({ secrets, window, mask, log, now }),
    redirects: hasRedirects ? redirects : undefined,
    send: network.send,
    dialogs,
    reach: async (instance) => ({ instance, baseUrl: BASE }),
    addresses: () => BASE,
    now,
    sleep,
    mask,
    log,
  });
  return { signIn, sessions, secrets, window, clock, log, mask };
}

const pathsOf = (requests: readonly WireRequest[]): readonly string[] => requests.map(({ url }) => url.slice(BASE.length));

describe('sign-in', () => {
  it('the sign-in shows the code, opens its page, waits for the approval, reads the user and stores the session', async () => {
    const network = platform(tokens);
    const { dialogs, saw } = person();
    const { signIn, sessions, log, mask } = world(network, dialogs);
    const session = await signIn.signIn(instance);
    assert.equal(mask.apply('device-1 CODE-1 access-1'), '••• ••• •••');
    assert.deepEqual(saw, ['code CODE-1', `page ${BASE}/oauth/device?user_code=CODE-1`]);
    assert.deepEqual(session?.account, { id: 7, username: 'ana', name: 'Ana Novak' });
    assert.deepEqual(sessions.current(BASE), session);
    assert.deepEqual(formOf(network.requests[0]), { client_id: 'the-client', scope: 'api' });
    assert.equal(network.requests.at(-1)?.headers.authorization, 'Bearer access-1');
    assert.doesNotMatch(log.lines.join('\n'), secretParts);
  });

  it('the sign-in opens no page if the code is approved on another device', async () => {
    const { dialogs, saw } = person({ showCode: async () => 'copied' });
    await world(platform(tokens), dialogs).signIn.signIn(instance);
    assert.deepEqual(saw, []);
  });

  for (const [when, changes] of [
    ['at the code', { showCode: async () => undefined }],
    ['before the page opens', { openPage: async () => false }],
    ['while waiting', { wait: async () => ({ kind: 'cancelled' }) }],
  ] as const satisfies readonly (readonly [string, Partial<SignInDialogs>])[]) {
    it(`the sign-in ends without a message when the user cancels ${when}`, async () => {
      const network = platform(tokens);
      const { dialogs, saw } = person(changes);
      const { signIn, sessions } = world(network, dialogs);
      assert.equal(await signIn.signIn(instance), undefined);
      assert.deepEqual(sessions.all(), []);
      assert.deepEqual(
        saw.filter((text) => /expired|denied|failed/.test(text)),
        [],
      );
      assert.ok(!pathsOf(network.requests).includes('/oauth/token'));
    });
  }

  for (const [what, response] of [
    ['has no such page', json(404, { error: '404 Not Found' })],
    ['answers with a page', { status: 404, headers: new Map([['content-type', 'text/html']]), body: '<html></html>' }],
    ['leads to its sign-in page', { status: 302, headers: new Map([['location', `${BASE}/users/sign_in`]]), body: '' }],
    ['refuses the form', { status: 422, headers: new Map([['content-type', 'text/html']]), body: '<html></html>' }],
  ] as const) {
    it(`the sign-in offers other ways if an instance before release 17.1 ${what}`, async () => {
      const network = networkWithRule(({ url }) => (url.endsWith('/oauth/authorize_device') ? response : ofPersonalToken(url)));
      const { dialogs, saw } = person({
        chooseOtherWay: async (_, hasRedirects) => (hasRedirects ? undefined : 'token'),
        askToken: async (_, check) => assert.equal(await check('glpat-of-ana'), undefined),
      });
      const { signIn } = world(network, dialogs, { hasRedirects: false });
      assert.equal((await signIn.signIn(instance))?.credential, 'token');
      assert.deepEqual(saw, []);
    });
  }

  it('the sign-in offers other ways if the instance no longer has codes while one waits for its approval', async () => {
    const { dialogs, saw } = person();
    const { signIn } = world(
      platform(() => refusal('unsupported_grant_type')),
      dialogs,
    );
    assert.equal(await signIn.signIn(instance), undefined);
    assert.equal(saw.at(-1), 'no sign-in with a code');
  });

  it('the sign-in requests a new code after an expired one if the user wants it', async () => {
    const network = platform((round) => (round === 1 ? refusal('expired_token') : tokens(round)));
    const { dialogs, saw } = person({ expired: async () => true });
    const session = await world(network, dialogs).signIn.signIn(instance);
    assert.deepEqual(
      saw.filter((text) => text.startsWith('code')),
      ['code CODE-1', 'code CODE-2'],
    );
    assert.equal(session?.accessToken, 'access-2');
  });

  it('the sign-in reports that the code was denied and stores no session', async () => {
    const { dialogs, saw } = person();
    const { signIn, sessions } = world(
      platform(() => refusal('access_denied')),
      dialogs,
    );
    assert.equal(await signIn.signIn(instance), undefined);
    assert.equal(saw.at(-1), 'denied');
    assert.deepEqual(sessions.all(), []);
  });

  it('the sign-in can be started again while the dialog about a denial is still open', async () => {
    const network = platform((round) => (round === 1 ? refusal('access_denied') : tokens(round)));
    const denialShown = Promise.withResolvers<void>();
    const { dialogs } = person({
      denied: () => {
        denialShown.resolve();
        return new Promise<boolean>(() => undefined);
      },
    });
    const { signIn } = world(network, dialogs);
    void signIn.signIn(instance);
    await denialShown.promise;
    assert.equal((await signIn.signIn(instance))?.accessToken, 'access-2');
  });

  it('the sign-in explains how to register an application if the instance does not know the extension', async () => {
    const { dialogs, saw } = person();
    const { signIn } = world(
      networkWithRule(() => refusal('invalid_client', 401)),
      dialogs,
    );
    await signIn.signIn({ ...instance, clientId: EXTENSION_CLIENT_ID });
    assert.match(
      saw[0] ?? '',
      /^failed: gitlab\.example\.com does not know this extension\. Register an OAuth application .*signalbox\.instances/,
    );
  });

  it('the sign-in reports an unknown application if the user configured one', async () => {
    const { dialogs, saw } = person();
    const { signIn } = world(
      networkWithRule(() => refusal('invalid_client', 401)),
      dialogs,
    );
    await signIn.signIn(instance);
    assert.match(saw[0] ?? '', /^failed: gitlab\.example\.com does not know the application the-client\./);
  });

  it('the sign-in reports that the instance cannot be reached', async () => {
    const { dialogs, saw } = person();
    const { signIn } = world(
      networkWithRule(() => connectionFailure('unreachable')),
      dialogs,
    );
    assert.equal(await signIn.signIn(instance), undefined);
    assert.deepEqual(saw, ['failed: gitlab.example.com cannot be reached: the connection was lost']);
  });

  it('the sign-in runs once per instance for concurrent calls', async () => {
    const network = platform(tokens);
    const { dialogs, saw } = person();
    const { signIn } = world(network, dialogs);
    const [first, second] = await Promise.all([signIn.signIn(instance), signIn.signIn(instance)]);
    assert.equal(first, second);
    assert.equal(saw.length, 2);
  });

  it('the sign-in revokes the tokens that a new sign-in replaces', async () => {
    const network = platform(tokens);
    const { signIn } = world(network, person().dialogs);
    await signIn.signIn(instance);
    await signIn.signIn(instance);
    const revoked = network.requests.filter(({ url }) => url.endsWith('/oauth/revoke')).map(formOf);
    assert.deepEqual(revoked, [
      { client_id: 'the-client', token: 'access-1' },
      { client_id: 'the-client', token: 'refresh-1' },
    ]);
  });
});

describe('sign-in with the browser', () => {
  /** Creates a sign-in whose page redirects with these parameters and the right state. */
  function deciding(redirect: string, changes: Partial<SignInDialogs> = {}) {
    const attempts: RedirectAttempt[] = [];
    const { dialogs, saw } = person({
      chooseWay: async () => 'redirect',
      waitForRedirect: (_, attempt, work) => {
        attempts.push(attempt);
        const outcome = work(new AbortController().signal);
        void created.signIn.redirected(new URLSearchParams(`${redirect}&state=${attempt.state}`), [instance]);
        return outcome;
      },
      ...changes,
    });
    const network = platform(tokens);
    const created = world(network, dialogs);
    return { ...created, saw, attempts, network };
  }

  it('the sign-in with the browser opens the page, exchanges the code with the verifier, reads the user and stores the session', async () => {
    const { signIn, sessions, secrets, saw, attempts, network, log, mask } = deciding(`code=code-of-ana&iss=${BASE}`);
    const session = await signIn.signIn(instance);
    assert.deepEqual(saw, [`page ${BASE}/oauth/authorize`]);
    assert.deepEqual(session?.account, { id: 7, username: 'ana', name: 'Ana Novak' });
    assert.deepEqual([session?.credential, session?.clientId, session?.refreshToken], ['oauth', 'the-client', 'refresh-0']);
    assert.deepEqual(sessions.current(BASE), session);
    assert.deepEqual(pathsOf(network.requests), ['/oauth/token', '/api/v4/user']);
    const { state, verifier } = attempts[0] ?? assert.fail('no attempt');
    assert.deepEqual(formOf(network.requests[0]), {
      grant_type: 'authorization_code',
      client_id: 'the-client',
      code: 'code-of-ana',
      redirect_uri: 'vscode://signalbox.signalbox/oauth/callback',
      code_verifier: verifier,
    });
    assert.equal(mask.apply(`${state} ${verifier} code-of-ana access-0`), '••• ••• ••• •••');
    assert.doesNotMatch(log.lines.join('\n'), secretParts);
    assert.ok(![...secrets.values.keys()].some((key) => key.startsWith('pendingRedirect')));
  });

  it('the sign-in with the browser reports a denial, and starts again if the user wants it', async () => {
    let denials = 0;
    const { signIn, saw, network } = deciding('error=access_denied', {
      denied: async () => {
        denials += 1;
        return denials === 1;
      },
    });
    assert.equal(await signIn.signIn(instance), undefined);
    assert.deepEqual(saw, [`page ${BASE}/oauth/authorize`, `page ${BASE}/oauth/authorize`]);
    assert.deepEqual([denials, network.requests.length], [2, 0]);
  });

  for (const [what, redirect, text] of [
    ['from another issuer', 'code=abcdef&iss=https%3A%2F%2Fevil.example', /evil\.example/],
    ['with two codes', 'code=abcdef&code=uvwxyz', /repeated/],
    ['with an error of the instance', 'error=invalid_scope&error_description=Not+that', /responded: Not that$/],
  ] as const) {
    it(`the sign-in with the browser reports a redirect ${what} and does not send its code`, async () => {
      const { signIn, sessions, saw, network } = deciding(redirect);
      assert.equal(await signIn.signIn(instance), undefined);
      assert.equal(saw.length, 2);
      assert.match(saw[1] ?? '', text);
      assert.deepEqual([network.requests.length, sessions.all()], [0, []]);
    });
  }

  it('the sign-in with the browser reports a rejected code and does not send it again', async () => {
    const { dialogs, saw } = person({
      chooseWay: async () => 'redirect',
      waitForRedirect: async () => ({ kind: 'code', code: 'abcdef' }),
    });
    const network = platform(() => refusal('invalid_grant'));
    assert.equal(await world(network, dialogs).signIn.signIn(instance), undefined);
    assert.match(saw[1] ?? '', /^failed: gitlab\.example\.com responded: invalid_grant$/);
    assert.deepEqual(pathsOf(network.requests), ['/oauth/token']);
  });

  for (const [when, changes, expected] of [
    ['at the page', { showPage: async () => false }, []],
    ['while waiting', { waitForRedirect: async () => ({ kind: 'cancelled' }) }, []],
    ['when another window continues', { waitForRedirect: async () => ({ kind: 'elsewhere' }) }, []],
    ['after ten minutes', { waitForRedirect: async () => ({ kind: 'expired' }) }, ['expired page']],
  ] as const satisfies readonly (readonly [string, Partial<SignInDialogs>, readonly string[]])[]) {
    it(`the sign-in with the browser leaves no state behind if it ends ${when}`, async () => {
      const { signIn, saw, network, secrets } = deciding('code=abcdef', changes);
      assert.equal(await signIn.signIn(instance), undefined);
      assert.deepEqual(
        saw.filter((text) => !text.startsWith('page')),
        expected,
      );
      assert.deepEqual([network.requests.length, secrets.values.size], [0, 0]);
    });
  }

  it('the sign-in with the browser is offered only if the browser can redirect to VS Code', async () => {
    const offered: boolean[] = [];
    const chooseWay: SignInDialogs['chooseWay'] = async (_, hasRedirects) => {
      offered.push(hasRedirects);
      return undefined;
    };
    const { signIn } = deciding('', { chooseWay });
    await signIn.signIn(instance);
    const { dialogs } = person({ chooseWay });
    await world(platform(tokens), dialogs, { hasRedirects: false }).signIn.signIn(instance);
    assert.deepEqual(offered, [true, false]);
  });

  it('the sign-in with the browser replaces a pending sign-in with a code, and opens the page again if it is selected again', async () => {
    const [waiting, started] = [Promise.withResolvers<void>(), Promise.withResolvers<RedirectAttempt>()];
    const { dialogs, saw } = person({
      wait: (_, _deadline, work) => {
        waiting.resolve();
        return work(new AbortController().signal);
      },
      waitForRedirect: (_, attempt, work) => {
        started.resolve(attempt);
        return work(new AbortController().signal);
      },
    });
    const network = platform(tokens);
    // The code is not polled before its interval is over.
    const { signIn } = world(network, dialogs, { clock: { ...fakeClock(), sleep: untilAborted } });
    const first = signIn.signIn(instance, 'code');
    await waiting.promise;
    const second = signIn.signIn(instance, 'redirect');
    const { state } = await started.promise;
    assert.equal(await first, undefined);
    const third = signIn.signIn(instance, 'redirect');
    await signIn.redirected(new URLSearchParams({ code: 'abcdef', state }), [instance]);
    assert.equal((await second)?.account.username, 'ana');
    assert.equal(await third, await second);
    const page = `page ${BASE}/oauth/authorize`;
    assert.deepEqual(saw, ['code CODE-1', `page ${BASE}/oauth/device?user_code=CODE-1`, page, page]);
  });

  /** Creates a window that waits for a redirect. Returns its storage, which other windows share. */
  async function waitingWindow() {
    const secrets = fakeSecrets();
    const started = Promise.withResolvers<RedirectAttempt>();
    const { dialogs } = person({
      waitForRedirect: (_, attempt, work) => {
        started.resolve(attempt);
        return work(new AbortController().signal);
      },
    });
    const response = world(platform(tokens), dialogs, { secrets }).signIn.signIn(instance, 'redirect');
    return { secrets, state: (await started.promise).state, response };
  }

  it('the sign-in with the browser continues in the window that receives the redirect', async () => {
    const { secrets, state, response } = await waitingWindow();
    const network = platform(tokens);
    const { dialogs, saw } = person();
    const { signIn, sessions, log } = world(network, dialogs, { secrets });
    const redirect = new URLSearchParams({ code: 'abcdef', state, iss: BASE });
    await signIn.redirected(redirect, [instance]);
    assert.equal(await response, undefined);
    assert.equal(sessions.current(BASE)?.account.username, 'ana');
    await signIn.redirected(redirect, [instance]);
    assert.deepEqual([saw, pathsOf(network.requests)], [[], ['/oauth/token', '/api/v4/user']]);
    assert.match(log.lines.at(-1) ?? '', /Ignored a redirect/);
    assert.doesNotMatch(log.lines.join('\n'), secretParts);
  });

  it('the sign-in with the browser offers to try again in the window that receives the redirect', async () => {
    const { secrets, state } = await waitingWindow();
    const { dialogs, saw } = person();
    const { signIn } = world(platform(tokens), dialogs, { secrets });
    await signIn.redirected(new URLSearchParams({ error: 'access_denied', state }), [instance]);
    assert.deepEqual(saw, ['denied']);
  });

  it('the sign-in with the browser ignores a redirect whose instance no longer exists', async () => {
    const { secrets, state, response } = await waitingWindow();
    const network = platform(tokens);
    const { signIn, log } = world(network, person().dialogs, { secrets });
    await signIn.redirected(new URLSearchParams({ code: 'abcdef', state }), []);
    assert.equal(await response, undefined);
    assert.equal(network.requests.length, 0);
    assert.match(log.lines.at(-1) ?? '', /Ignored a redirect: its instance/);
  });
});

describe('sign-in with an access token', () => {
  const TOKEN = 'glpat-of-ana-1234567890';
  /** Instance that accepts the token, which has these scopes. */
  const knowing = (self: WireResponse) =>
    networkWithRule(({ url, headers }) => {
      if (headers.authorization !== `Bearer ${TOKEN}`) return json(401, { message: '401 Unauthorized' });
      if (url.endsWith('/personal_access_tokens/self')) return self;
      return url.endsWith('/user') ? json(200, { id: 7, username: 'ana', name: 'Ana Novak' }) : json(404, {});
    });
  const scopes = (...list: readonly string[]): WireResponse => json(200, { id: 1, scopes: list });
  /** Person who enters these tokens one after the other. `refusals` contains why each was refused. */
  function entering(...list: readonly string[]) {
    const refusals: string[] = [];
    const dialogs: Partial<SignInDialogs> = {
      chooseWay: async () => 'token',
      askToken: async (_, check) => {
        for (const token of list) {
          const refusal = await check(token);
          if (refusal === undefined) return;
          refusals.push(refusal);
        }
      },
    };
    return { ...person(dialogs), refusals };
  }

  it('the sign-in with an access token reads the user and the scopes, and stores the token without a refresh token', async () => {
    const { signIn, sessions, log, mask } = world(knowing(scopes('read_api', 'read_user')), entering(TOKEN).dialogs);
    const session = await signIn.signIn(instance);
    assert.deepEqual(sessions.current(BASE), session);
    const { credential, account, scopes: stored, refreshToken, expiry } = session ?? {};
    assert.deepEqual(
      { credential, username: account?.username, stored, refreshToken, expiry },
      { credential: 'token', username: 'ana', stored: ['read_api', 'read_user'], refreshToken: undefined, expiry: undefined },
    );
    assert.equal(mask.apply(TOKEN), '•••');
    assert.doesNotMatch(log.lines.join('\n'), secretParts);
  });

  for (const [what, self, token, text] of [
    [
      'has no scope for the API',
      scopes('read_user'),
      TOKEN,
      /^The token needs the scope api or read_api, but it only has read_user\.$/,
    ],
    ['is not accepted', scopes('api'), 'glpat-wrong-1234567890', /^gitlab\.example\.com rejected this token\.$/],
    ['is of another kind', json(400, { message: '400 Bad request' }), TOKEN, /^gitlab\.example\.com rejected/],
  ] as const) {
    it(`the sign-in with an access token says in the input box that the token ${what}, and stores no session`, async () => {
      const { dialogs, saw, refusals } = entering(token);
      const { signIn, sessions, secrets, log } = world(knowing(self), dialogs);
      assert.equal(await signIn.signIn(instance), undefined);
      assert.deepEqual(saw, []);
      assert.equal(refusals.length, 1);
      assert.match(refusals[0] ?? '', text);
      assert.deepEqual([sessions.all(), secrets.values.size], [[], 0]);
      assert.doesNotMatch(log.lines.join('\n'), secretParts);
    });
  }

  it('the sign-in with an access token asks again after a wrong token', async () => {
    const { dialogs, saw, refusals } = entering('glpat-wrong-1234567890', TOKEN);
    const { signIn, sessions } = world(knowing(scopes('api')), dialogs);
    const session = await signIn.signIn(instance);
    assert.equal(session?.accessToken, TOKEN);
    assert.deepEqual(sessions.current(BASE), session);
    assert.deepEqual([refusals, saw], [['gitlab.example.com rejected this token.'], []]);
  });

  it('the sign-in with an access token links the page that creates one with name and scope filled in', () => {
    assert.equal(
      newTokenPage('https://example.com/platform'),
      'https://example.com/platform/-/user_settings/personal_access_tokens?name=Signalbox+for+VS+Code&scopes=api',
    );
  });

  it('the sign-in with an access token accepts a token on an instance that does not report scopes', async () => {
    const { signIn } = world(knowing(json(404, { error: '404 Not Found' })), entering(TOKEN).dialogs);
    assert.deepEqual((await signIn.signIn(instance))?.scopes, []);
  });

  it('the sign-in with an access token ends without a message if the user cancels', async () => {
    const network = knowing(scopes('api'));
    const { dialogs, saw } = entering();
    assert.equal(await world(network, dialogs).signIn.signIn(instance), undefined);
    assert.deepEqual([saw, network.requests], [[], []]);
  });

  it('the sign-in with an access token is deleted but not revoked on sign-out', async () => {
    const network = knowing(scopes('api'));
    const { signIn, sessions, secrets } = world(network, entering(TOKEN).dialogs);
    const session = await signIn.signIn(instance);
    assert.ok(session !== undefined);
    const before = network.requests.length;
    await signIn.signOut(session);
    assert.deepEqual([sessions.all(), secrets.values.size, network.requests.length], [[], 0, before]);
  });
});

describe('sign-in as a demo user', () => {
  /** Server on which every created token is valid until it is revoked. */
  function server() {
    const valid = new Set<string>();
    const network = networkWithRule(({ url, method, headers }) => {
      const token = (headers.authorization ?? '').replace('Bearer ', '');
      if (!valid.has(token)) return json(401, { message: '401 Unauthorized' });
      if (method === 'DELETE') {
        valid.delete(token);
        return json(204, '');
      }
      if (url.endsWith('/self')) return json(200, { id: 1, scopes: ['api'] });
      const id = Number(token.split('-')[1]);
      return json(200, { id, username: `user${id}`, name: `User ${id}` });
    });
    let count = 0;
    const make = async (id: number): Promise<string> => {
      const token = `persona-${id}-${(count += 1)}`;
      valid.add(token);
      return token;
    };
    return { network, valid, make };
  }
  const choosing = (choose: () => number | 'code', make: (id: number) => Promise<string>): Partial<SignInDialogs> => ({
    choosePersona: async () => {
      const choice = choose();
      return choice === 'code' ? choice : { id: choice, token: () => make(choice) };
    },
  });

  it('the sign-in as a demo user signs in immediately, and reuses the token when the same user is selected again', async () => {
    const { network, valid, make } = server();
    let who = 3;
    const { signIn, sessions } = world(network, person(choosing(() => who, make)).dialogs);
    await signIn.signIn(instance, 'persona');
    who = 4;
    await signIn.signIn(instance, 'persona');
    assert.equal(sessions.current(BASE)?.account.username, 'user4');
    who = 3;
    const again = await signIn.signIn(instance, 'persona');
    assert.deepEqual([again?.credential, sessions.current(BASE)?.account.username], ['persona', 'user3']);
    assert.deepEqual([...valid], ['persona-3-1', 'persona-4-2']);
  });

  it('the sign-in as a demo user creates a new token if the old one is no longer valid', async () => {
    const { network, valid, make } = server();
    const { signIn } = world(network, person(choosing(() => 3, make)).dialogs);
    await signIn.signIn(instance, 'persona');
    valid.clear();
    assert.equal((await signIn.signIn(instance, 'persona'))?.accessToken, 'persona-3-2');
  });

  it('the sign-in as a demo user revokes the token on sign-out', async () => {
    const { network, valid, make } = server();
    const { signIn } = world(network, person(choosing(() => 3, make)).dialogs);
    const session = await signIn.signIn(instance, 'persona');
    assert.ok(session !== undefined);
    await signIn.signOut(session);
    assert.deepEqual([...valid], []);
  });

  it('the sign-in as a demo user continues with a code if the user selects it', async () => {
    const { dialogs, saw } = person(
      choosing(
        () => 'code',
        async () => assert.fail('a token was created'),
      ),
    );
    const session = await world(platform(tokens), dialogs).signIn.signIn(instance, 'persona');
    assert.equal(session?.credential, 'oauth');
    assert.equal(saw[0], 'code CODE-1');
  });
});

describe('a sign-in during which the window is reloaded', () => {
  /** Creates a window that closes while its dialog is open. */
  async function reloadedWindow() {
    const shown = Promise.withResolvers<void>();
    const { dialogs } = person({
      showCode: () => {
        shown.resolve();
        return new Promise(() => undefined);
      },
    });
    const closed = world(platform(tokens), dialogs);
    void closed.signIn.signIn(instance);
    await shown.promise;
    const { secrets, window, clock } = closed;
    return { secrets, window, clock };
  }

  it('a sign-in during which the window is reloaded continues with the same code, shows it again, and asks no questions', async () => {
    const state = await reloadedWindow();
    state.clock.advance(100_000);
    const shown: unknown[] = [];
    const { dialogs, saw } = person({
      wait: (authorization, deadline, work) => {
        shown.push(authorization.user_code, authorization.verification_uri, deadline - state.clock.now());
        return work(new AbortController().signal);
      },
    });
    const network = platform(tokens);
    const { signIn, sessions, secrets, mask, log } = world(network, dialogs, state);
    await signIn.resume([instance]);
    assert.deepEqual(shown, ['CODE-1', `${BASE}/oauth/device`, 200_000]);
    assert.deepEqual(saw, []);
    assert.deepEqual(formOf(network.requests[0]), {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: 'device-1',
      client_id: 'the-client',
    });
    assert.equal(sessions.current(BASE)?.account.username, 'ana');
    assert.deepEqual([...secrets.values.keys()], [`session/${BASE}#7`]);
    assert.equal(mask.apply('device-1'), '•••');
    assert.doesNotMatch(log.lines.join('\n'), secretParts);
  });

  it('a sign-in during which the window is reloaded stores the device code in the secret storage only', async () => {
    const { secrets, window } = await reloadedWindow();
    assert.match([...secrets.values.values()].join(), /device-1/);
    assert.doesNotMatch(JSON.stringify([...window.values]), /device-1|CODE-1/);
  });

  it('a sign-in during which the window is reloaded drops a code that has expired in the meantime without a message', async () => {
    const state = await reloadedWindow();
    state.clock.advance(300_000);
    const network = platform(tokens);
    const { dialogs, saw } = person();
    await world(network, dialogs, state).signIn.resume([instance]);
    assert.deepEqual([network.requests.length, saw, state.secrets.values.size], [0, [], 0]);
  });

  it('a sign-in during which the window is reloaded does not use codes of other windows', async () => {
    const state = await reloadedWindow();
    const network = platform(tokens);
    await world(network, person().dialogs, { ...state, window: fakeMemento() }).signIn.resume([instance]);
    assert.deepEqual([network.requests.length, state.secrets.values.size], [0, 1]);
  });

  it('a sign-in during which the window is reloaded reports that the code was denied, and starts again if the user wants it', async () => {
    const state = await reloadedWindow();
    const network = platform((round) => (round === 0 ? refusal('access_denied') : tokens(round)));
    const { dialogs, saw } = person({ denied: async () => true });
    const { signIn, sessions } = world(network, dialogs, state);
    await signIn.resume([instance]);
    assert.equal(saw[0], 'code CODE-1');
    assert.equal(sessions.all().length, 1);
  });

  it('a sign-in during which the window is reloaded succeeds although the secret storage fails', async () => {
    const broken = { ...fakeSecrets(), store: () => Promise.reject(new Error('the keyring is locked')) };
    const { dialogs } = person({ keepForNow: async () => true });
    const { signIn } = world(platform(tokens), dialogs, { secrets: broken });
    assert.equal((await signIn.signIn(instance))?.account.username, 'ana');
  });
});

describe('sign-in while the secret storage fails', () => {
  const broken = () => ({ ...fakeSecrets(), store: () => Promise.reject(new Error('the keyring is locked')) });

  it('a sign-in while the secret storage fails is kept for this window if the user agrees, who is asked once', async () => {
    let questions = 0;
    const keepForNow = async (): Promise<boolean> => {
      questions += 1;
      return true;
    };
    const { signIn, sessions } = world(platform(tokens), person({ keepForNow }).dialogs, { secrets: broken() });
    await signIn.signIn(instance);
    await signIn.signIn(instance);
    assert.equal(sessions.current(BASE)?.accessToken, 'access-2');
    assert.equal(questions, 1);
  });

  it('a sign-in while the secret storage fails is canceled and revoked if the user declines', async () => {
    const network = platform(tokens);
    const { dialogs, saw } = person();
    const { signIn, sessions } = world(network, dialogs, { secrets: broken() });
    assert.equal(await signIn.signIn(instance), undefined);
    assert.equal(saw.at(-1), `keep ${BASE}`);
    assert.deepEqual(sessions.all(), []);
    assert.deepEqual(pathsOf(network.requests).slice(-2), ['/oauth/revoke', '/oauth/revoke']);
  });
});

describe('sign-out', () => {
  it('the sign-out deletes the session and revokes its tokens', async () => {
    const network = platform(tokens);
    const { signIn, sessions, secrets, log } = world(network, person().dialogs);
    const session = await signIn.signIn(instance);
    assert.ok(session !== undefined);
    await signIn.signOut(session);
    assert.deepEqual(sessions.all(), []);
    assert.equal(secrets.values.size, 0);
    assert.deepEqual(pathsOf(network.requests).slice(-2), ['/oauth/revoke', '/oauth/revoke']);
    assert.doesNotMatch(log.lines.join('\n'), secretParts);
  });

  it('the sign-out deletes the session even if the instance is unreachable, and logs that', async () => {
    const online = platform(tokens);
    let isOnline = true;
    const network = networkWithRule((request) => (isOnline ? online.send(request) : connectionFailure('unreachable')));
    const { signIn, sessions, log } = world(network, person().dialogs);
    const session = await signIn.signIn(instance);
    assert.ok(session !== undefined);
    isOnline = false;
    await signIn.signOut(session);
    assert.deepEqual(sessions.all(), []);
    assert.match(log.lines.join('\n'), /Could not revoke the tokens of @ana/);
  });
});
