import assert from 'node:assert/strict';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { ErrorEvent, EventData, ShownFrame } from '../../../src/contract/errorDetail.ts';
import { ReplaySession } from '../../../src/errorReplay/session.ts';

const FRAME: ShownFrame = {
  ...{ filename: 'app/ship.py', absPath: '/app/app/ship.py', module: 'app.ship', function: 'load', line: 10, column: null },
  ...{ inApp: true, code: [], variables: [], mapProblem: null, isMapDoubtful: false },
};
const DATA: EventData = {
  platform: 'python',
  exceptions: [
    {
      ...{ type: 'LoadFailed', value: 'cannot load', handled: false },
      frames: [
        {
          ...FRAME,
          variables: [
            { name: 'order', value: '{"id":7,"lines":[1,2]}', kind: 'json' },
            { name: 'self', value: '<Ship>', kind: 'json' },
          ],
        },
        { ...FRAME, function: 'call', filename: 'lib/http.py', absPath: null, inApp: false, line: 99 },
        {
          ...FRAME,
          function: 'main',
          filename: 'app/main.py',
          line: 3,
          code: [
            { line: 2, text: 'a' },
            { line: 3, text: 'b' },
          ],
        },
      ],
    },
    { type: 'ValueError', value: 'no crane', handled: true, frames: [{ ...FRAME, function: 'lift', line: 4 }] },
  ],
  ...{
    threads: [],
    message: null,
    user: [],
    request: null,
    contexts: [],
    extra: [],
    modules: [],
    serverName: 'quay-1',
    sdk: null,
  },
  breadcrumbs: [
    { at: 0, category: 'http', level: 'info', message: 'GET /crane', data: [{ name: 'status', value: '503', kind: 'json' }] },
    { at: 1_000, category: null, level: null, message: 'retry', data: [] },
  ],
  tags: [{ name: 'quay', value: 'north', kind: 'text' }],
};
const EVENT: ErrorEvent = {
  ...{ id: 'abc', occurredAt: 2_000, release: 'ship@1.0', environment: 'production', level: 'error', data: DATA },
};

describe('the replay of an error', () => {
  it('stops at the crash with the frames of the reported exception', async () => {
    const debug = await started();
    const [stop] = debug.stops;
    assert.deepEqual([stop?.reason, stop?.text], ['exception', 'LoadFailed: cannot load']);
    const frames = await debug.frames();
    assert.deepEqual(
      frames.map(({ name, line, source, presentationHint }) => [
        name,
        line,
        source?.path ?? source?.sourceReference,
        presentationHint,
      ]),
      [
        ['load', 12, '/home/ana/ship.py', undefined],
        ['call', 99, undefined, 'subtle'],
        ['main', 3, 1, undefined],
      ],
    );
    const { content } = await debug.request('source', { sourceReference: 1 });
    assert.equal(content, '\na\nb');
    const info = await debug.request('exceptionInfo', { threadId: 1 });
    assert.deepEqual([info.exceptionId, info.description], ['LoadFailed', 'LoadFailed: cannot load']);
  });

  it('returns a page of the stack', async () => {
    const debug = await started();
    const { stackFrames, totalFrames } = await debug.request('stackTrace', { threadId: 1, startFrame: 1, levels: 1 });
    assert.deepEqual([stackFrames.length, stackFrames[0]?.id, stackFrames[0]?.name, totalFrames], [1, 2, 'call', 3]);
  });

  it('shows a stack trace for frames without file and code', async () => {
    const frames = [
      { ...FRAME, filename: 'lib/a.rb', line: 7 },
      { ...FRAME, filename: null, absPath: null, line: null },
    ];
    const debug = await started({ ...EVENT, data: { ...DATA, exceptions: [{ type: 'E', value: null, handled: null, frames }] } });
    const shown = await debug.frames();
    assert.deepEqual(
      shown.map(({ name, line, source }) => [name, line, source?.name]),
      [
        ['load (lib/a.rb:7)', 1, 'Stack Trace'],
        ['load (app.ship)', 2, 'Stack Trace'],
      ],
    );
    const { content } = await debug.request('source', { sourceReference: shown[0]?.source?.sourceReference });
    assert.equal(content, 'load (lib/a.rb:7)\nload (app.ship)');
  });

  it('shows captured variables with their members, and the data of the event', async () => {
    const debug = await started();
    const { scopes } = await debug.request('scopes', { frameId: 1 });
    assert.deepEqual(
      scopes.map(({ name }) => name),
      ['Captured Variables', 'Event', 'Tags'],
    );
    const variables = await debug.variables(scopes[0]?.variablesReference);
    assert.deepEqual(
      variables.map(({ name, value }) => [name, value]),
      [
        ['order', '{id: 7, lines: […]}'],
        ['self', '<Ship>'],
      ],
    );
    const members = await debug.variables(variables[0]?.variablesReference);
    assert.deepEqual(
      members.map(({ name, value, variablesReference }) => [name, value, variablesReference > 0]),
      [
        ['id', '7', false],
        ['lines', '[1, 2]', true],
      ],
    );
    const lines = await debug.request('variables', {
      ...{ variablesReference: members[1]?.variablesReference, filter: 'indexed', start: 1, count: 1 },
    });
    assert.deepEqual(
      lines.variables.map(({ name, value }) => [name, value]),
      [['1', '2']],
    );
    const tags = await debug.variables(scopes[2]?.variablesReference);
    assert.deepEqual(
      tags.map(({ name, value }) => [name, value]),
      [['quay', 'north']],
    );
  });

  it('evaluates captured variables of the selected frame only', async () => {
    const debug = await started();
    const value = await debug.request('evaluate', { expression: 'order.lines[1]', frameId: 1, context: 'hover' });
    assert.deepEqual([value.result, value.type], ['2', 'number']);
    await assert.rejects(
      debug.request('evaluate', { expression: 'order', frameId: 3, context: 'watch' }),
      /Only captured variables/,
    );
    await assert.rejects(debug.request('evaluate', { expression: 'order.id = 1', frameId: 1 }), /Only captured variables/);
  });

  it('steps back through causes and breadcrumbs, and forward to the crash', async () => {
    const debug = await started();
    const texts: (string | undefined)[] = [];
    for (const command of ['stepBack', 'stepBack', 'stepBack', 'stepBack', 'next', 'continue', 'next', 'reverseContinue']) {
      await debug.request(command, { threadId: 1 });
      texts.push(debug.stops.at(-1)?.text);
    }
    const crumb = 'http: GET /crane';
    const crash = 'LoadFailed: cannot load';
    assert.deepEqual(texts, ['ValueError: no crane', 'retry', crumb, crumb, 'retry', crash, crash, crumb]);
    assert.match(debug.output, /This is the first breadcrumb.*\n.*This is where the program reported/s);
    const frames = await debug.frames();
    assert.deepEqual(
      frames.map(({ name, line }) => [name, line]),
      [[crumb, 1]],
    );
    const { scopes } = await debug.request('scopes', { frameId: 1 });
    const values = await debug.variables(scopes[0]?.variablesReference);
    assert.deepEqual(
      values.map(({ name, value }) => [name, value]),
      [
        ['category', 'http'],
        ['message', 'GET /crane'],
        ['level', 'info'],
        ['time', '1970-01-01T00:00:00.000Z'],
        ['status', '503'],
      ],
    );
  });

  it('says that breakpoints have no effect', async () => {
    const debug = await started();
    const { breakpoints } = await debug.request('setBreakpoints', { source: {}, breakpoints: [{ line: 1 }] });
    assert.deepEqual([breakpoints[0]?.verified, /have no effect/.test(breakpoints[0]?.message ?? '')], [false, true]);
  });

  for (const [title, data, text] of [
    ['a message without an exception', { ...DATA, exceptions: [], breadcrumbs: [], message: 'quay is full' }, 'quay is full'],
    [
      'a crashed thread',
      { ...DATA, exceptions: [], breadcrumbs: [], threads: [{ name: 'T', crashed: true, frames: [FRAME] }] },
      /no exception/,
    ],
    ['an event without data', null, /no longer stores/],
  ] as const) {
    it(`has one step for ${title}`, async () => {
      const debug = await started({ ...EVENT, data });
      assert.match(debug.stops[0]?.text ?? '', new RegExp(text));
      assert.equal((await debug.frames()).length, 1);
      await debug.request('stepBack', { threadId: 1 });
      assert.equal(debug.stops.length, 2);
    });
  }

  it('ends when the debugger asks for it, and leaves the process running', async () => {
    const debug = await started();
    await debug.request('terminate', {});
    assert.equal(debug.isTerminated, true);
    await debug.request('disconnect', {});
  });
});

