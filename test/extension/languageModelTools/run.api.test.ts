import assert from 'node:assert/strict';
import { type Client, createClient } from '../../../src/api/client.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import type { Send } from '../../../src/api/transport.ts';
import { createResourceChoice } from '../../../src/errorTracking/sources.ts';
import { languageModelTools, type LanguageModelToolName } from '../../../src/ids.ts';
import { type ToolContext, tools } from '../../../src/languageModelTools/run.ts';
import { sleep } from '../../../src/support/sleep.ts';
import { errorEvent, type TrackedProject, trackedProject } from '../../server/errorTracking/senders.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Acts as an instance of GitLab, which does not have the local resource. */
const withoutResource: Send = async (request, signal) =>
  /\/error_tracking\/errors\b/.test(request.url)
    ? { status: 404, headers: new Map(), body: '{"error":"404 Not Found"}' }
    : sendByFetch(request, signal);

describe('the language model tools', () => {
  let server: TestServer;
  let project: TrackedProject;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());
  beforeEach(() => {
    project = trackedProject(server);
  });

  function clientBy(send: Send): Client {
    return createClient({
      ...{ baseUrl: server.origin, send, now: Date.now, sleep },
      credentials: { token: async () => project.owner.token, renewed: async () => undefined },
    });
  }

  function run(name: LanguageModelToolName, input: unknown, changed: Partial<ToolContext> = {}): Promise<string> {
    const context: ToolContext = {
      client: clientBy(sendByFetch),
      choice: createResourceChoice(),
      project: { id: project.id, path: project.path },
      codeOf: async () => undefined,
      now: () => new Date(),
      ...changed,
    };
    return tools[name](context, input, new AbortController().signal);
  }

  async function idOfFirst(changed: Partial<ToolContext> = {}): Promise<string> {
    const [, id] = /^- id (\d+): /m.exec(await run(languageModelTools.listErrors, {}, changed)) ?? [];
    assert.ok(id);
    return id;
  }

  for (const [way, send] of [
    ['the REST resource', sendByFetch],
    ['GraphQL', withoutResource],
  ] as const) {
    it(`list errors and return one with its stack, by ${way}`, async () => {
      await project.send(errorEvent('load', { release: 'ship@1.0' }));
      const changed = { client: clientBy(send) };
      const list = await run(languageModelTools.listErrors, {}, changed);
      assert.match(list, /ValueError: cannot load.*\(unresolved; 1 events, /);
      assert.match(list, /Treat them as data/);
      const text = await run(languageModelTools.showError, { id: await idOfFirst(changed) }, changed);
      assert.match(text, /at load \(app\/ship\.py:10\)\n {4}at main \(app\/main\.py:3\)/);
      assert.match(text, /> 10 {5}raise ValueError\(\)/);
      assert.match(text, /- First release: ship@1\.0/);
    });
  }

  it('return the code of the workspace around the frames of the application', async () => {
    await project.send(errorEvent('load'));
    const text = await run(
      languageModelTools.showError,
      { id: await idOfFirst() },
      {
        codeOf: async ({ path }, { filename, line }) =>
          path === project.path && filename === 'app/main.py' && line !== null
            ? { file: 'src/app/main.py', line, code: { kind: 'code', lines: [{ line, text: 'ship.load()' }] } }
            : undefined,
      },
    );
    assert.match(text, /src\/app\/main\.py:3 \(in the workspace, which may have changed since\):\n> 3 ship\.load\(\)/);
  });

  it('say why the code of a frame is left out', async () => {
    await project.send(errorEvent('load'));
    const codeOf: ToolContext['codeOf'] = async (_project, { line }) =>
      line === 3 ? { file: '.env', line, code: { kind: 'leftOut', because: 'git ignores the file' } } : undefined;
    const text = await run(languageModelTools.showError, { id: await idOfFirst() }, { codeOf });
    assert.match(text, /^\.env:3 \(in the workspace.*\):\nThe line is left out, because git ignores the file\.$/m);
  });

  it('leave out variables, users and requests, which may hold secrets', async () => {
    const event = errorEvent('load', {
      user: { email: 'ana@example.test' },
      request: { url: 'https://ship.test/?token=swordfish', headers: { Cookie: 'sid=swordfish' } },
      extra: { password: 'swordfish' },
    });
    await project.send(event);
    const text = await run(languageModelTools.showError, { id: await idOfFirst() });
    assert.doesNotMatch(text, /swordfish|ana@example/);
  });

  it('explain why events are grouped', async () => {
    await project.send(errorEvent('load'));
    const text = await run(languageModelTools.explainGrouping, { id: await idOfFirst() });
    assert.match(text, /Events belong to error \d+ \(ValueError: cannot load\) if these parts are equal/);
    assert.match(text, /^- .+$/m);
  });

  it('list activity of the user and of a project', async () => {
    const response = await fetch(`${server.origin}/api/v4/projects/${project.id}/issues?title=Relay%20flickers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${project.owner.token}` },
    });
    assert.equal(response.status, 201);
    for (const input of [{}, { scope: 'project' }, { scope: 'project', project: project.path }])
      assert.match(await run(languageModelTools.listActivity, input), /opened #1 Relay flickers/i);
  });

  it('say which project or error does not exist, and ask for a project if none is selected', async () => {
    await assert.rejects(run(languageModelTools.listErrors, { project: 'no/such' }), /not found/);
    await assert.rejects(run(languageModelTools.showError, { id: '999999999' }), /not found/);
    await assert.rejects(run(languageModelTools.listErrors, {}, { project: undefined }), /Pass the full path of a project/);
  });
});
