import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { openMergeRequest, TITLE } from '../../support/host/mergeRequest.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { setFocus } from '../../support/host/suite/border.ts';
import { start } from '../../support/host/suite/extension.ts';
import { signInAs } from '../../support/host/suite/signIn.ts';
import type { Row, View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const COMMENT = /^Commented on /;
const STATUS = 'signalbox.status';

describe('the activity in its views', () => {
  let platform: RunningPlatform;
  /** Number of the merge request that was opened last. */
  let number: number;
  let mine: View;
  let project: View;
  before(async () => {
    platform = await startPlatform();
    number = await openMergeRequest(platform, 'See #174.');
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await signInAs(platform, DEMO_USER.username);
    mine = await workbench.openView('My Activity');
    project = await workbench.openView('Project Activity');
    await workbench.run('Signalbox: Select Project…');
    await workbench.search('berth-api', 'Berth API');
  });
  after(async () => {
    setFocus(true);
    await platform?.close();
  });
  beforeEach(async () => {
    await mine.untilRows(
      (rows) => events(rows).length >= 10 && events(rows).some((row) => !COMMENT.test(row.label)),
      'whole feed',
    );
  });
  afterEach(async () => {
    platform.thaw();
    await workbench.clear();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('an activity view filters to comments, shows the filter next to the title, and removes it with one command', async () => {
    await workbench.run('Signalbox: Filter Activity…');
    await workbench.choose('Type');
    await until(workbench.choices, (labels) => labels.includes('snippets'), 'the types');
    await workbench.goBack();
    await workbench.choose('Action');
    await workbench.tickChoice('comments');
    await workbench.accept();
    await mine.untilRows((rows) => events(rows).length > 0 && events(rows).every(({ label }) => COMMENT.test(label)), 'comments');
    assert.match(await mine.description(), /(?:^| · )comments$/);
    await workbench.run('Signalbox: Clear Activity Filter');
    await mine.untilRows((rows) => events(rows).some(({ label }) => !COMMENT.test(label)), 'everything');
    assert.doesNotMatch(await mine.description(), /comments/);
  });

  it('documents of a merge request, a commit and a push have an outline', async () => {
    const comment = await project.untilRow(({ label }) => label.includes(`commented on !${number} `), 'the comment');
    await project.clickRow(comment.label);
    const mergeRequest = await untilDocument(`!${number} Amber lamps`);
    await untilOutline(mergeRequest, [
      ...[`!${number} ${TITLE}`, 'Comments', DEMO_USER.name, 'Commits (1)', 'Changed files (1)', 'pier.txt (new)'],
    ]);
    const onCommit = await project.untilRow(({ label }) => label.includes('commented on commit'), 'the comment on a commit');
    await project.clickRow(onCommit.label);
    await untilOutline(await untilDocument(` ${TITLE}.md`), [
      TITLE,
      'Comments',
      DEMO_USER.name,
      'Changed files (1)',
      'pier.txt (new)',
    ]);
    const push = await project.untilRow(({ label }) => label.includes('created branch amber-lamps'), 'the push');
    await project.chooseFromRowMenu(push.label, 'Open');
    await untilOutline(await untilDocument('Created branch amber-lamps'), [
      ...['Created branch amber-lamps', 'Commits (1)', TITLE, 'Changed files (1)', 'pier.txt (new)'],
    ]);
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('the search for projects and groups runs on the instance as the user types, and opens their pages', async () => {
    for (const [command, typed, pathname] of [
      ['Signalbox: Open Project in Browser…', 'berth', '/amara/berth-api'],
      ['Signalbox: Open Group in Browser…', 'tidemark', '/groups/tidemark'],
    ] as const) {
      await workbench.run(command);
      const [first] = await workbench.choices();
      assert.notEqual(first, undefined);
      await workbench.type('no such thing');
      await until(workbench.choices, (labels) => labels.join() === 'No results for “no such thing”', 'nothing matches');
      await workbench.type(typed);
      await until(workbench.choices, (labels) => labels[0]?.toLowerCase().includes(typed) === true, 'what matches');
      await workbench.accept();
      await workbench.untilPage((address) => new URL(address).pathname === pathname, pathname);
    }
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('an activity view sends no requests while the window is not focused, and refreshes when it gets the focus', async () => {
    const isOfAll = (requested: string): boolean => requested.includes('scope=all');
    setFocus(false);
    await mine.clickTitleAction('Show Activity in All My Projects');
    await until(mine.description, (text) => text.startsWith('all my projects'), 'the other list');
    assert.deepEqual((await platform.apiRequests()).filter(isOfAll), []);
    setFocus(true);
    await until(platform.apiRequests, (paths) => paths.some(isOfAll), 'requests for the other list');
    await mine.untilRows((rows) => events(rows).some(({ label }) => label.startsWith('@')), 'rows with their authors');
    await workbench.run('Signalbox: Show My Activity');
    await mine.untilRows((rows) => events(rows).some(({ label }) => COMMENT.test(label)), 'own activity again');
  });

  it('the window is reloaded while the instance does not respond: cached rows with their age, no message, and new rows once it responds', async () => {
    platform.freeze();
    await workbench.reload();
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'activated');
    await mine.untilRows((rows) => events(rows).length > 0, 'cached rows');
    assert.match(await until(mine.message, (text) => text !== '', 'the age'), /^Last updated \d+ (seconds?|minutes?) ago$/);
    assert.deepEqual(await workbench.toasts(), []);
    assert.equal(await workbench.countDialogs(), 0);
    platform.thaw();
    await until(mine.message, (text) => text === '', 'new rows');
    await mine.untilRows((rows) => events(rows).length > 0, 'rows');
  });

  /** Waits for a tab whose title contains a text, and returns the address of its document. */
  async function untilDocument(title: string): Promise<vscode.Uri> {
    const tabs = (): readonly vscode.Tab[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const isIt = ({ label }: vscode.Tab): boolean => label.includes(title);
    await until(
      () => tabs().map(({ label }) => label),
      () => tabs().some(isIt),
      `tab “${title}”`,
    );
    const input: unknown = tabs().find(isIt)?.input;
    assert.ok(input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputText);
    return input.uri;
  }

  /** Waits until the outline of a document contains all of these symbols, in this order. */
  async function untilOutline(uri: vscode.Uri, expected: readonly string[]): Promise<void> {
    await vscode.workspace.openTextDocument(uri);
    await until(
      async () => {
        const symbols: unknown = await vscode.commands.executeCommand('vscode.executeDocumentSymbolProvider', uri);
        return namesOf((symbols ?? []) as readonly vscode.DocumentSymbol[]);
      },
      (labels) => {
        let at = 0;
        for (const label of labels) if (at < expected.length && label.includes(expected[at] ?? '')) at += 1;
        return at === expected.length;
      },
      `outline with ${expected.join(', ')}`,
    );
  }
});

function namesOf(symbols: readonly vscode.DocumentSymbol[]): readonly string[] {
  return symbols.flatMap(({ name, children }) => [name, ...namesOf(children)]);
}

function events(rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ level }) => level === 2);
}
