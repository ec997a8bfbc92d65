import assert from 'node:assert/strict';
import { trackedErrorDetail } from '../../../../server/features/errorTracking/api/errorResponses.ts';
import type { JsonObject } from '../../../../src/contract/json.ts';
import { PageClient, textOf } from '../../../support/pages.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { type TrackedProject, trackedProject } from '../senders.ts';

const thrown = (type: string, value: string, mechanism: JsonObject): JsonObject => ({
  type,
  value,
  mechanism: { type: 'chained', ...mechanism },
  stacktrace: { frames: [{ filename: `app/${type}.py`, function: 'work', in_app: true }] },
});

/** An exception group with another one in it, as sentry-sdk for Python sends it. */
const taskGroup: JsonObject = {
  platform: 'python',
  exception: {
    values: [
      thrown('OSError', 'no disk', { exception_id: 3, parent_id: 2, source: 'exceptions[0]' }),
      thrown('ExceptionGroup', 'inner', { exception_id: 2, parent_id: 0, source: 'exceptions[1]', is_exception_group: true }),
      thrown('KeyError', 'no key', { exception_id: 1, parent_id: 0, source: 'exceptions[0]' }),
      thrown('ExceptionGroup', 'outer', { exception_id: 0, is_exception_group: true }),
    ],
  },
};

const crash: JsonObject = {
  platform: 'native',
  exception: {
    values: [
      {
        type: 'SIGSEGV',
        value: 'Segmentation fault',
        mechanism: { type: 'signalhandler', synthetic: true, handled: false, meta: { signal: { number: 11, name: 'SIGSEGV' } } },
        stacktrace: {
          frames: [{ function: 'add', package: '/usr/lib/libshop.so', instruction_addr: '0x7f0010', symbol_addr: '0x7f0000' }],
        },
      },
    ],
  },
};

describe('errors with more than a chain of exceptions', () => {
  let server: TestServer;
  let project: TrackedProject;
  before(async () => {
    server = await startTestServer();
  });
  beforeEach(() => {
    project = trackedProject(server);
  });
  after(() => server.close());

  async function details() {
    const [error] = await project.errors();
    assert.ok(error);
    const path = `/api/v4/projects/${project.id}/error_tracking/errors/${error.fingerprint}`;
    const detail = trackedErrorDetail().parse((await server.request('GET', path, { token: project.owner.token })).json());
    const client = new PageClient(server);
    await client.signIn(project.owner.user.username);
    const page = await client.open(`/${project.path}/-/error_tracking/${error.fingerprint}/details`);
    return { detail, text: textOf(page.text) };
  }

  it('REST has the numbers and parents of exceptions, and the page shows them as a tree', async () => {
    await project.send(taskGroup);
    const { detail, text } = await details();
    assert.equal(detail.title, 'ExceptionGroup: outer');
    assert.deepEqual(
      detail.latest_event?.payload?.exceptions.map(({ mechanism }) => [
        mechanism?.exception_id,
        mechanism?.parent_id,
        mechanism?.source,
        mechanism?.is_exception_group,
      ]),
      [
        [3, 2, 'exceptions[0]', false],
        [2, 0, 'exceptions[1]', true],
        [1, 0, 'exceptions[0]', false],
        [0, null, null, true],
      ],
    );
    assert.equal(detail.grouping?.by, 'exception_group');
    assert.deepEqual(
      detail.grouping.members
        .map(({ exception_types: types, frames }) => [types, frames.map(({ place, use }) => [place, use])])
        .toSorted(),
      [
        [['KeyError'], [['app/keyerror.py', 'used']]],
        [['OSError'], [['app/oserror.py', 'used']]],
      ],
    );
    assert.match(
      text,
      /Exceptions\s+ExceptionGroup\s+outer\s+Member of the group\s+KeyError\s+no key\s+Member of the group\s+ExceptionGroup\s+inner\s+Member of the group\s+OSError\s+no disk/,
    );
    assert.match(text, /Grouped by the exceptions in the exception group/);
  });

  it('a native frame is shown with its package and address, and a crash is named by its signal', async () => {
    await project.send(crash);
    const { detail, text } = await details();
    assert.deepEqual([detail.title, detail.culprit], ['SIGSEGV: Segmentation fault', 'add (/usr/lib/libshop.so)']);
    const payload = detail.latest_event?.payload;
    assert.deepEqual(
      payload?.exceptions[0]?.frames.map((frame) => [frame.package, frame.instruction_addr, frame.symbol_addr]),
      [['/usr/lib/libshop.so', '0x7f0010', '0x7f0000']],
    );
    assert.equal(payload.exceptions[0]?.mechanism?.signal, 'SIGSEGV');
    assert.match(text, /\/usr\/lib\/libshop\.so\s+in\s+add\s+at\s+0x7f0010/);
  });

  it('tags and other data of a received event are the values of variables', async () => {
    const fingerprint = ['{{ tags.tenant }}', '{{ logger }}'];
    for (const [tenant, logger] of [
      ['a', 'mail'],
      ['b', 'mail'],
      ['b', 'shop'],
      ['a', 'mail'],
    ]) {
      await project.send({ message: 'x', tags: { tenant }, logger, fingerprint });
    }
    assert.deepEqual((await project.errors()).map(({ event_count: count }) => count).toSorted(), [1, 1, 2]);
  });

  it('unknown variables of a fingerprint are problems of the event, and their values explain the grouping', async () => {
    await project.send({ message: 'x', transaction: '/cart', fingerprint: ['{{ transaction }}', '{{ tenant }}'] });
    const { detail, text } = await details();
    assert.deepEqual(detail.latest_event?.payload?.problems, [
      { name: 'fingerprint[1]', type: 'invalid_data', value: '{{ tenant }}' },
    ]);
    assert.deepEqual(detail.grouping?.fingerprint, [{ text: '{{ transaction }}', is_default: false, value: '/cart' }]);
    assert.deepEqual(
      detail.grouping.left_out.map(({ name }) => name),
      ['everything_else', 'variable'],
    );
    assert.match(text, /\{\{ transaction \}\} = \/cart/);
  });
});
