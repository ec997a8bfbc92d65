import assert from 'node:assert/strict';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { freshPublicKey } from '../../support/publicKeys.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { routeDefinitions } from '../../../server/app.ts';
import { isAvailable } from '../../../server/core/profile.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { PageClient } from '../../support/pages.ts';

/** Texts that exist only in the repository. Users who cannot read the code must never receive one of them. */
const contents = {
  title: 'quenchlamptitle',
  message: 'quenchlampmessage',
  file: 'quenchlampfile',
  text: 'quenchlamptext',
  address: 'quenchlampauthor',
};

/** Routes whose path parameters have no value here, by path prefix, with the reason. */
const NOT_ASKED: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/\/:id\/epics\/:epic_i?id/, 'An epic refers to no commit.'],
  [/^\/groups\/\*full_path\/-\/epics\//, 'An epic refers to no commit.'],
  [/\/packages\/:package_id/, 'A package has its own files and refers to pipelines without their commits.'],
  [/\/registry\/repositories\/:repository_id/, 'An image comes from a push to the registry and refers to no commit.'],
  [
    /\/error_tracking\/(?:errors\/)?:(?:fingerprint|issue_id)/,
    'A tracked error contains data sent by clients; commits of releases have separate tests.',
  ],
  [/\/audit_events\/:audit_event_id/, 'An audit event refers to no commit.'],
  [/^\/assets\/pages\/:file/, 'Style sheets and pictures of the pages are the same for everyone.'],
  [/^\/users\/sign_in_links\/:secret/, 'A one-time link only signs in.'],
  [/^\/api\/v4\/user\/emails\/:email_id/, 'An email address refers to no commit.'],
  [/^\/-\/mailbox\/unsubscribe\/:secret/, 'The link of a mail only unsubscribes.'],
  [/\/:repository_storage_move_id$/, 'Only for administrators.'],
  [/\/keys\/:key_id$/, 'An SSH key refers to no commit.'],
  [/\/client_keys\/:key_id$/, 'A client key refers to no commit.'],
  [/\/hooks\/:hook_id/, 'Only for maintainers and owners, who can read the code.'],
  [/^\/help\/api\/endpoints\/:operation/, 'The description of an endpoint is the same for everyone.'],
  [/\/uploads\/:(?:upload_id|secret)/, 'An upload has its own content and refers to no commit.'],
];

