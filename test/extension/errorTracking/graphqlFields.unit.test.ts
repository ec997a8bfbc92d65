import assert from 'node:assert/strict';
import { createDetailSource } from '../../../src/errorPanel/detailSource.ts';
import { queryOfFilter, USUAL_FILTER } from '../../../src/errorTracking/filter.ts';
import { createErrorSources, createResourceChoice } from '../../../src/errorTracking/sources.ts';
import { clientOfGitlab, differencesFrom, respond, sentryErrors } from './sentryErrors.ts';

const project = { id: 1, path: 'group/lamps' };

describe('queries for errors of GitLab', () => {
  it('are tested with the fields of the types of GitLab, all of them and no others', () => {
    assert.deepEqual(differencesFrom('SentryErrorCollection', sentryErrors), []);
    assert.deepEqual(differencesFrom('SentryErrorTags', { level: null, platform: null }), [
      'SentryErrorTags.platform',
      'SentryErrorTags.logger',
    ]);
  });

  for (const field of ['type', 'shortId', 'sentryProjectName', 'sentryProjectSlug'])
    it(`would lose the error by selecting ${field}, which the integrated backend leaves empty`, async () => {
      const { data, errors } = await respond(
        `{ project(fullPath: "group/lamps") { sentryErrors { errors { nodes { id ${field} } } } } }`,
      );
      assert.match(errors?.[0]?.message ?? '', /Cannot return null for non-nullable field SentryError\./);
      assert.deepEqual(JSON.parse(JSON.stringify(data)), { project: { sentryErrors: { errors: { nodes: [null] } } } });
    });

  it('list errors and read a stack without a failure', async () => {
    const { client, failures } = clientOfGitlab();
    const source = createErrorSources(createResourceChoice(), async () => undefined)(client, project);
    const { items, next } = await source.list({ order: 'last_seen', ...queryOfFilter(USUAL_FILTER) });
    assert.deepEqual(failures, []);
    assert.equal(next, '2');
    assert.deepEqual(
      items.map(({ id, title, message, culprit, count, user_count: users, status, first_seen: first, hourly }) => [
        ...[id, title, message, culprit, count, users, status, first, hourly],
      ]),
      [
        [
          ...['7', 'E: boom', 'boom', 'greet', 4, 0, 'unresolved', Date.parse('2026-03-01T00:00:00Z')],
          [{ from: Date.parse('2026-03-04T00:00:00Z'), count: 4 }],
        ],
      ],
    );
    const frames = await source.frames('7');
    assert.deepEqual(failures, []);
    assert.deepEqual(
      frames.map(({ filename, function: name, line, column, code }) => [filename, name, line, column, code]),
      [
        ['greet.js', null, 3, null, 'x.trim()'],
        ['main.js', 'main', 1, null, null],
      ],
    );
  });

  it('read a single error without a failure', async () => {
    const { client, failures } = clientOfGitlab();
    const { detail } = await createDetailSource(() => client, project, '7', createResourceChoice()).detail();
    assert.deepEqual(failures, []);
    assert.deepEqual([detail.id, detail.title, detail.lastRelease], ['7', 'E: boom', { version: '1.1', commit: null }]);
    assert.equal(detail.webUrl, 'https://platform.example/group/lamps/-/error_tracking/7/details');
  });
});
