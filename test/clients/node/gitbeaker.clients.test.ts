import assert from 'node:assert/strict';
import { Gitlab } from '@gitbeaker/rest';
import { freshPublicKey } from '../../support/publicKeys.ts';
import { spawnServer } from '../../support/serverProcess.ts';

const token = 'clients-test-token-0123456789';

describe('@gitbeaker/rest', () => {
  it('@gitbeaker/rest creates, comments on and closes an issue, and reads all of it as activity', async () => {
    await using server = await spawnServer(['serve', '--memory'], { env: { SIGNALBOX_ADMIN_TOKEN: token } });
    const client = new Gitlab({ host: server.origin, token });
    const project = await client.Projects.create({ name: 'Signal lamps', visibility: 'private' });
    assert.equal(project.path_with_namespace, 'root/signal-lamps');
    const issue = await client.Issues.create(project.id, 'Lamp 7 stays dark');
    await client.IssueNotes.create(project.id, issue.iid, 'The fuse is blown.');
    await client.Issues.edit(project.id, issue.iid, { stateEvent: 'close' });
    const events = await client.Events.all({ projectId: project.path_with_namespace });
    assert.deepEqual(
      events.map((event) => [event.action_name, event.target_type]),
      [
        ['closed', 'Issue'],
        ['commented on', 'Note'],
        ['opened', 'Issue'],
        ['created', null],
      ],
    );
    const own = await client.Events.all();
    assert.equal(own.length, 4);
  });

  it('@gitbeaker/rest follows Link headers through all pages and reads the totals', async () => {
    await using server = await spawnServer(['serve', '--memory'], { env: { SIGNALBOX_ADMIN_TOKEN: token } });
    const client = new Gitlab({ host: server.origin, token });
    const project = await client.Projects.create({ name: 'Many' });
    for (let number = 0; number < 45; number += 1) await client.Issues.create(project.id, `Check ${number}`);
    const all = await client.Issues.all({ projectId: project.id, perPage: 20 });
    assert.equal(new Set(all.map((issue) => issue.iid)).size, 45);
    const page = await client.Issues.all({ projectId: project.id, perPage: 20, page: 2, maxPages: 1, showExpanded: true });
    assert.deepEqual([page.paginationInfo.total, page.paginationInfo.totalPages, page.paginationInfo.next], [45, 3, 3]);
  });

  it('@gitbeaker/rest sets every notification level of the account, a group and a project', async () => {
    await using server = await spawnServer(['serve', '--memory'], { env: { SIGNALBOX_ADMIN_TOKEN: token } });
    const client = new Gitlab({ host: server.origin, token });
    const project = await client.Projects.create({ name: 'Signal lamps' });
    const group = await client.Groups.create('Lamps', 'lamps');
    for (const level of ['watch', 'participating', 'mention', 'disabled', 'global', 'custom'] as const) {
      for (const container of [{}, { groupId: group.id }, { projectId: project.id }]) {
        const edited = await client.NotificationSettings.edit({ ...container, level, newNote: true });
        assert.equal(edited.level, level);
        const shown = await client.NotificationSettings.show(container);
        assert.deepEqual(shown, edited);
        const events: unknown = Object.hasOwn(shown, 'events') ? Reflect.get(shown, 'events') : undefined;
        const isCustom = level === 'custom' && Object.keys(container).length > 0;
        assert.equal(typeof events, isCustom ? 'object' : 'undefined');
      }
    }
    const email = await client.UserEmails.create('root@work.example');
    assert.deepEqual(
      (await client.UserEmails.all()).map((one) => one.email),
      ['root@work.example'],
    );
    await client.UserEmails.remove(email.id);
    assert.deepEqual(await client.UserEmails.all(), []);
  });

  it('@gitbeaker/rest searches the instance, a group and a project, and keeps SSH keys', async () => {
    await using server = await spawnServer(['serve', '--memory'], { env: { SIGNALBOX_ADMIN_TOKEN: token } });
    const client = new Gitlab({ host: server.origin, token });
    const group = await client.Groups.create('Lamps', 'lamps');
    const project = await client.Projects.create({ name: 'Lamp store', namespaceId: group.id });
    const issue = await client.Issues.create(project.id, 'The lamp is dark');
    await client.Commits.create(project.id, 'main', 'Add a lamp', [
      { action: 'create', filePath: 'lamp.md', content: 'one\nthe lamp\n' },
    ]);
    for (const container of [{}, { groupId: group.id }, { projectId: project.id }]) {
      const issues = await client.Search.all('issues', 'lamp', container);
      assert.deepEqual(
        issues.map(({ id }) => id),
        [issue.id],
      );
    }
    const [byPath, byContent, ...others] = await client.Search.all('blobs', 'lamp', { projectId: project.id });
    assert.deepEqual([byPath?.path, byContent?.data, others], ['lamp.md', 'one\nthe lamp\n', []]);
    const key = await client.UserSSHKeys.create('Laptop', freshPublicKey());
    assert.deepEqual(
      (await client.UserSSHKeys.all()).map(({ title }) => title),
      ['Laptop'],
    );
    assert.equal((await client.UserSSHKeys.show(key.id)).key, key.key);
    await client.UserSSHKeys.remove(key.id);
    assert.deepEqual(await client.UserSSHKeys.all(), []);
  });

  it('@gitbeaker/rest reports the messages of the server for a missing project and a wrong token', async () => {
    await using server = await spawnServer(['serve', '--memory'], { env: { SIGNALBOX_ADMIN_TOKEN: token } });
    await assert.rejects(new Gitlab({ host: server.origin, token }).Projects.show('nobody/nothing'), /404 Project Not Found/);
    await assert.rejects(new Gitlab({ host: server.origin, token: 'wrong' }).Users.showCurrentUser(), /401 Unauthorized/);
  });
});