interface Bodies {
  readonly stackTrace: DebugProtocol.StackTraceResponse['body'];
  readonly source: DebugProtocol.SourceResponse['body'];
  readonly exceptionInfo: DebugProtocol.ExceptionInfoResponse['body'];
  readonly scopes: DebugProtocol.ScopesResponse['body'];
  readonly variables: DebugProtocol.VariablesResponse['body'];
  readonly evaluate: DebugProtocol.EvaluateResponse['body'];
  readonly setBreakpoints: DebugProtocol.SetBreakpointsResponse['body'];
}

/** The side of the editor of a debug session. */
class Debug {
  readonly stops: DebugProtocol.StoppedEvent['body'][] = [];
  output = '';
  isTerminated = false;
  readonly #session: ReplaySession;
  readonly #waiting = new Map<number, (response: DebugProtocol.Response) => void>();
  #sequence = 0;

  constructor(event: ErrorEvent) {
    this.#session = new ReplaySession({
      title: 'LoadFailed',
      event,
      fileOf: async ({ filename }) => (filename === 'app/ship.py' ? { path: '/home/ana/ship.py', line: 12 } : undefined),
    });
    this.#session.onDidSendMessage((message) => this.#receive(message as DebugProtocol.Response | DebugProtocol.Event));
  }

  async request<C extends string>(command: C, values: object): Promise<C extends keyof Bodies ? Bodies[C] : unknown> {
    this.#sequence += 1;
    const { promise, resolve } = Promise.withResolvers<DebugProtocol.Response>();
    this.#waiting.set(this.#sequence, resolve);
    const request: DebugProtocol.Request = { seq: this.#sequence, type: 'request', command, arguments: values };
    this.#session.handleMessage(request);
    const response = await promise;
    if (!response.success) throw new Error(response.message);
    return response.body;
  }

  async frames(): Promise<DebugProtocol.StackFrame[]> {
    return (await this.request('stackTrace', { threadId: 1 })).stackFrames;
  }

  async variables(reference: number | undefined): Promise<DebugProtocol.Variable[]> {
    return (await this.request('variables', { variablesReference: reference })).variables;
  }

  #receive(message: DebugProtocol.Response | DebugProtocol.Event): void {
    if ('request_seq' in message) {
      this.#waiting.get(message.request_seq)?.(message);
      return;
    }
    if (message.event === 'stopped') this.stops.push(message.body);
    if (message.event === 'output') this.output += String(message.body.output);
    if (message.event === 'terminated') this.isTerminated = true;
  }
}

async function started(event: ErrorEvent = EVENT): Promise<Debug> {
  const debug = new Debug(event);
  await debug.request('initialize', { adapterID: 'signalbox', pathFormat: 'path' });
  await debug.request('launch', {});
  await debug.request('configurationDone', {});
  return debug;
}
