// Another member of a project, who comments through the API, so that the demo user gets mails.
import assert from 'node:assert/strict';
import { DEMO_USER } from './platform.ts';

/** A project of the demo user with open issues. */
export const MAIL_PROJECT = 'amara/berth-api';

export interface Colleague {
  /** Mentions the demo user in a comment on an issue that has had none from here before, and returns the number of the issue. */
  readonly mention: (text: string) => Promise<number>;
  /** Marks all mails of the demo user as read. */
  readonly readAll: () => Promise<void>;
}

/** Finds a colleague of the demo user. `adminToken` has the scope `api`. */
export async function colleagueOf(server: { readonly origin: string; readonly adminToken: string }): Promise<Colleague> {
  async function ask(token: string, url: string, body?: Readonly<Record<string, unknown>>): Promise<unknown> {
    const response = await fetch(`${server.origin}/api/v4${url}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${url}: ${response.status} ${text}`);
    return JSON.parse(text);
  }
  const asAdmin = (url: string, body?: Readonly<Record<string, unknown>>): Promise<unknown> => ask(server.adminToken, url, body);

  async function tokenOf(username: unknown): Promise<string> {
    const [user] = listOf(await asAdmin(`/users?username=${String(username)}`));
    const created = await asAdmin(`/users/${String(user?.['id'])}/personal_access_tokens`, { name: 'mails', scopes: ['api'] });
    const [{ token } = {}] = listOf([created]);
    return String(token);
  }

  const project = `/projects/${encodeURIComponent(MAIL_PROJECT)}`;
  const members = listOf(await asAdmin(`${project}/members/all`)).map((member) => member['username']);
  const token = await tokenOf(members.find((username) => username !== DEMO_USER.username && username !== 'root'));
  const ownToken = await tokenOf(DEMO_USER.username);
  const issues = listOf(await asAdmin(`${project}/issues?state=opened`)).map((issue) => Number(issue['iid']));
  return {
    mention: async (text) => {
      const issue = issues.pop();
      assert.ok(issue !== undefined);
      await ask(token, `${project}/issues/${issue}/notes`, { body: `@${DEMO_USER.username} ${text}` });
      return issue;
    },
    readAll: async () => {
      await ask(ownToken, '/user/mails/mark_as_read', {});
    },
  };
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  assert.ok(Array.isArray(value));
  return value.map((one: unknown) => Object.fromEntries(Object.entries(one ?? {})));
}
