import * as l10n from '@vscode/l10n';
import { createClient } from '../api/client.ts';
import { failureOfResponse, unintelligible } from '../api/failures.ts';
import type { Send, WireResponse } from '../api/transport.ts';
import {
  type ClockState,
  type LocalStorage,
  readClock,
  readClockState,
  readLocalStorages,
  readSignInLink,
} from '../contract/control.ts';
import type { DeprecatedCall } from '../contract/deprecatedCalls.ts';
import { type Profile, readProfile } from '../contract/emulation.ts';
import { readPersonalToken, readUserBasic, type UserBasic } from '../contract/identity.ts';
import { isJsonObject, parseJson, stringMember } from '../contract/json.ts';
import type { Release } from '../contract/releases.ts';
import { loadCalls } from '../deprecations/requests.ts';
import { type Flow, type FlowSummary, readFlow, readFlowSummary } from '../contract/oauthFlows.ts';

/** Requests to the local server that need the admin token. All methods reject with an `ApiFailure` or a `TransportFailure`. */
export interface LocalControl {
  /** Address of the server. */
  readonly origin: string;
  /** Returns users who can sign in, at most 100. */
  readonly users: () => Promise<readonly UserBasic[]>;
  /** Returns the username of the administrator who owns the token. */
  readonly administrator: () => Promise<string>;
  /** Returns a link that can be opened once. It signs the user in in the browser and redirects to the path. */
  readonly signInLink: (username: string, returnTo: string) => Promise<string>;
  /** Returns the recorded OAuth flows, newest first. */
  readonly flows: () => Promise<readonly FlowSummary[]>;
  /** Returns an OAuth flow with its steps, or undefined if it is no longer stored. */
  readonly flow: (id: string) => Promise<Flow | undefined>;
  /** Returns the emulated platform. */
  readonly emulated: () => Promise<Profile>;
  /** Returns the state of the clock; undefined if the response does not have it. */
  readonly clock: () => Promise<ClockState | undefined>;
  /** Returns the path of the data folder, or undefined if the data is in memory. */
  readonly dataFolder: () => Promise<string | undefined>;
  /** Changes members of the emulated platform, and returns the new one. Connections and data stay. */
  readonly emulate: (change: Partial<Profile>) => Promise<Profile>;
  /** Returns calls of deprecated elements by all users, latest first, as seen from a release. */
  readonly deprecatedCalls: (release: Release) => Promise<readonly DeprecatedCall[]>;
  /** Returns the repository storages by name; empty if the server does not report them. */
  readonly storages: () => Promise<ReadonlyMap<string, LocalStorage>>;
  /** Sends a request below `/_local` and returns the JSON of its successful response. */
  readonly request: (method: 'GET' | 'POST', path: string, body?: ControlBody) => Promise<unknown>;
  /** Creates a personal access token, with the scope `api` by default, that expires after `days` days by the server's clock. */
  readonly personalToken: (userId: number, name: string, days: number, scopes?: readonly string[]) => Promise<IssuedToken>;
  /** Revokes a personal access token by its ID. */
  readonly revokePersonalToken: (id: number) => Promise<void>;
}

/** New personal access token with its secret. */
export interface IssuedToken {
  readonly id: number;
  readonly token: string;
}

/** Body of a request with the admin token. */
export type ControlBody = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/**
 * Returns the control of the local server with this key: that of the extension while it runs, or a connected one. Without a key, it is
 * the current instance if that is a connected server, else the server of the extension. Returns undefined if it cannot be controlled.
 */
export type LoadLocalControl = (instance?: string) => Promise<LocalControl | undefined>;