/** Routes that refuse the owner here, by path prefix, with the reason. */
const REFUSED: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^\/api\/v4\/(?:personal_access_tokens|namespaces)\/:id$/, 'A token or a namespace refers to no commit.'],
  [/^\/api\/v4\/projects\/:id\/members\/:user_id$/, 'The owner is a member of the group; a member refers to no commit.'],
  [/^\/api\/v4\/users\/:user_id\/memberships$/, 'Only for administrators.'],
  [/^\/api\/v4\/groups\/:id\/enterprise_users\/:user_id$/, 'The group owns no account.'],
  [/^\/api\/v4\/keys\/:id$/, 'Only for administrators.'],
  [/^\/api\/v4\/issues\/:id$/, 'Only for administrators.'],
  [/^\/api\/v4\/users\/:id\/emails$/, 'Only for administrators.'],
  [/^\/(?:api\/v4\/mails|-\/mailbox)\/:id/, 'The owner caused all events, so the mails are for others.'],
  [/^\/api\/v4\/audit_events\/:id$/, 'Only for administrators.'],
  [/^\/api\/v4\/registry\/repositories\/:id$/, 'There are no images.'],
  [/^\/api\/v4\/virtual_registries\//, 'A virtual registry contains packages from elsewhere.'],
  [/^\/api\/v4\/snippets\/:id\/files\//, 'A personal snippet.'],
  [/^\/-\/snippets\/:id/, 'A personal snippet.'],
  [/\/error_tracking(?:\/(?:settings|scrubbing|arrivals|errors)|\.json)$/, 'Error tracking is disabled in the project.'],
  [/^\/_local\/oauth\/:id$/, 'Only for administrators.'],
  [/\/:id\/repository_storage_moves$/, 'Only for administrators.'],
];

describe('repository contents', () => {
  let server: TestServer;
  let owner: Actor;
  let guest: Actor;
  let externalGuest: Actor;
  let outsider: Actor;
  let values: Readonly<Record<string, string>>;
  /** Different values by path prefix. */
  let valuesByArea: readonly (readonly [prefix: string, values: Readonly<Record<string, string>>])[];

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
    const { group } = createGroup(platform, owner.user, { name: 'Works', path: 'works', visibility: 'internal' });
    const found = projectWith(platform, owner, { name: 'Lamps', visibility: 'private', namespaceId: group.id }, [
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
    const issueDiscussion = await call('POST', `/issues/${numberIn(issue, 'iid')}/discussions`, owner, { body: 'A thread' });
    const requestDiscussion = await call('POST', `/merge_requests/${numberIn(opened, 'iid')}/discussions`, owner, {
      body: 'A thread',
    });
    const commitDiscussion = await call('POST', `/repository/commits/${sha}/discussions`, owner, { body: 'A thread' });
    const label = await call('POST', '/labels', owner, { name: 'red', color: '#ff0000' });
    const milestone = await call('POST', '/milestones', owner, { title: 'First' });
    await call('PUT', '/integrations/external-wiki', owner, { external_wiki_url: 'https://wiki.example' });
    const rule = await call('POST', '/approval_rules', owner, { name: 'Security', approvals_required: 1 });
    const link = await call('POST', '/releases/v1/assets/links', owner, { name: 'manual', url: 'https://example.com/manual' });
    const snippet = await call('POST', '/snippets', owner, {
      title: 'A snippet',
      visibility: 'private',
      files: [{ file_path: 'a.txt', content: 'x' }],
    });
    const snippetDiscussion = await call('POST', `/snippets/${numberIn(snippet, 'id')}/discussions`, owner, { body: 'A thread' });
    const inGroup = async (path: string, json: object): Promise<unknown> =>
      (await server.request('POST', `/api/v4/groups/${group.id}${path}`, { token: owner.token, json })).json();
    const groupLabel = await inGroup('/labels', { name: 'blue', color: '#0000ff' });
    const groupMilestone = await inGroup('/milestones', { title: 'All' });
    const firstNote = (discussion: unknown): string => numberIn(Object(discussion)['notes'][0], 'id');
    const files = await call('GET', '/repository/tree', owner);
    assert.ok(Array.isArray(files));
    await call('POST', '/protected_tags', owner, { name: 'main' });
    const deployKey = await call('POST', '/deploy_keys', owner, { title: 'CI', key: freshPublicKey() });
    const deployToken = await call('POST', '/deploy_tokens', owner, { name: 'CI', scopes: ['read_repository'] });
    const groupToken = await inGroup('/deploy_tokens', { name: 'CI', scopes: ['read_repository'] });
    const newRunner = { runner_type: 'project_type', project_id: found.project.id };
    const runner = await server.request('POST', '/api/v4/user/runners', { token: owner.token, json: newRunner });
    await call('POST', '/variables', owner, { key: 'TARGET', value: 'x' });
    await inGroup('/variables', { key: 'TARGET', value: 'x' });
    const schedule = await call('POST', '/pipeline_schedules', owner, { description: 'Nightly', ref: 'main', cron: '0 1 * * *' });
    await call('POST', `/pipeline_schedules/${numberIn(schedule, 'id')}/play`, owner);
    valuesByArea = [
      ['/api/v4/runners/:id', { id: numberIn(runner.json(), 'id') }],
      ['/api/v4/projects/:id/pipeline_schedules/', { pipeline_schedule_id: numberIn(schedule, 'id') }],
      ['/api/v4/projects/:id/variables/', { key: 'TARGET' }],
      ['/api/v4/groups/:id/variables/', { id: String(group.id), key: 'TARGET' }],
      ['/api/v4/projects/:id/protected_', { name: 'main' }],
      ['/api/v4/projects/:id/deploy_keys/', { key_id: numberIn(deployKey, 'id') }],
      ['/api/v4/projects/:id/deploy_tokens/', { token_id: numberIn(deployToken, 'id') }],
      ['/api/v4/groups/:id/deploy_tokens/', { id: String(group.id), token_id: numberIn(groupToken, 'id') }],
      ['/api/v4/projects/:id/repository/blobs/', { sha: numberIn(files[0], 'id') }],
      ['/*full_path/-/blob/', { rest: `main/${contents.file}` }],
      ['/*full_path/-/raw/', { rest: `main/${contents.file}` }],
      ['/*full_path/-/commits/', { rest: 'main' }],
      ['/*full_path/-/tree/', { rest: 'main' }],
      ['/*full_path/-/compare/', { rest: 'main...feature' }],
      ['/*full_path/-/archive/', { rest: 'main/lamps-main.tar' }],
      ['/*full_path/-/snippets/', { id: numberIn(snippet, 'id'), rest: 'main/a.txt' }],
      ['/groups/*full_path', { full_path: group.full_path, milestone_iid: numberIn(groupMilestone, 'iid') }],
      [
        '/api/v4/groups/',
        { id: String(group.id), label_id: numberIn(groupLabel, 'id'), milestone_id: numberIn(groupMilestone, 'id') },
      ],
      ['/api/v4/users/', { id: String(owner.user.id) }],
      ['/help/deprecations/', { id: 'password-grant' }],
      ['/api/v4/projects/:id/issues/', { discussion_id: numberIn(issueDiscussion, 'id'), note_id: firstNote(issueDiscussion) }],
      [
        '/api/v4/projects/:id/merge_requests/',
        { discussion_id: numberIn(requestDiscussion, 'id'), note_id: firstNote(requestDiscussion) },
      ],
      [
        '/api/v4/projects/:id/repository/commits/:sha/discussions/',
        { discussion_id: numberIn(commitDiscussion, 'id'), note_id: firstNote(commitDiscussion) },
      ],
      [
        '/api/v4/projects/:id/snippets/',
        { discussion_id: numberIn(snippetDiscussion, 'id'), note_id: firstNote(snippetDiscussion), file_path: 'a.txt' },
      ],
    ];
    values = {
      ...values,
      label_id: numberIn(label, 'id'),
      milestone_id: numberIn(milestone, 'id'),
      milestone_iid: numberIn(milestone, 'iid'),
      link_id: numberIn(link, 'id'),
      approval_rule_id: numberIn(rule, 'id'),
      snippet_id: numberIn(snippet, 'id'),
      sha,
      pipeline_id: numberIn(pipeline, 'id'),
      job_id: numberIn(job, 'id'),
      tag_name: 'v1',
      slug: 'external-wiki',
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
      extension: 'tar',
    };
  });
  after(() => server.close());

  const asked = (): readonly string[] =>
    routeDefinitions(server.platform)
      .filter((route) => isAvailable(route, server.platform.profile))
      .filter(({ method, area, path }) => method === 'GET' && (area === 'api' || area === 'page') && /[:*]/.test(path))
      .map(({ path }) => path);

  const valueFor = (path: string, name: string): string | undefined =>
    valuesByArea.find(([prefix, own]) => path.startsWith(prefix) && own[name] !== undefined)?.[1][name] ?? values[name];

  const parametersOf = (path: string): readonly string[] => [...path.matchAll(/[:*](\w+)/g)].map(([, name = '']) => name);

  const isFilled = (path: string): boolean => parametersOf(path).every((name) => valueFor(path, name) !== undefined);

  /** Returns every address of the route definitions whose parameters have values, with the required query parameters. */
  const addresses = (): readonly { readonly path: string; readonly address: string }[] => {
    const refs = `ref=main&sha=${values['sha']}&from=main&to=feature&refs[]=main&refs[]=feature`;
    return asked()
      .filter(isFilled)
      .map((path) => {
        const address = path.replaceAll(/[:*](\w+)/g, (_, name: string) => {
          const value = valueFor(path, name) ?? '';
          return name === 'full_path' || name === 'rest' ? value : encodeURIComponent(value);
        });
        if (path === '/api/v4/projects/:id/search') return { path, address: `${address}?scope=blobs&search=quenchlamp` };
        if (path === '/api/v4/groups/:id/search') return { path, address: `${address}?scope=merge_requests&search=quenchlamp` };
        if (path.endsWith('/repository/tree')) return { path, address: `${address}?ref=main` };
        const isOfRefs = path.includes('/repository/') || path.endsWith('/jobs');
        return { path, address: isOfRefs ? `${address}?${refs}&path=${contents.file}&target_type=` : address };
      });
  };

  /**
   * Returns the addresses that reveal a text to an actor, as `ADDRESS: PART`. Pages are requested with a session, other routes
   * with a token.
   */
  const leaks = async (who: Actor | undefined): Promise<string[]> => {
    const found: string[] = [];
    const browser = new PageClient(server);
    if (who !== undefined) await browser.signIn(who.user.username);
    for (const { address } of addresses()) {
      const response = address.startsWith('/api/')
        ? await server.request('GET', address, who === undefined ? {} : { token: who.token })
        : await browser.open(address);
      const parts = Object.entries(contents).filter(([, text]) => {
        // Callers may know the name of the owner and the project, but not the email address used in commits.
        const searched = text === contents.address ? `${text}@example.com` : text;
        return response.text.includes(searched);
      });
      for (const [part] of parts) found.push(`${address}: ${part}`);
    }
    return found;
  };

  it('repository contents are searched for at every address except those listed with a reason', () => {
    const unfilled = asked().filter((path) => !isFilled(path));
    assert.deepEqual(
      unfilled.filter((path) => !NOT_ASKED.some(([pattern]) => pattern.test(path))),
      [],
      'untested routes: add values for their parameters, or list them with a reason',
    );
    const needless = NOT_ASKED.filter(([pattern]) => !unfilled.some((path) => pattern.test(path)));
    assert.deepEqual(needless, [], 'reasons for routes that do not exist or are tested');
  });

  it('repository contents are searched for in successful responses, except for routes listed with a reason', async () => {
    const browser = new PageClient(server);
    await browser.signIn(owner.user.username);
    const refused: string[] = [];
    for (const { path, address } of addresses()) {
      const { status } = address.startsWith('/api/')
        ? await server.request('GET', address, { token: owner.token })
        : await browser.open(address);
      if (status >= 400) refused.push(path);
    }
    assert.deepEqual(
      refused.filter((path) => !REFUSED.some(([pattern]) => pattern.test(path))),
      [],
    );
  });

  it('repository contents appear in many responses for the owner', async () => {
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
        `${part} reveals nothing to the owner: ${shown.join('\n')}`,
      );
    }
  });

  it('repository contents never appear for a guest of a private project', async () => {
    assert.deepEqual(await leaks(guest), []);
  });

  it('repository contents never appear for an external guest of an internal project', async () => {
    await call('PUT', '', owner, { visibility: 'internal' });
    try {
      assert.deepEqual(await leaks(externalGuest), []);
    } finally {
      await call('PUT', '', owner, { visibility: 'private' });
    }
  });

  it('repository contents never appear for callers who cannot see the project', async () => {
    assert.deepEqual(await leaks(outsider), []);
    assert.deepEqual(await leaks(undefined), []);
  });
});
