import assert from 'node:assert/strict';
import { type RecordedStatement, recordStatements } from '../../bench/recordStatements.ts';
import { startTestServer, type TestRequest, type TestResponse, type TestServer } from '../../support/server.ts';
import { decideAll } from '../../../server/features/notifications/work.ts';
import { issuesNamed, MAX_NAMED_ISSUES } from '../../../server/features/mergeRequests/rules.ts';
import { identText } from '../../../server/repositories/names.ts';
import { taskCounts } from '../../../server/features/issues/rules.ts';
import { namedPeople, splitQuickActions } from '../../../server/features/notes/quickActions.ts';
import { pathFromName } from '../../../server/features/projects/rules.ts';

const LONG = 900_000;
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=b' };

const fieldsOf = (count: number): string => Array.from({ length: count }, (_, index) => `f${index}=1`).join('&');
const membersOf = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1]));
const partsOf = (count: number): string =>
  `${Array.from({ length: count }, (_, index) => `--b\r\nContent-Disposition: form-data; name="f${index}"\r\n\r\n1\r\n`).join('')}--b--\r\n`;
const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
const labelsOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `label ${index}`);
const numbersOf = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('long bodies', () => {
  let server: TestServer;
  let api: string;
  let projects = 0;
  before(async () => {
    server = await startTestServer();
  });
  beforeEach(async () => {
    projects += 1;
    const json = { name: `Lamps ${projects}` };
    const project = await server.request('POST', '/api/v4/projects', { token: server.adminToken, json });
    api = `/api/v4/projects/${(project.json() as { readonly id: number }).id}`;
    await server.request('POST', `${api}/issues`, { token: server.adminToken, json: { title: 'Lamp 7 stays dark' } });
  });
  after(() => server.close());

  const asAdmin = async (method: string, path: string, more: TestRequest) =>
    server.request(method, `${api}${path}`, { token: server.adminToken, ...more });
  const refusal = async (
    response: Promise<{ readonly status: number; json(): unknown }>,
  ): Promise<readonly [number, unknown]> => {
    const { status, json } = await response;
    return [status, json()];
  };
  const note = (json: object) => asAdmin('POST', '/issues/1/notes', { json });

  describe('with a limit', () => {
    for (const [name, send, text] of [
      [
        'too many fields of a form are refused',
        () => asAdmin('POST', '/issues', { form: `title=a&${fieldsOf(4096)}` }),
        'A form may have at most 4096 parameters.',
      ],
      [
        'too many members of a JSON object are refused',
        () => note({ body: 'a', ...membersOf(4096) }),
        'A JSON object may have at most 4096 members.',
      ],
      [
        'too many levels of JSON are refused',
        () => note({ body: 'a', more: nested(100) }),
        'JSON is read to a depth of 100 levels.',
      ],
      [
        'too many values in JSON are refused',
        () => note({ body: 'a', more: Array.from({ length: 100_001 }, () => 1) }),
        'A JSON body may hold at most 100000 values.',
      ],
      [
        'too many values of a list are refused',
        () => asAdmin('PUT', '/issues/1', { json: { labels: labelsOf(5001) } }),
        'labels has too many values (maximum is 5000)',
      ],
      [
        'too many values in a comma-separated list are refused',
        () => asAdmin('PUT', '/issues/1', { json: { labels: 'a,'.repeat(5001) } }),
        'labels has too many values (maximum is 5000)',
      ],
    ] as const) {
      it(name, async () => {
        assert.deepEqual(await refusal(send()), [400, { error: text }]);
      });
    }

    it('too many parts of a multipart form are refused', async () => {
      const response = await fetch(`${server.origin}${api}/issues`, {
        method: 'POST',
        headers: { ...MULTIPART, 'PRIVATE-TOKEN': server.adminToken },
        body: partsOf(4097),
      });
      assert.deepEqual([response.status, await response.json()], [400, { error: 'A form may have at most 4096 parameters.' }]);
    });

    it('too many headers of one part of a multipart form are refused', async () => {
      const response = await fetch(`${server.origin}${api}/issues`, {
        method: 'POST',
        headers: { ...MULTIPART, 'PRIVATE-TOKEN': server.adminToken },
        body: `--b\r\n${'X-More: 1\r\n'.repeat(2000)}Content-Disposition: form-data; name="title"\r\n\r\na\r\n--b--\r\n`,
      });
      const text = 'The headers of a part of a form may have at most 16384 bytes.';
      assert.deepEqual([response.status, await response.json()], [400, { error: text }]);
    });

    it('too many actions of a commit are refused, and no branch is created', async () => {
      const actionsOf = (count: number) =>
        Array.from({ length: count }, (_, index) => ({ action: 'create', file_path: `f${index}`, content: 'a' }));
      const commit = { branch: 'main', commit_message: 'Add', actions: actionsOf(5001) };
      const response = await refusal(asAdmin('POST', '/repository/commits', { json: commit }));
      assert.deepEqual(response, [400, { error: 'actions has too many values (maximum is 5000)' }]);
      const branches = await asAdmin('GET', '/repository/branches', {});
      assert.deepEqual(branches.json(), []);
    });

    it('too many files of a snippet are refused', async () => {
      const files = Array.from({ length: 1001 }, (_, index) => ({ file_path: `f${index}`, content: 'a' }));
      const json = { title: 'Lamps', files };
      const response = await refusal(server.request('POST', '/api/v4/snippets', { token: server.adminToken, json }));
      assert.deepEqual(response, [400, { error: 'files has too many values (maximum is 1000)' }]);
    });

    it('too many labels of one issue are refused, and none is created', async () => {
      const response = await refusal(asAdmin('PUT', '/issues/1', { json: { add_labels: labelsOf(1001) } }));
      assert.deepEqual(response, [400, { message: { labels: ['are too many (maximum is 1000 labels)'] } }]);
      const labels = await asAdmin('GET', '/labels', {});
      assert.deepEqual(labels.json(), []);
    });

    it('too many assignees of one issue are refused', async () => {
      const response = await refusal(asAdmin('PUT', '/issues/1', { json: { assignee_ids: numbersOf(201) } }));
      assert.deepEqual(response, [400, { message: { assignees: ['total must be less than or equal to 200'] } }]);
    });

    it('too many quick actions of one comment are refused, and none is run', async () => {
      const response = await refusal(note({ body: `${'/label ~a\n'.repeat(100)}/close` }));
      assert.deepEqual(response, [400, { message: '400 Bad request - A comment can have at most 100 quick actions' }]);
      const issue = await asAdmin('GET', '/issues/1', {});
      assert.partialDeepStrictEqual(issue.json(), { state: 'opened', labels: [] });
    });
  });

  describe('up to the limit', () => {
    it('a multipart form whose texts look like long headers is read', async () => {
      const response = await fetch(`${server.origin}${api}/issues`, {
        method: 'POST',
        headers: { ...MULTIPART, 'PRIVATE-TOKEN': server.adminToken },
        body: `--b\r\nContent-Disposition: form-data; name="title"\r\n\r\na\r\n--b\r\nContent-Disposition: form-data; name="description"\r\n\r\n${'X-More: 1\r\n'.repeat(2000)}--b--\r\n`,
      });
      assert.equal(response.status, 201, await response.text());
    });

    it('a form with the maximum number of fields is read', async () => {
      const response = await asAdmin('POST', '/issues', { form: `title=a&${fieldsOf(4095)}` });
      assert.equal(response.status, 201, response.text);
    });

    it('JSON with the maximum number of members, values and levels is read', async () => {
      const more = { ...membersOf(4000), deep: nested(99), list: Array.from({ length: 90_000 }, () => 1) };
      const response = await note({ body: 'brackets in a text do not count: [[[[ {{{{ \\" ', ...more });
      assert.equal(response.status, 201, response.text);
    });

    it('a long JSON text with quotes and backslashes is read', async () => {
      const body = '"\\[:,'.repeat(60_000);
      const response = await note({ body });
      assert.equal(response.status, 201, response.text.slice(0, 200));
      assert.partialDeepStrictEqual(response.json(), { body });
    });

    it('a comment with the maximum number of quick actions is read', async () => {
      const response = await note({ body: `${'/label ~a\n'.repeat(50)}${'/unlabel ~a\n/label ~b\n'.repeat(25)}` });
      assert.equal(response.status, 202, response.text);
      const issue = await asAdmin('GET', '/issues/1', {});
      assert.partialDeepStrictEqual(issue.json(), { labels: ['b'] });
    });
  });

  describe('without valid credentials', () => {
    const BROKEN = `{"body": ${'['.repeat(70_000)}`;
    const json = { 'Content-Type': 'application/json' };
    const post = (headers: Readonly<Record<string, string>>, body: string) =>
      fetch(`${server.origin}${api}/issues/1/notes`, { method: 'POST', headers, body });

    it('a long body without credentials is not parsed', async () => {
      const response = await post(json, BROKEN);
      assert.deepEqual([response.status, await response.json()], [401, { message: '401 Unauthorized' }]);
    });

    it('a long body with invalid credentials is not parsed', async () => {
      const response = await post({ ...json, 'PRIVATE-TOKEN': 'glpat-nobody-has-this-token' }, BROKEN);
      assert.equal(response.status, 401);
    });

    it('a long body that contains its credentials is parsed', async () => {
      const response = await post(FORM, `private_token=${server.adminToken}&body=${'a'.repeat(70_000)}`);
      assert.equal(response.status, 201, await response.text());
    });
  });

  describe('with linear cost', () => {
    /**
     * Returns the SQL statements that a comment runs. The first comment runs some that later ones do not need. Those that look for pending
     * notifications run at any time.
     */
    const statementsOf = async (
      body: string,
    ): Promise<{ readonly response: TestResponse; readonly statements: readonly RecordedStatement[] }> => {
      decideAll(server.platform);
      const { response, statements } = await recordStatements(server.platform.store, () => note({ body }));
      return { response, statements: statements.filter(({ sql }) => !sql.includes('notification_events')) };
    };

    it('none of 65,000 quick actions of a comment is looked up', async () => {
      const { response, statements } = await statementsOf('/assign @ada\n'.repeat(65_000));
      assert.equal(response.status, 400, response.text);
      assert.ok(statements.length < 50, `${statements.length} statements were run`);
    });

    it('quick actions run the same queries however often a label is named', async () => {
      await statementsOf('/label ~c');
      const { statements: few } = await statementsOf('/label ~c\n'.repeat(10));
      const { statements: many } = await statementsOf('/label ~c\n'.repeat(100));
      assert.equal(many.length, few.length);
    });

    it('a quick action that names too many users looks up none of them', async () => {
      await statementsOf('/assign @somebody');
      const { statements: few } = await statementsOf(`/assign ${'@somebody '.repeat(201)}`);
      const { statements: many } = await statementsOf(`/assign ${'@somebody '.repeat(5000)}`);
      assert.equal(many.length, few.length);
    });

    // A regular expression with quadratic running time would need hours for these.
    for (const [name, read] of [
      ['tasks are found in many empty lines in linear time', () => taskCounts('\n'.repeat(LONG))],
      ['tasks are found in many spaces in linear time', () => taskCounts(`${' '.repeat(LONG)}a`)],
      ['mentioned issues are found in many dashes in linear time', () => issuesNamed([`${'-'.repeat(LONG)} `])],
      ['mentioned issues are found in many dots in linear time', () => issuesNamed([`closes ${'a.'.repeat(LONG / 2)}`])],
      ['mentioned users are found in many dots in linear time', () => namedPeople(`@a${'.'.repeat(LONG)}a`, 1)],
      [
        'a quick action with many spaces is parsed in linear time',
        () => splitQuickActions(`/label a${' '.repeat(LONG)}a`, ['label']),
      ],
      ['an author name with many spaces is cleaned in linear time', () => identText(`a${' '.repeat(LONG)}a`, '')],
      ['a project name with many dots is converted in linear time', () => pathFromName(`a${'.'.repeat(LONG)}a`)],
    ] as const) {
      it(name, () => {
        assert.doesNotThrow(read);
      });
    }

    it('a query of many question marks is masked in linear time', async () => {
      const response = await server.request('GET', `/api/v4/version?a=${'?'.repeat(7000)}`, { token: server.adminToken });
      assert.equal(response.status, 200, response.text);
    });

    it('a page with many form fields is read in linear time', async () => {
      const response = await server.request('POST', '/users/sign_in', { form: fieldsOf(8000) });
      assert.equal(response.status, 403);
    });

    it('an absurdly long time is parsed in linear time', async () => {
      const response = await asAdmin('POST', '/issues/1/time_estimate', { json: { duration: '1h'.repeat(200) } });
      assert.equal(response.status, 400);
    });

    it('the number of issues that a text can mention is limited', () => {
      const text = Array.from({ length: 2 * MAX_NAMED_ISSUES }, (_, index) => `#${index + 1}`).join(' ');
      assert.equal(issuesNamed([text]).length, MAX_NAMED_ISSUES);
    });
  });
});
