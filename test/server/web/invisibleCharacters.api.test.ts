import assert from 'node:assert/strict';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { PageClient } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const BRANCH = 'main\u202eniam';
const TAG = 'v1\u200b';
const FILE = 'read\u2066me.txt';
const TITLE = 'Swap \u202dthe lamps';

const SHOWN_BRANCH = 'main⟦U+202E⟧niam';
const SHOWN_TAG = 'v1⟦U+200B⟧';
const SHOWN_FILE = 'read⟦U+2066⟧me.txt';
const SHOWN_TITLE = 'Swap ⟦U+202D⟧the lamps';

/** Characters of the names above. */
const INVISIBLE = /[\u200b\u202d\u202e\u2066]/u;

describe('names with invisible characters', () => {
  let server: TestServer;
  let owner: Actor;
  let found: FoundProject;
  let browser: PageClient;
  const numbers = { commit: '', pipeline: 0, job: 0, mergeRequest: 0, issue: 0 };

  const call = async (method: string, path: string, json: object): Promise<Readonly<Record<string, unknown>>> => {
    const response = await server.request(method, `/api/v4/projects/${found.project.id}${path}`, { token: owner.token, json });
    assert.equal(response.status, 201, `${method} ${path}: ${response.text}`);
    return Object(response.json());
  };

  before(async () => {
    server = await startTestServer();
    owner = actor(server.platform, 'owner');
    found = projectWith(server.platform, owner, { name: 'Lamps', visibility: 'public' });
    await commitFiles(server.platform, found, owner, { 'README.md': '# Lamps' });
    numbers.commit = await commitFiles(
      server.platform,
      found,
      owner,
      { [FILE]: 'red \u202elamp' },
      { branch: BRANCH, startBranch: 'main', message: TITLE },
    );
    await call('POST', '/repository/tags', { tag_name: TAG, ref: BRANCH });
    await call('POST', '/releases', { tag_name: TAG, name: TITLE, description: 'first' });
    numbers.issue = Number((await call('POST', '/issues', { title: TITLE }))['iid']);
    const opened = await call('POST', '/merge_requests', { source_branch: BRANCH, target_branch: 'main', title: TITLE });
    numbers.mergeRequest = Number(opened['iid']);
    numbers.pipeline = Number((await call('POST', '/pipeline', { ref: BRANCH }))['id']);
    numbers.job = Number((await call('POST', `/pipelines/${numbers.pipeline}/jobs`, { name: 'lint' }))['id']);
    browser = new PageClient(server);
    await browser.signIn('owner');
  });
  after(() => server.close());

  const branch = encodeURIComponent(BRANCH);
  const tag = encodeURIComponent(TAG);
  for (const [page, address, shown] of [
    ['the list of branches', () => '/-/branches', [SHOWN_BRANCH, SHOWN_TITLE]],
    ['the list of tags', () => '/-/tags', [SHOWN_TAG]],
    ['the files of a branch', () => `/-/tree/${branch}`, [SHOWN_BRANCH, SHOWN_FILE]],
    ['the files of a tag', () => `/-/tree/${tag}`, [SHOWN_TAG, SHOWN_FILE]],
    ['a file', () => `/-/blob/${branch}/${encodeURIComponent(FILE)}`, [SHOWN_FILE, 'red ⟦U+202E⟧lamp']],
    ['the history of a branch', () => `/-/commits/${branch}`, [SHOWN_BRANCH, SHOWN_TITLE]],
    ['the history of a tag', () => `/-/commits/${tag}`, [SHOWN_TAG, SHOWN_TITLE]],
    ['a commit', () => `/-/commit/${numbers.commit}`, [SHOWN_TITLE, SHOWN_FILE, 'red ⟦U+202E⟧lamp']],
    ['a comparison', () => `/-/compare/main...${branch}`, [SHOWN_BRANCH, SHOWN_TITLE, SHOWN_FILE]],
    ['the list of releases', () => '/-/releases', [SHOWN_TAG, SHOWN_TITLE]],
    ['a release', () => `/-/releases/${tag}`, [SHOWN_TAG, SHOWN_TITLE]],
    ['the list of merge requests', () => '/-/merge_requests', [SHOWN_TITLE]],
    ['a merge request', () => `/-/merge_requests/${numbers.mergeRequest}`, [SHOWN_BRANCH, SHOWN_TITLE, SHOWN_FILE]],
    ['an issue', () => `/-/issues/${numbers.issue}`, [SHOWN_TITLE]],
    ['a pipeline', () => `/-/pipelines/${numbers.pipeline}`, [SHOWN_BRANCH]],
    ['a job', () => `/-/jobs/${numbers.job}`, [SHOWN_BRANCH]],
  ] as const) {
    it(`names show invisible characters on ${page}`, async () => {
      const response = await browser.open(`/owner/lamps${address()}`);
      assert.equal(response.status, 200, response.text);
      for (const text of shown) assert.ok(response.text.includes(text), `${text} is missing in ${response.text}`);
      assert.doesNotMatch(response.text, INVISIBLE);
    });
  }

  it('names show invisible characters on the profile page and in its activity', async () => {
    const { text } = await browser.open('/owner');
    for (const shown of [SHOWN_BRANCH, SHOWN_TAG, SHOWN_TITLE]) assert.ok(text.includes(shown), `${shown} is missing in ${text}`);
    assert.doesNotMatch(text, INVISIBLE);
  });

  it('names in links keep invisible characters, so that the links work', async () => {
    const list = await browser.open('/owner/lamps/-/branches');
    const [, href = ''] = /href="([^"]*main%E2%80%AEniam)"/.exec(list.text) ?? [];
    assert.equal((await browser.open(href)).status, 200);
  });

  it('names in the API keep invisible characters', async () => {
    const response = await server.request('GET', `/api/v4/projects/${found.project.id}/repository/branches/${branch}`, {
      token: owner.token,
    });
    assert.equal(Object(response.json())['name'], BRANCH);
  });

  it('texts keep the invisible characters that languages need', async () => {
    const body = 'שלום\u200f! Fine 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}, but not \u202ethis or `co\u200bde`.';
    await call('POST', `/issues/${numbers.issue}/notes`, { body });
    const { text } = await browser.open(`/owner/lamps/-/issues/${numbers.issue}`);
    assert.match(text, /שלום&#x200f;! Fine 🏴&#xe0067;/u);
    assert.match(text, /but not ⟦U\+202E⟧this or <code>co⟦U\+200B⟧de<\/code>/);
  });
});
