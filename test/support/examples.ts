import { createUser, issuePersonalToken, type User } from '../../server/identity/identity.ts';
import { TEST_ADMIN_TOKEN, type TestServer } from './server.ts';

/** A request that must succeed on a row of the ledger. */
export interface Example {
  /** Values of the path's parameters, decoded. */
  readonly path?: Readonly<Record<string, string>>;
  /** Query of GET and DELETE, JSON body otherwise. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly asForm?: boolean;
  /** Where it is not the row's own success status. */
  readonly status?: number;
}

export interface Fixture {
  readonly server: TestServer;
  readonly ada: User;
  readonly adaToken: string;
  /** A name that was not used before. */
  fresh(prefix: string): string;
}

export async function makeFixture(server: TestServer): Promise<Fixture> {
  let count = 0;
  const fresh = (prefix: string): string => `${prefix}${(count += 1)}`;
  const ada = person(server, 'ada');
  return { server, ada, adaToken: tokenOf(server, ada), fresh };
}

function person(server: TestServer, username: string): User {
  const user = createUser(server.platform, { username, name: username, email: `${username}@example.com` });
  if (typeof user === 'string') throw new Error(`${username}: ${user}`);
  return user;
}

function tokenOf(server: TestServer, user: User): string {
  return issuePersonalToken(server.platform, user, { name: 'example', scopes: ['api'], expiresAt: null }).token;
}

type Make = (fixture: Fixture) => Example | Promise<Example>;
const admin = TEST_ADMIN_TOKEN;

/** One example per row of the ledger, by `METHOD path`. A row that changes what it needs gets something new each time. */
export const examples: Readonly<Record<string, Make>> = {
  'GET /_local/health': () => ({}),
  'GET /_local/clock': () => ({ token: admin }),
  'POST /_local/clock': () => ({ token: admin, params: { advance_seconds: 1 } }),
  'GET /_local/requests': () => ({ token: admin, params: { limit: 5 } }),
  'POST /_local/sign-in-links': () => ({ token: admin, params: { username: 'root', return_to: '/' } }),
  'POST /_local/shutdown': () => ({ token: admin }),

  'GET /api/v4/version': () => ({ token: admin }),
  'GET /api/v4/metadata': () => ({ token: admin }),
  'GET /api/v4/user': () => ({ token: admin }),
  'GET /api/v4/users': () => ({ token: admin, params: { search: 'a', order_by: 'name', sort: 'asc' } }),
  'GET /api/v4/users/:id': () => ({ token: admin, path: { id: '1' } }),
  'POST /api/v4/users': ({ fresh }) => {
    const username = fresh('person');
    return { token: admin, params: { email: `${username}@example.com`, name: username, username, force_random_password: true } };
  },
  'POST /api/v4/users/:id/block': ({ server, fresh }) => ({
    token: admin,
    path: { id: String(person(server, fresh('blocked')).id) },
  }),
  'POST /api/v4/users/:id/unblock': ({ ada }) => ({ token: admin, path: { id: String(ada.id) } }),
  'GET /api/v4/personal_access_tokens/self': ({ adaToken }) => ({ token: adaToken }),
  'DELETE /api/v4/personal_access_tokens/self': ({ server, ada }) => ({ token: tokenOf(server, ada) }),
  'POST /api/v4/users/:id/personal_access_tokens': ({ ada }) => ({
    token: admin,
    path: { id: String(ada.id) },
    params: { name: 'robot', scopes: ['read_user'] },
  }),
};
