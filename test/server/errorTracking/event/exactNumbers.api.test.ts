import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { type TrackedProject, trackedProject } from '../senders.ts';

interface Named {
  readonly name: string;
  readonly value: string;
}
interface Shown {
  readonly user_count: number;
  readonly title: string;
  readonly latest_event: {
    readonly occurred_at: string;
    readonly payload: {
      readonly user: Readonly<Record<string, string | null>>;
      readonly tags: readonly { readonly key: string; readonly value: string }[];
      readonly contexts: readonly Named[];
      readonly extra: readonly Named[];
      readonly exceptions: readonly { readonly value: string; readonly frames: readonly { readonly vars: readonly Named[] }[] }[];
      readonly breadcrumbs: readonly { readonly message: string; readonly data: readonly Named[] }[];
      readonly request: { readonly data: string };
      readonly problems: readonly object[];
    };
  };
}

/** Digits of numbers that a double cannot hold. */
const [ONE, TWO, THREE] = ['1234567890123456789', '1234567890123456788', '1234567890123456700'];
/** Passes the check of card numbers, and has the prefix and length of one. */
const CARD_LIKE = '6212345678900000003';

describe('numbers of events that a double cannot hold', () => {
  let server: TestServer;
  let project: TrackedProject;
  beforeEach(async () => {
    server = await startTestServer();
    project = trackedProject(server);
  });
  afterEach(() => server.close());

  /** Sends JSON as it is written. */
  async function send(json: string): Promise<void> {
    const response = await project.post('store', json);
    assert.equal(response.status, 200, response.text);
  }

  async function shown(): Promise<Shown> {
    const [error] = await project.errors();
    const path = `/api/v4/projects/${project.id}/error_tracking/errors/${error?.fingerprint}`;
    return (await server.request('GET', path, { token: project.owner.token })).json() as Shown;
  }

  it('users with 64-bit IDs are different users, and their IDs and tags are shown as sent', async () => {
    for (const id of [ONE, TWO, THREE]) await send(`{"message":"m","user":{"id":${id}},"tags":{"guild":${id}}}`);
    const { user_count: users, latest_event: latest } = await shown();
    assert.deepEqual([users, latest.payload.user['id'], latest.payload.tags], [3, THREE, [{ key: 'guild', value: THREE }]]);
  });

  for (const [name, isScrubbed] of [
    ['stored as received', false],
    ['stored without their secrets', true],
  ] as const) {
    it(`values of events that are ${name} have all digits`, async () => {
      const secret = isScrubbed ? ',"password":"hunter2"' : '';
      await send(`{"platform":"python","user":{"username":${ONE}},
        "exception":{"values":[{"type":"E","value":${TWO},"stacktrace":{"frames":[{"filename":"a.py","vars":{"n":${ONE},"list":[${TWO},1.5]}}]}}]},
        "breadcrumbs":[{"message":${ONE},"data":{"id":${TWO}}}],"request":{"url":"http://a.example/","data":{"order":${ONE}}},
        "contexts":{"order":{"id":${ONE},"huge":1e400}},"extra":{"id":${THREE},"small":7,"decimal":0.12345678901234567890${secret}}}`);
      const { title, latest_event: latest } = await shown();
      const { user, exceptions, breadcrumbs, request, contexts, extra } = latest.payload;
      assert.deepEqual([title, user['username'], exceptions[0]?.value], [`E: ${TWO}`, ONE, TWO]);
      assert.deepEqual(exceptions[0]?.frames[0]?.vars, [
        { name: 'n', value: ONE },
        { name: 'list', value: `[${TWO},1.5]` },
      ]);
      assert.deepEqual(breadcrumbs[0], { ...breadcrumbs[0], message: ONE, data: [{ name: 'id', value: TWO }] });
      assert.equal(request.data, `{"order":${ONE}}`);
      assert.deepEqual(contexts, [{ name: 'order', value: `{"id":${ONE},"huge":1e400}` }]);
      assert.deepEqual(extra.slice(0, 3), [
        { name: 'id', value: THREE },
        { name: 'small', value: '7' },
        { name: 'decimal', value: '0.12345678901234567890' },
      ]);
    });
  }

  it('a message that is a number, and parameters of one, have all digits', async () => {
    await send(`{"logentry":{"message":"order %s failed","params":[${ONE}]}}`);
    assert.equal((await shown()).title, `order ${ONE} failed`);
    await send(`{"message":${TWO}}`);
    assert.equal(
      (await project.errors()).some(({ title }) => title === TWO),
      true,
    );
  });

  it('a number is no card number, whatever its digits', async () => {
    await send(`{"message":"m","extra":{"id":${CARD_LIKE}},"contexts":{"trace":{"span":${CARD_LIKE}}}}`);
    const { extra, contexts } = (await shown()).latest_event.payload;
    assert.deepEqual(
      [...extra, ...contexts].map(({ value }) => value),
      [CARD_LIKE, `{"span":${CARD_LIKE}}`],
    );
  });

  it('times with nanoseconds are times', async () => {
    const seconds = Math.floor(Date.now() / 1000) - 60;
    await send(`{"message":"m","timestamp":${seconds}.123456789}`);
    const { occurred_at: at, payload } = (await shown()).latest_event;
    assert.deepEqual([Date.parse(at), payload.problems], [seconds * 1000 + 123, []]);
  });

  it('users of sessions with 64-bit IDs are different users', async () => {
    const session = (id: string, did: string): string =>
      `{"sid":"${id.repeat(32)}","did":${did},"init":true,"status":"ok","started":"${new Date().toISOString()}","attrs":{"release":"a@1"}}`;
    const lines = [ONE, TWO].map((did, index) => `{"type":"session"}\n${session(String(index + 1), did)}`);
    assert.equal((await project.post('envelope', `{}\n${lines.join('\n')}\n`)).status, 200);
    const path = `/api/v4/projects/${project.id}/error_tracking/releases`;
    const [release] = (await server.request('GET', path, { token: project.owner.token })).json() as {
      readonly users: { readonly total: number };
    }[];
    assert.equal(release?.users.total, 2);
  });
});
