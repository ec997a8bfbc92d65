import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createClient } from '../../../src/api/client.ts';
import { failureOfError } from '../../../src/api/failures.ts';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import { createPendingCodes } from '../../../src/auth/pendingCodes.ts';
import { createPendingRedirects } from '../../../src/auth/pendingRedirects.ts';
import { createRefresh } from '../../../src/auth/refresh.ts';
import { parametersOfUri, wayBack } from '../../../src/auth/redirectFlow.ts';
import { createRedirectListener } from '../../../src/auth/redirectListener.ts';
import { createRedirects, type RedirectAttempt } from '../../../src/auth/redirects.ts';
import { keyOf } from '../../../src/auth/session.ts';
import { createSessions } from '../../../src/auth/sessions.ts';
import type { SignInDialogs } from '../../../src/auth/dialogs.ts';
import { createSignIn } from '../../../src/auth/signIn.ts';
import { findUserByName } from '../../../server/features/users/accounts.ts';
import { mintSignInLink } from '../../../server/features/signIn/links.ts';
import { readUserBasic } from '../../../src/contract/identity.ts';
import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import type { Instance } from '../../../src/instances/instances.ts';
import { createMask } from '../../../src/support/log.ts';
import { sleep } from '../../../src/support/sleep.ts';
import { decideOn, person, returned } from '../../server/oauth/codes.ts';
import { fakeLog, fakeMemento, fakeSecrets, noLock } from '../../support/extension/fakes.ts';
import { PageClient } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const location = { scheme: 'vscode', extensionId: 'signalbox.signalbox' };
const ways = {
  'a URI of VS Code': wayBack({ ...location, isDesktop: true, remoteName: undefined }),
  'a listener': wayBack({ ...location, isDesktop: false, remoteName: '127.0.0.1:8000' }),
} as const;

