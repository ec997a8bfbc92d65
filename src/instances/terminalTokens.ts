import { type Client, createClient } from '../api/client.ts';
import { type FailureKind, failureOfError } from '../api/failures.ts';
import type { Send } from '../api/transport.ts';
import type { Refresh } from '../auth/refresh.ts';
import { keyOf, type Session } from '../auth/session.ts';
import type { Sessions } from '../auth/sessions.ts';
import { readPersonalToken, readUserBasic } from '../contract/identity.ts';
import { PRODUCT } from '../contract/product.ts';
import type { IssuedToken, LoadLocalControl } from '../local/control.ts';
import { type Log, type Mask, messageOf } from '../support/log.ts';
import { instanceOfAccount, isLocalKey, nameOfInstance } from './accountKey.ts';
import type { Addresses } from './connection.ts';
import type { TerminalToken } from './terminalEnvironment.ts';
import type { TerminalTokenRecord, TerminalTokenRecords } from './terminalTokenRecords.ts';

/** Lifetime of the tokens in days, for terminals whose end nobody notices. */
const LIFETIME = 7;
const DAY = 86_400_000;
/** Maximum time to wait for an instance when a token is revoked, in milliseconds. */
const LIMIT = 4_000;
/** Scopes of an OAuth token that a personal access token can have. */
const SHARED_SCOPES: readonly string[] = ['api', 'read_api', 'read_user', 'read_repository', 'write_repository'];

/** Personal access token that was created for one terminal. */
export interface CreatedToken extends TerminalToken {
  /** Milliseconds since the epoch by this machine's clock. */
  readonly expiresAt: number;
  /** Revokes the token. Never rejects; a token that could not be revoked stays recorded. */
  readonly revoke: () => Promise<void>;
}

export interface TerminalTokens {
  /**
   * Creates a personal access token for a terminal, with the rights of the session; undefined if the instance does not let the account
   * create one. Rejects with an `ApiFailure` if the instance cannot be reached.
   */
  readonly create: (session: Session, address: string) => Promise<CreatedToken | undefined>;
  /** Revokes the tokens that windows which no longer exist have left. Never rejects. */
  readonly cleanUp: () => Promise<void>;
  /** Revokes all tokens of this window. Never rejects. */
  readonly revokeAll: () => Promise<void>;
}

export interface TerminalTokenSettings {
  readonly records: TerminalTokenRecords;
  readonly sessions: Sessions;
  readonly refresh: Refresh;
  readonly addresses: Addresses;
  readonly control: LoadLocalControl;
  readonly send: Send;
  readonly now: () => number;
  /** ID of this process. */
  readonly process: number;
  /** Returns true if a process with this ID exists. */
  readonly isAlive: (process: number) => boolean;
  readonly mask: Mask;
  readonly log: Log;
}

