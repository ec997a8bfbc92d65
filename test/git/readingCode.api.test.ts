import assert from 'node:assert/strict';
import { commitFiles } from './repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { ledger } from '../../server/app.ts';
import { PageClient } from '../support/pages.ts';

/** Texts that stand in the repository only. None of them may reach somebody who may not read the code. */
const contents = {
  title: 'quenchlamptitle',
  message: 'quenchlampmessage',
  file: 'quenchlampfile',
  text: 'quenchlamptext',
  address: 'quenchlampauthor',
};

describe('contents of a repository', () => {
  let server: TestServer;
  let owner: Actor;
  let guest: Actor;
  let externalGuest: Actor;
  let outsider: Actor;
  let values: Readonly<Record<string, string>>;

  const call = async (method: string, path: string, who: Actor, json?: object): Promise<unknown> => {
    const response = await server.request(method, `/api/v4/projects/${values['id']}${path}`, {
      token: who.token,
      ...(json === undefined ? {} : { json }),
    });
    assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${response.text}`);
    return response.text === '' ? undefined : response.json();
  };
  const numberIn = (value: unknown, member: string): string => String(Object(value)[member]);

  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    owner = actor(platform, contents.address);
    guest = actor(platform, 'guest');
    externalGuest = actor(platform, 'external', { external: true });
    outsider = actor(platform, 'outsider', { external: true });
    const found = projectWith(platform, owner, { name: 'Lamps', visibility: 'private' }, [
      [guest, 10],
      [externalGuest, 10],
    ]);
    values = { id: String(found.project.id), project_id: String(found.project.id) };
    const message = `${contents.title}\n\n${contents.message}`;
    await commitFiles(platform, found, owner, { [contents.file]: contents.text }, { message });
    await commitFiles(
      platform,
      found,
      owner,
      { [`${contents.file}2`]: contents.text },
      { message, branch: 'feature', startBranch: 'main' },
    );
    const commits = await call('GET', '/repository/commits', owner);
    assert.ok(Array.isArray(commits));
    const sha = numberIn(commits[0], 'id');
    const pipeline = await call('POST', '/pipelines', owner, { ref: 'main' });
    const job = await call('POST', `/pipelines/${numberIn(pipeline, 'id')}/jobs`, owner, { name: 'lint' });
    await call('POST', '/repository/tags', owner, { tag_name: 'v1', ref: 'main' });
    await call('POST', '/releases', owner, { tag_name: 'v1', name: 'One' });
    const issue = await call('POST', '/issues', owner, { title: 'An issue' });
    const note = await call('POST', `/issues/${numberIn(issue, 'iid')}/notes`, owner, { body: 'A note' });
    const opened = await call('POST', '/merge_requests', owner, {
      source_branch: 'feature',
      target_branch: 'main',
      title: `${contents.title} request`,
      description: `Closes #${numberIn(issue, 'iid')}`,
    });
    const versions = await call('GET', `/merge_requests/${numberIn(opened, 'iid')}/versions`, owner);
    assert.ok(Array.isArray(versions));
    values = {
      ...values,
      sha,
      pipeline_id: numberIn(pipeline, 'id'),
      job_id: numberIn(job, 'id'),
      tag_name: 'v1',
      branch: 'feature',
      ref: 'main',
      file_path: contents.file,
      issue_iid: numberIn(issue, 'iid'),
      note_id: numberIn(note, 'id'),
      merge_request_iid: numberIn(opened, 'iid'),
      version_id: numberIn(versions[0], 'id'),
      user_id: String(owner.user.id),
      full_path: found.project.full_path,
      username: owner.user.username,
      rest: 'v1',
    };
  });
  after(() => server.close());

  /** Every address of the ledger that can be filled in from the values, with the query parameters that these routes demand. */
  const addresses = (): readonly string[] => {
    const query = `ref=main&sha=${values['sha']}&from=main&to=feature&refs[]=main&refs[]=feature&path=${contents.file}&target_type=`;
    return ledger(server.platform)
      .filter(({ method, area, path }) => method === 'GET' && (area === 'api' || area === 'page') && /[:*]/.test(path))
      .map(({ path }) =>
        path.replaceAll(
          /[:*](\w+)/g,
          (whole, name: string) =>
            (name === 'full_path' ? values[name] : values[name] && encodeURIComponent(values[name])) ?? whole,
        ),
      )
      .filter((path) => !/[:*]/.test(path))
      .map((path) => (path.includes('/repository/') || path.endsWith('/jobs') ? `${path}?${query}` : path));
  };

  /** Where the texts are shown to somebody: `ADDRESS: PART` for each. Pages are asked for with a session, the rest with a token. */
  const leaks = async (who: Actor | undefined): Promise<string[]> => {
    const found: string[] = [];
    const browser = new PageClient(server);
    if (who !== undefined) await browser.signIn(who.user.username);
    for (const address of addresses()) {
      const response = address.startsWith('/api/')
        ? await server.request('GET', address, who === undefined ? {} : { token: who.token })
        : await browser.open(address);
      const parts = Object.entries(contents).filter(([, text]) => {
        // Callers may know the name of the owner and of their project, but not the address with which they commit.
        const searched = text === contents.address ? `${text}@example.com` : text;
        return response.text.includes(searched);
      });
      for (const [part] of parts) found.push(`${address}: ${part}`);
    }
    return found;
  };

  it('are in many answers for the owner', async () => {
    const shown = await leaks(owner);
    for (const part of [
      '/jobs?',
      `/jobs/${values['job_id']}: title`,
      '/releases: title',
      '/repository/tags',
      '/versions/',
      '/events',
    ]) {
      assert.ok(
        shown.some((one) => one.includes(part)),
        `${part} shows nothing to the owner: ${shown.join('\n')}`,
      );
    }
  });

  it('are in no answer for a guest of a private project', async () => {
    assert.deepEqual(await leaks(guest), []);
  });

  it('are in no answer for an external person who is a guest of an internal project', async () => {
    await call('PUT', '', owner, { visibility: 'internal' });
    try {
      assert.deepEqual(await leaks(externalGuest), []);
    } finally {
      await call('PUT', '', owner, { visibility: 'private' });
    }
  });

  it('are in no answer for callers who do not see the project', async () => {
    assert.deepEqual(await leaks(outsider), []);
    assert.deepEqual(await leaks(undefined), []);
  });
});
