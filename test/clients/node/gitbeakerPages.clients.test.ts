import assert from 'node:assert/strict';
import { Gitlab, GitbeakerRequestError, GitbeakerRetryError } from '@gitbeaker/rest';
import { type Pages, ROWS, startPages } from '../../support/clientPages.ts';

describe('@gitbeaker/rest', () => {
  let pages: Pages;
  before(async () => {
    pages = await startPages();
  });
  after(() => pages[Symbol.asyncDispose]());

  const clientOf = (token: string) => new Gitlab({ host: pages.origin, token });

  it('@gitbeaker/rest reads lists by offset and by keyset', async () => {
    const client = clientOf(pages.token);
    const anonymous = new Gitlab({ host: pages.origin, oauthToken: '' });
    const keyset = { pagination: 'keyset', perPage: 20 } as const;
    const walks = {
      issues: await client.Issues.all({ projectId: 'root/lamps', perPage: 20 }),
      projects: await client.Projects.all({ ...keyset, orderBy: 'id', sort: 'asc' }),
      'newest projects': await client.Projects.all({ ...keyset, orderBy: 'id', sort: 'desc' }),
      groups: await anonymous.Groups.all({ ...keyset, orderBy: 'name', sort: 'asc' }),
      users: await client.Users.all({ ...keyset, orderBy: 'username', sort: 'asc' }),
      'users by default': await client.Users.all({ perPage: 20 }),
      tree: await client.Repositories.allRepositoryTrees('root/lamps', keyset),
    };
    for (const [name, items] of Object.entries(walks)) {
      assert.equal(items.length, ROWS, name);
      assert.equal(new Set(items.map((item) => JSON.stringify(item))).size, ROWS, name);
    }
    assert.deepEqual(
      walks.projects.map(({ id }) => id),
      walks['newest projects'].map(({ id }) => id).toReversed(),
    );
  });

  it('@gitbeaker/rest reads its position in a list', async () => {
    const client = clientOf(pages.token);
    const second = await client.Issues.all({
      projectId: 'root/lamps',
      perPage: 20,
      page: 2,
      showExpanded: true,
      pagination: 'offset',
    });
    assert.equal(second.data.length, 20);
    assert.deepEqual(second.paginationInfo, { total: ROWS, next: 3, current: 2, previous: 1, perPage: 20, totalPages: 3 });
    const two = await client.Issues.all({ projectId: 'root/lamps', perPage: 10, maxPages: 2 });
    assert.equal(two.length, 20);
    const keyset = await client.Projects.all({
      pagination: 'keyset',
      orderBy: 'id',
      sort: 'asc',
      perPage: 20,
      showExpanded: true,
    });
    assert.equal(keyset.data.length, ROWS);
    const last = keyset.data[ROWS - 21]?.id ?? 0;
    const { perPage, orderBy, sort, idAfter } = keyset.paginationInfo;
    // A page with rows always has a link to the next page, and that page is empty here.
    assert.deepEqual([perPage, orderBy, sort, idAfter], [20, 'id', 'asc', keyset.data.at(-1)?.id]);
    const after = await client.Projects.all({ pagination: 'keyset', orderBy: 'id', sort: 'asc', idAfter: last });
    assert.deepEqual(
      after.map(({ id }) => id),
      keyset.data.slice(ROWS - 20).map(({ id }) => id),
    );
  });

  it('@gitbeaker/rest throws its own error with the message of the server, the request and the response', async () => {
    const client = clientOf(pages.token);
    const plain = clientOf(pages.plainToken);
    const blank = JSON.stringify({ title: ["can't be blank"] });
    const calls: Readonly<Record<string, readonly [() => Promise<unknown>, number, string]>> = {
      get: [() => client.Projects.show('nobody/nothing'), 404, '404 Project Not Found'],
      order: [
        () => client.Projects.all({ pagination: 'keyset', orderBy: 'name', sort: 'asc' }),
        405,
        'Keyset pagination is not yet available for this type of request',
      ],
      create: [() => client.Issues.create('root/lamps', ''), 400, blank],
      'create without permission': [
        () => plain.Users.create({ username: 'a', name: 'A', email: 'a@example.com', resetPassword: true }),
        403,
        '403 Forbidden',
      ],
      update: [() => client.Issues.edit('root/lamps', 9999, { title: 'Nothing' }), 404, '404 Not found'],
      'delete without permission': [() => plain.Projects.remove('root/lamps'), 403, '403 Forbidden'],
      'with a wrong token': [() => clientOf('wrong').Users.showCurrentUser(), 401, '401 Unauthorized'],
    };
    for (const [name, [call, status, description]] of Object.entries(calls)) {
      await assert.rejects(call(), (error) => {
        assert.ok(error instanceof GitbeakerRequestError, name);
        assert.equal(error.message, description, name);
        assert.equal(error.cause?.description, description, name);
        assert.equal(error.cause?.response.status, status, name);
        assert.ok(error.cause?.request.url.startsWith(`${pages.origin}/api/v4/`), name);
        return true;
      });
    }
  });

  it('@gitbeaker/rest throws its own error for a rate limit', async () => {
    await using limited = await startPages();
    const root = new Gitlab({ host: limited.origin, token: limited.token });
    await root.ApplicationSettings.edit({
      throttleAuthenticatedApiEnabled: true,
      throttleAuthenticatedApiRequestsPerPeriod: 1,
    });
    const plain = new Gitlab({ host: limited.origin, token: limited.plainToken });
    assert.equal((await plain.Users.showCurrentUser()).username, 'ada');
    await assert.rejects(plain.Users.showCurrentUser(), GitbeakerRetryError);
  });

  it('@gitbeaker/rest retries when the gateway fails', async () => {
    assert.equal((await clientOf(pages.token).Metadata.show()).version, '18.11.0-ee');
  });
});
