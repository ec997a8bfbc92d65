import { createClient } from '../api/client.ts';
import { failureOfAnswer, unintelligible } from '../api/failures.ts';
import type { Send } from '../api/transport.ts';
import { readSignInLink } from '../contract/control.ts';
import { readUserBasic, type UserBasic } from '../contract/identity.ts';
import { parseJson } from '../contract/json.ts';

/** What the holder of the admin token can ask of the local server. Everything rejects with an `ApiFailure` or a `TransportFailure`. */
export interface LocalControl {
  /** People who can sign in, at most 100. */
  readonly people: () => Promise<readonly UserBasic[]>;
  /** A link that opens once, signs this person in in the browser, and goes on to the path. */
  readonly signInLink: (username: string, returnTo: string) => Promise<string>;
}

export function createLocalControl(origin: string, adminToken: string, send: Send, now: () => number): LocalControl {
  const client = createClient({
    baseUrl: origin,
    send,
    credentials: { token: async () => adminToken, renewed: async () => undefined },
    now,
    // Asked for while a person waits: once, or not at all.
    sleep: async () => undefined,
  });
  return {
    people: async () => {
      const { items } = await client.list('/users', readUserBasic, { per_page: 100 });
      return items.filter((user) => user.state === 'active' && user.bot !== true);
    },
    signInLink: async (username, returnTo) => {
      const answer = await send(controlRequest(`${origin}/_local/sign-in-links`, adminToken, { username, return_to: returnTo }));
      if (answer.status !== 201) throw failureOfAnswer(new URL(origin).host, answer, now());
      const link = readSignInLink(parseJson(answer.body));
      if (link === undefined) throw unintelligible(new URL(origin).host, 'a sign-in link', answer);
      return link.url;
    },
  };
}

/** A POST to `/_local/…`, which takes the admin token as a bearer token. */
export function controlRequest(
  url: string,
  adminToken: string,
  body: Readonly<Record<string, string>> = {},
): Parameters<Send>[0] {
  return {
    method: 'POST',
    url,
    headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${adminToken}` },
    body: JSON.stringify(body),
  };
}