export function createLocalControl(origin: string, adminToken: string, send: Send, now: () => number): LocalControl {
  const client = createClient({
    baseUrl: origin,
    send,
    credentials: { token: async () => adminToken, renewed: async () => undefined },
    now,
    // The user is waiting, so there are no pauses between attempts.
    sleep: async () => undefined,
  });

  function read(path: string): Promise<WireResponse> {
    return send({ method: 'GET', url: `${origin}${path}`, headers: bearer(adminToken) });
  }

  async function profileOf(sent: Promise<WireResponse>): Promise<Profile> {
    const [{ host }, response] = [new URL(origin), await sent];
    if (response.status !== 200) throw failureOfResponse(host, response, now());
    const profile = readProfile(parseJson(response.body));
    if (profile !== undefined) return profile;
    throw unintelligible(
      l10n.t('{0}: the response is not an emulated platform. Is another program using this address?', host),
      response,
    );
  }

  function noFlow(response: WireResponse): Error {
    return unintelligible(
      l10n.t('{0}: the response contains no OAuth flows. Is another program using this address?', new URL(origin).host),
      response,
    );
  }

  const request: LocalControl['request'] = async (method, path, body) => {
    const response = await (method === 'GET'
      ? read(`/_local${path}`)
      : send(controlRequest(`${origin}/_local${path}`, adminToken, body)));
    if (response.status >= 300) throw failureOfResponse(new URL(origin).host, response, now());
    return parseJson(response.body);
  };

  return {
    origin,
    users: async () => {
      const { items } = await client.list('/users', readUserBasic, { humans: true, per_page: 100 });
      return items.filter((user) => user.state === 'active' && user.bot !== true);
    },
    administrator: async () => (await client.get('/user', readUserBasic)).username,
    signInLink: async (username, returnTo) => {
      const response = await send(
        controlRequest(`${origin}/_local/sign-in-links`, adminToken, { username, return_to: returnTo }),
      );
      if (response.status !== 201) throw failureOfResponse(new URL(origin).host, response, now());
      const link = readSignInLink(parseJson(response.body));
      if (link === undefined)
        throw unintelligible(
          l10n.t('{0}: the response is not a sign-in link. Is another program using this address?', new URL(origin).host),
          response,
        );
      return link.url;
    },
    flows: async () => {
      const response = await read('/_local/oauth/flows');
      const list: unknown = parseJson(response.body);
      if (response.status !== 200) throw failureOfResponse(new URL(origin).host, response, now());
      if (Array.isArray(list)) return list.map((flow) => readFlowSummary(flow)).filter((flow) => flow !== undefined);
      throw noFlow(response);
    },
    flow: async (id) => {
      const response = await read(`/_local/oauth/flows/${id}`);
      if (response.status === 404) return undefined;
      if (response.status !== 200) throw failureOfResponse(new URL(origin).host, response, now());
      const flow = readFlow(parseJson(response.body));
      if (flow === undefined) throw noFlow(response);
      return flow;
    },
    emulated: () => profileOf(read('/_local/profile')),
    clock: async () => readClockState(await request('GET', '/clock')),
    dataFolder: async () => {
      const health = await request('GET', '/health');
      return isJsonObject(health) ? stringMember(health, 'data_folder') : undefined;
    },
    emulate: (change) => profileOf(send({ ...controlRequest(`${origin}/_local/profile`, adminToken, change), method: 'PUT' })),
    deprecatedCalls: (release) => loadCalls(client, release, true),
    storages: async () => {
      const response = await read('/_local/storages');
      if (response.status === 404) return new Map();
      if (response.status !== 200) throw failureOfResponse(new URL(origin).host, response, now());
      return readLocalStorages(parseJson(response.body));
    },
    personalToken: async (userId, name, days, scopes = ['api']) => {
      const { host } = new URL(origin);
      const clock = await send({ method: 'GET', url: `${origin}/_local/clock`, headers: bearer(adminToken) });
      if (clock.status !== 200) throw failureOfResponse(host, clock, now());
      const time = readClock(parseJson(clock.body));
      if (time === undefined)
        throw unintelligible(l10n.t('{0}: the response is not a time. Is another program using this address?', host), clock);
      // Based on the server's clock, which may differ from ours by years.
      const expires = new Date(time + days * 86_400_000).toISOString().slice(0, 10);
      const url = `${origin}/api/v4/users/${userId}/personal_access_tokens`;
      const body = { name, scopes, expires_at: expires };
      const response = await send(controlRequest(url, adminToken, body));
      if (response.status !== 201) throw failureOfResponse(host, response, now());
      const { id, token } = readPersonalToken(parseJson(response.body)) ?? {};
      if (id === undefined || token === undefined)
        throw unintelligible(
          l10n.t('{0}: the response is not a personal access token. Is another program using this address?', host),
          response,
        );
      return { id, token };
    },
    request,
    revokePersonalToken: async (id) => {
      await client.change({ method: 'DELETE', path: `/personal_access_tokens/${id}` }, () => true);
    },
  };
}

function bearer(adminToken: string): Readonly<Record<string, string>> {
  return { accept: 'application/json', authorization: `Bearer ${adminToken}` };
}

/** Returns a POST request with the admin token, such as those to `/_local/…`. */
export function controlRequest(url: string, adminToken: string, body: ControlBody = {}): Parameters<Send>[0] {
  return {
    method: 'POST',
    url,
    headers: { ...bearer(adminToken), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}
