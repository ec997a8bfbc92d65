import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { terminalEnvironment } from '../../../src/instances/terminalEnvironment.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The rules by which glab 1.79 determines, from its environment alone, where it sends API requests, and with which credentials. */
function glab(variables: Variables): { readonly host: string; readonly api: string; readonly header: string } {
  const first = (...names: readonly string[]): string =>
    names.map((name) => variables[name] ?? '').find((value) => value !== '') ?? '';
  // A host may be written as a URL; its scheme is not used for API requests.
  const given = first('GITLAB_HOST', 'GITLAB_URI', 'GL_HOST').toLowerCase();
  const host = given.replace(/^https?:\/\//, '').replace(/[:/]+$/, '') || 'gitlab.com';
  const protocol = first('API_PROTOCOL') || 'https';
  const apiHost = first('GITLAB_API_HOST') || host;
  const token = first('GITLAB_TOKEN', 'GITLAB_ACCESS_TOKEN', 'OAUTH_TOKEN');
  const job = first('JOB_TOKEN');
  const header =
    first('IS_OAUTH2') === 'true' ? 'the stored refresh token' : job !== '' ? `JOB-TOKEN: ${job}` : `PRIVATE-TOKEN: ${token}`;
  return { host, api: `${protocol}://${apiHost}/api/v4/`, header };
}

/** Variables of the machine that lead glab elsewhere. */
const INHERITED = {
  GITLAB_URI: 'https://other.example.com',
  GL_HOST: 'other.example.com',
  GITLAB_ACCESS_TOKEN: 'glpat-other',
  OAUTH_TOKEN: 'other',
  JOB_TOKEN: 'other-job',
  IS_OAUTH2: 'true',
};

describe('glab in a terminal for an instance', () => {
  const table = [
    ['http://127.0.0.1:4000', '127.0.0.1:4000', 'http://127.0.0.1:4000/api/v4/'],
    ['http://[::1]:4000', '[::1]:4000', 'http://[::1]:4000/api/v4/'],
    ['https://gitlab.example.com', 'gitlab.example.com', 'https://gitlab.example.com/api/v4/'],
    ['https://gitlab.example.com:8443', 'gitlab.example.com:8443', 'https://gitlab.example.com:8443/api/v4/'],
    ['https://example.com/platform', 'example.com', 'https://example.com/platform/api/v4/'],
    ['http://localhost:8080/deep/er', 'localhost:8080', 'http://localhost:8080/deep/er/api/v4/'],
  ] as const;

  for (const [address, host, api] of table) {
    it(`glab sends requests for ${address} to its API, with the personal access token of the terminal`, () => {
      const environment = terminalEnvironment(address, { accessToken: 'glpat-of-ana', isPersonal: true }, {});
      const given = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value ?? undefined]));
      assert.deepEqual(glab({ ...INHERITED, ...given }), { host, api, header: 'PRIVATE-TOKEN: glpat-of-ana' });
    });
  }

  it('glab versions that can send OAuth tokens are told that the token of the terminal is one', () => {
    const names = terminalEnvironment('https://gitlab.example.com', { accessToken: 'token-of-ana', isPersonal: false }, {});
    assert.deepEqual([names['GITLAB_TOKEN'], names['GLAB_IS_OAUTH2']], ['token-of-ana', 'true']);
  });
});