/** Creates the owner of the personal access tokens of this window's terminals. Signing out revokes those of the account. */
export function createTerminalTokens(settings: TerminalTokenSettings): TerminalTokens {
  const { records, sessions, refresh, addresses, control, send, now, mask, log } = settings;
  const live = new Map<TerminalTokenRecord, CreatedToken>();

  async function create(session: Session, address: string): Promise<CreatedToken | undefined> {
    const created = await issue(session, address);
    if (created === undefined) return undefined;
    mask.hide(created.token);
    const expiresAt = now() + LIFETIME * DAY;
    const record: TerminalTokenRecord = { account: keyOf(session), id: created.id, expiresAt, process: settings.process };
    await records.add(record);
    const token: CreatedToken = {
      accessToken: created.token,
      isPersonal: true,
      expiresAt,
      revoke: async () => {
        // The token can always revoke itself, whatever happened to the sign-in meanwhile.
        if (live.delete(record))
          await forget(record, deletion(clientOf(address, created.token), 'self'), ['signedOut', 'notFound']);
      },
    };
    live.set(record, token);
    return token;
  }

  async function issue(session: Session, address: string): Promise<IssuedToken | undefined> {
    const { account, instance, scopes } = session;
    const name = `${PRODUCT} for VS Code: terminal of @${account.username}`;
    const given = scopes.filter((scope) => SHARED_SCOPES.includes(scope));
    const wanted = given.length === 0 ? ['api'] : given;
    const local = isLocalKey(instance) ? await control(instance) : undefined;
    if (local !== undefined) return local.personalToken(account.id, name, LIFETIME, wanted);
    const client = clientOf(address, session.accessToken);
    // Users can create only tokens that are of no use here; administrators can create any.
    if ((await client.get('/user', readUserBasic))['is_admin'] !== true) return undefined;
    const expires = new Date(now() + LIFETIME * DAY).toISOString().slice(0, 10);
    const body = { name, scopes: wanted, expires_at: expires };
    try {
      const path = `/users/${account.id}/personal_access_tokens`;
      const { id, token } = await client.change({ method: 'POST', path, body }, readPersonalToken);
      return token === undefined ? undefined : { id, token };
    } catch (error) {
      const failure = failureOfError(error);
      if (failure?.isOwnWord !== true) throw error;
      log.info(`${nameOfInstance(instance)} created no personal access token for a terminal: ${failure.message}`);
      return undefined;
    }
  }

  /** Revokes a token and removes its record, unless the instance has not said that the token is revoked or does not exist. */
  async function forget(
    record: TerminalTokenRecord,
    revoked: Promise<unknown>,
    kindsOfMissing: readonly FailureKind[],
  ): Promise<void> {
    try {
      await revoked;
      log.info(`Revoked the token of a terminal for ${record.account}.`);
    } catch (error) {
      log.warn(`Could not revoke the token of a terminal for ${record.account}: ${messageOf(error)}`);
      const failure = failureOfError(error);
      if (failure === undefined || !failure.isOwnWord || !kindsOfMissing.includes(failure.kind)) return;
    }
    await records.remove(record).catch((error: unknown) => log.warn(`Could not delete a file: ${messageOf(error)}`));
  }

  async function cleanUpOne(record: TerminalTokenRecord): Promise<void> {
    const { account, id, expiresAt } = record;
    const instance = instanceOfAccount(account);
    if (expiresAt <= now() || instance === undefined) return records.remove(record);
    const address = addresses(instance);
    if (address === undefined) return undefined;
    const local = isLocalKey(instance) ? await control(instance) : undefined;
    if (local !== undefined) return forget(record, local.revokePersonalToken(id), ['notFound']);
    const session = sessions.get(account) === undefined ? undefined : await refresh.fresh(account);
    if (session === undefined) return undefined;
    return forget(record, deletion(clientOf(address, session.accessToken), id), ['notFound']);
  }

  function deletion(client: Client, id: number | 'self'): Promise<unknown> {
    const path = `/personal_access_tokens/${id}`;
    return client.change({ method: 'DELETE', path }, () => true, AbortSignal.timeout(LIMIT));
  }

  function clientOf(baseUrl: string, token: string): Client {
    const credentials = { token: async () => token, renewed: async () => undefined };
    return createClient({ baseUrl, send, credentials, now, sleep: async () => undefined });
  }

  sessions.onDidChange(({ account, after }) => {
    if (after !== undefined) return;
    for (const [record, token] of live) if (record.account === account) void token.revoke();
  });

  return {
    create,
    cleanUp: async () => {
      for (const record of await records.all()) {
        // A record of this process that is not of an open terminal is of an earlier process with the same ID.
        const isOpen = record.process === settings.process ? isLive(record) : settings.isAlive(record.process);
        if (isOpen) continue;
        await cleanUpOne(record).catch((error: unknown) =>
          log.warn(`Could not revoke the token of a terminal that was left open: ${messageOf(error)}`),
        );
      }
    },
    revokeAll: async () => {
      await Promise.all([...live.values()].map((token) => token.revoke()));
    },
  };

  function isLive({ account, id }: TerminalTokenRecord): boolean {
    return [...live.keys()].some((one) => one.account === account && one.id === id);
  }
}

/** Returns true if a process with this ID exists. */
export function isProcessAlive(process: number): boolean {
  try {
    globalThis.process.kill(process, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