for (const [what, way] of Object.entries(ways)) {
  for (const dialect of ['documented', 'observed'] as const) {
    describe(`sign-in with the browser by a redirect to ${what}, dialect ${dialect}`, () => {
      let server: TestServer;
      beforeEach(async () => {
        server = await startTestServer({ profile: { dialect } });
      });
      afterEach(() => server.close());

      it('the sign-in by redirect signs in the user who approves, with tokens that can be refreshed and revoked', async () => {
        const { signIn, sessions, api, failures, attempts, log } = world((attempt) => decideAndReturn(attempt));
        const session = await signIn.signIn(instance);
        assert.deepEqual(
          [session?.account.username, session?.scopes, session?.expiry?.lifetime, failures],
          ['root', ['api'], 7_200_000, []],
        );
        assert.deepEqual(sessions.current('local'), session);
        server.platform.clock.advance(7_201_000);
        assert.equal((await api.get('/user', readUserBasic)).username, 'root');
        const renewed = sessions.current('local') ?? assert.fail('nobody is signed in');
        assert.notEqual(renewed.refreshToken, session?.refreshToken);
        await signIn.signOut(renewed);
        await sessions.write(renewed);
        // A token is refreshed at most once a minute.
        server.platform.clock.advance(61_000);
        await assert.rejects(api.get('/user', readUserBasic), (thrown) => failureOfError(thrown)?.kind === 'signedOut');
        assert.equal(sessions.current('local'), undefined);
        const { state, verifier } = attempts[0] ?? assert.fail('there was no attempt');
        assert.ok(![state, verifier].some((secret) => log.lines.join('\n').includes(secret)));
      });

      it('the sign-in by redirect does not sign in if the user denies', async () => {
        const { signIn, sessions, denials, failures } = world((attempt) => decideAndReturn(attempt, 'deny'));
        assert.equal(await signIn.signIn(instance), undefined);
        assert.deepEqual([denials, failures, sessions.all()], [['denied'], [], []]);
      });

      it('the sign-in by redirect ignores redirects with another state and continues to wait', async () => {
        const { signIn, log } = world(async (attempt) => {
          const right = await decisionOf(attempt);
          await deliver(attempt, { ...right, state: `${attempt.state.slice(1)}x` });
          await deliver(attempt, { error: 'access_denied', state: 'another' });
          await deliver(attempt, right);
        });
        assert.equal((await signIn.signIn(instance))?.account.username, 'root');
        assert.equal(log.lines.filter((line) => line.startsWith('Ignored a redirect')).length, 2);
      });

      it('the sign-in by redirect does not send a code from a redirect of another issuer', async () => {
        const { signIn, failures } = world(async (attempt) =>
          deliver(attempt, { ...(await decisionOf(attempt)), iss: 'https://evil.example' }),
        );
        assert.equal(await signIn.signIn(instance), undefined);
        assert.match(failures.join(), /issued by https:\/\/evil\.example/);
        assert.ok(!server.platform.requestLog.list(50).some(({ path }) => path === '/oauth/token'));
      });

      it('the sign-in by redirect gets no tokens for the code of another request', async () => {
        const { signIn, failures } = world(async (attempt) => {
          const { redirectUri } = attempt;
          const other = { ...requestOf(attempt), code_challenge: 'A'.repeat(43), redirect_uri: redirectUri };
          const { code = '' } = returned(await decideOn(await person(server), other));
          await deliver(attempt, { code, state: attempt.state });
        });
        assert.equal(await signIn.signIn(instance), undefined);
        assert.equal(failures.length, 1);
        assert.equal(server.platform.requestLog.list(50).find(({ path }) => path === '/oauth/token')?.status, 400);
      });

      const instance: Instance = { key: 'local', kind: 'local', label: 'Managed server', clientId: EXTENSION_CLIENT_ID };

      /** Creates the sign-in of the extension, with a user who performs `act` when the page is opened. */
      function world(act: (attempt: RedirectAttempt) => Promise<void>) {
        const [failures, denials, attempts]: [string[], string[], RedirectAttempt[]] = [[], [], []];
        const dialogs: SignInDialogs = {
          chooseWay: async () => 'redirect',
          chooseOtherWay: async () => assert.fail('asked for another way'),
          askToken: async () => assert.fail('asked for a token'),
          choosePersona: async () => assert.fail('asked for a user'),
          keepForNow: async () => assert.fail('asked to keep it'),
          showCode: async () => assert.fail('showed a code'),
          openPage: async () => assert.fail('opened the page for a code'),
          wait: () => assert.fail('waited for a code'),
          showPage: async () => true,
          waitForRedirect: async (_, attempt, work) => {
            attempts.push(attempt);
            const outcome = work(new AbortController().signal);
            await act(attempt);
            return outcome;
          },
          expired: async () => assert.fail('it expired'),
          denied: async () => {
            denials.push('denied');
            return false;
          },
          failed: (text) => void failures.push(text),
        };
        const [log, mask, secrets, send] = [fakeLog(), createMask(), fakeSecrets(), createLoopbackSend()];
        const now = (): number => server.platform.clock.now();
        const noSleep = async (): Promise<void> => undefined;
        const sessions = createSessions({ secrets, memory: fakeMemento(), window: fakeMemento(), mask, log, sleep: noSleep });
        const addresses = (): string => server.origin;
        const refresh = createRefresh({ sessions, send, addresses, lock: noLock, now, sleep: noSleep, log });
        const signIn = createSignIn({
          sessions,
          pendingCodes: createPendingCodes({ secrets, window: fakeMemento(), mask, log, now }),
          redirects: createRedirects({
            way: way ?? assert.fail('no redirect is possible'),
            listen: createRedirectListener('en', ''),
            pending: createPendingRedirects({ secrets, mask, log, now }),
            now,
            sleep,
            mask,
            log,
          }),
          send,
          dialogs,
          reach: async (target) => ({ instance: target, baseUrl: server.origin }),
          addresses,
          now,
          sleep: noSleep,
          mask,
          log,
        });
        editor = signIn.redirected;
        const key = (): string => keyOf(sessions.current('local') ?? assert.fail('nobody is signed in'));
        const api = createClient({
          baseUrl: server.origin,
          send,
          credentials: {
            token: async () => (await refresh.fresh(key()))?.accessToken,
            renewed: async (refused) => (await refresh.renewed(key(), refused))?.accessToken,
          },
          now,
          sleep: noSleep,
        });
        return { signIn, sessions, api, failures, denials, attempts, log };
      }

      /** Handler for URIs that VS Code receives. */
      let editor: (parameters: URLSearchParams, instances: readonly Instance[]) => Promise<void>;

      function requestOf({ page }: RedirectAttempt): Readonly<Record<string, string>> {
        return Object.fromEntries(new URL(page).searchParams);
      }

      /** Decides in a browser that was signed in by a link, as for demo users of the local server. Returns the redirect's parameters. */
      async function decisionOf({ page }: RedirectAttempt, decision: 'approve' | 'deny' = 'approve') {
        const root = findUserByName(server.platform, 'root') ?? assert.fail('there is no root');
        const link = mintSignInLink(server.platform, root, page.slice(server.origin.length));
        const browser = new PageClient(server);
        const consent = await browser.follow(await browser.open(link?.path ?? ''));
        return returned(await browser.submit(consent, '/oauth/authorize', decision === 'deny' ? { _method: 'delete' } : {}));
      }

      async function decideAndReturn(attempt: RedirectAttempt, decision: 'approve' | 'deny' = 'approve'): Promise<void> {
        const response = await decisionOf(attempt, decision);
        assert.deepEqual([response['state'], response['iss']], [attempt.state, server.origin]);
        await deliver(attempt, response);
      }

      /** Follows the redirect: to the URI handler with decoding as in VS Code, or to the listener. */
      async function deliver({ redirectUri }: RedirectAttempt, response: Readonly<Record<string, string>>): Promise<void> {
        const query = new URLSearchParams(response).toString();
        if (way?.kind === 'loopback') await fetch(`${redirectUri}?${query}`);
        else await editor(parametersOfUri(decodeURIComponent(query.replaceAll('+', ' '))), [instance]);
      }
    });
  }
}
