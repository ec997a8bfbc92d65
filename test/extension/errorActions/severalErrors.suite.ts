import assert from 'node:assert/strict';
import { isJsonObject, stringMember } from '../../../src/contract/json.ts';
import { textOf } from '../../support/html.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { createSentErrors, type SentErrors, sentTitle } from '../../support/host/sentErrorRows.ts';
import { errorPage, trackErrorsOf } from '../../support/host/suite/errors.ts';
import { start } from '../../support/host/suite/extension.ts';
import { panelOf } from '../../support/host/suite/panels.ts';
import { ask, connectTo, visit, visitAs } from '../../support/host/suite/signIn.ts';
import type { View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

/** A project of the demo user without error tracking. */
const PROJECT = { path: 'amara/billing', name: 'Billing' } as const;
/** A project of the demo user with demo errors. */
const OTHER = 'amara/berth-api';
const UNDO = 'Undo Last Change of an Error';

describe('several tracked errors', () => {
  let platform: RunningPlatform;
  let view: View;
  let errors: SentErrors;
  before(async () => {
    platform = await startPlatform();
    await start();
    await connectTo(platform);
    view = await workbench.openView('Tracked Errors');
    errors = createSentErrors(workbench, view, await trackErrorsOf(PROJECT, view));
  });
  after(() => platform?.close());
  afterEach(async () => {
    await workbench.clear();
    await workbench.setSetting('signalbox.errorTracking.newErrors', undefined);
    const shown = await view.description();
    if (shown.includes(' · ')) await filter('Clear filter');
    if (shown.startsWith('2 projects')) await selectProjects({ [OTHER]: 'false' });
    await errors.resolveAll();
  });

  it('several tracked errors are merged into one, split again, and both are undone', async () => {
    const [crane, lock] = ['CraneStuck', 'LockShut'];
    await errors.send(lock);
    await errors.send(crane, 2);
    const apart = { [crane]: 2, [lock]: 1 };
    await errors.untilShown(apart);
    await view.selectRows(crane, lock);
    await view.chooseFromRowMenu(lock, 'Merge Errors…');
    await workbench.choose(sentTitle(crane));
    await workbench.untilToast(({ message }) => message === `Merged 1 error into: ${sentTitle(crane)}`, 'merged');
    await errors.untilShown({ [crane]: 3 });
    await workbench.clickToast('Merged 1 error', 'Undo');
    await errors.untilShown(apart);
    await workbench.clear();

    await view.selectRows(crane, lock);
    await workbench.run('Signalbox: Merge Errors…');
    await workbench.choose(sentTitle(lock));
    await workbench.untilToast(({ message }) => message === `Merged 1 error into: ${sentTitle(lock)}`, 'merged again');
    // An error is named after its latest event.
    await errors.untilShown({ [crane]: 3 });
    await workbench.clear();
    await view.chooseFromRowMenu(crane, 'Split Error…');
    await until(workbench.choices, (labels) => labels.join() === `${sentTitle(crane)},${sentTitle(lock)}`, 'the groupings');
    await workbench.choose(sentTitle(crane));
    await workbench.untilToast(({ message }) => message === `Split: ${sentTitle(crane)}`, 'split');
    await errors.untilShown(apart);
    await workbench.run(`Signalbox: ${UNDO}`);
    await errors.untilShown({ [crane]: 3 });
    await view.chooseFromRowMenu(crane, UNDO);
    await errors.untilShown(apart);
  });

  it('several tracked errors are resolved by one action, and that is undone for all', async () => {
    const [anchor, winch, radar] = ['AnchorLost', 'WinchJammed', 'RadarBlind'];
    for (const type of [anchor, winch, radar]) await errors.send(type);
    const all = { [anchor]: 1, [winch]: 1, [radar]: 1 };
    await errors.untilShown(all);
    await view.selectRows(anchor, radar);
    await view.chooseFromRowMenu(radar, 'Resolve Error');
    await workbench.untilToast(({ message }) => message === 'Resolved: 2 errors', 'both are resolved');
    await errors.untilShown({ [winch]: 1 });
    await workbench.clickToast('Resolved: 2 errors', 'Undo');
    await errors.untilShown(all);
  });

  it('an issue is created from the tracked error of the menu, linked in both directions, and unlinked again', async () => {
    const [ferry, gate] = ['FerryLate', 'GateOpen'];
    await errors.send(ferry);
    await errors.send(gate);
    await errors.untilShown({ [ferry]: 1, [gate]: 1 });
    // The menu belongs to one row, even if others are selected.
    await view.selectRows(ferry, gate);
    await view.chooseFromRowMenu(gate, 'Create Issue from Error…');
    await workbench.untilInput(({ value }) => value === sentTitle(gate), 'the suggested title');
    await workbench.fillInput('The gate stays open');
    const created = await workbench.untilToast(({ message }) => message.endsWith('linked with the error.'), 'the issue');
    const number = /^Issue #(\d+) was created/.exec(created.message)?.[1];
    assert.deepEqual([created.severity, created.buttons], ['info', ['Open Issue']]);

    await workbench.clickToast('Issue #', 'Open Issue');
    const { address } = await visit(await workbench.untilPage(() => true, 'the issue'));
    assert.match(decodeURIComponent(address.pathname), new RegExp(`/${PROJECT.path}/-/issues/${number}$`));
    const issue = await ask(platform, 'GET', `/api/v4/projects/${encodeURIComponent(PROJECT.path)}/issues/${number}`);
    assert.ok(isJsonObject(issue));
    assert.equal(stringMember(issue, 'title'), 'The gate stays open');
    const description = stringMember(issue, 'description') ?? '';
    assert.ok(description.includes(`${sentTitle(gate)}\n    at sail${gate} (src/${gate}.js:7:3)`), description);
    const [link = '', errorId] = /http[^>\s]*\/-\/error_tracking\/(\d+)\/details/.exec(description) ?? [];
    const linked = await visitAs(platform, DEMO_USER.username, link);
    assert.equal(linked.address.href, link);
    assert.equal(textOf(/<h1>.*<\/h1>/s.exec(linked.page)?.[0] ?? ''), sentTitle(gate));

    await view.untilHover(gate, (text) => /Issue: .*The gate stays open/.test(text) && text.includes(`#${number}`), 'the issue');
    await view.clickRowAction(gate, 'Show Error');
    const page = await errorPage(gate);
    const { detail } = await page.untilShown((state) => String(state.detail.issue?.iid) === number, 'the issue');
    assert.equal(detail.id, errorId);
    page.send({ type: 'undo' });
    await page.untilShown((state) => state.detail.issue === null, 'no issue');
    page.close();
    await view.chooseFromRowMenu(gate, 'Create Issue from Error…');
    await workbench.untilInput(({ value }) => value === sentTitle(gate), 'the title again');
    await workbench.clear();
  });

  it('tracked errors of several projects are shown together, and changed by one action', async () => {
    const [rudder] = ['RudderBent'];
    await selectProjects({ [OTHER]: 'true' });
    await until(view.description, (text) => text.startsWith('2 projects'), 'two projects');
    const project = await view.untilRow(({ label, description }) => label === OTHER && description.endsWith('errors'), OTHER);
    assert.equal(project.icon, 'repo');
    await errors.send(rudder);
    await errors.untilShown({ [rudder]: 1 });
    const rows = await view.rows();
    const at = rows.findIndex(({ label }) => label === OTHER);
    assert.deepEqual(
      [PROJECT.path, rudder].map((label) => rows.findIndex((row) => row.label === label) < at),
      [true, true],
    );
    const labels = rows.map(({ label }) => label);
    const other = rows.slice(at).find(({ label }) => isAlone(labels, label) && label.endsWith('Error'))?.label ?? '';
    await view.selectRows(rudder, other);
    await view.chooseFromRowMenu(rudder, 'Resolve Error');
    await workbench.untilToast(({ message }) => message === 'Resolved: 2 errors', 'errors of both projects');
    await view.untilRows((all) => !all.some(({ label }) => [rudder, other].includes(label)), 'resolved');
    await workbench.clickToast('Resolved: 2 errors', 'Undo');
    await errors.untilShown({ [rudder]: 1 });
    await view.untilRow(({ label }) => label === other, 'unresolved again');
    await view.selectRows(rudder, other);
    await view.chooseFromRowMenu(other, 'Merge Errors…');
    await workbench.untilToast(({ message }) => message === 'Select errors of one project for this action.', 'not merged');
    await selectProjects({ [OTHER]: 'false' });
    await until(view.description, (text) => text === PROJECT.path, 'one project');
  });

  it('a filter of tracked errors is saved, chosen and deleted', async () => {
    const [sail, keel] = ['SailTorn', 'KeelCracked'];
    await errors.send(sail);
    await errors.send(keel);
    await errors.untilShown({ [sail]: 1, [keel]: 1 });
    await filter('Text');
    await workbench.untilInput(({ prompt }) => prompt.startsWith('Search in titles'), 'a text');
    await workbench.fillInput(keel);
    await errors.untilShown({ [keel]: 1 });
    await filter('Save this filter…');
    await workbench.untilInput(({ prompt }) => prompt.startsWith('Name of the filter'), 'a name');
    await workbench.fillInput('Broken keels');
    await filter('Clear filter');
    await errors.untilShown({ [sail]: 1, [keel]: 1 });
    await filter('Saved filters…');
    await workbench.choose('Broken keels');
    await errors.untilShown({ [keel]: 1 });
    assert.ok((await view.description()).includes(keel));

    await filter('Saved filters…');
    await workbench.clickItemButton('Broken keels', 'Delete Filter');
    await until(workbench.choices, (all) => all[0] === 'Status' && !all.includes('Saved filters…'), 'no saved filter');
    await workbench.choose('Clear filter');
    await errors.untilShown({ [sail]: 1, [keel]: 1 });
  });

  it('tracked errors that are new are not told of, counted, or named in one message, as the setting says', async () => {
    const [fog, gale, hail] = ['FogBank', 'GaleForce', 'HailStorm'];
    const mode = (text: string): Promise<void> => workbench.setSetting('signalbox.errorTracking.newErrors', text);
    const badge = (accept: (text: string) => boolean, what: string): Promise<string> => until(workbench.badge, accept, what);
    const isRead = (text: string): boolean => !text.includes('new error');
    await workbench.run('Signalbox: Mark All Errors as Read');
    await badge(isRead, 'no new errors');
    await errors.send(fog);
    await badge((text) => text.includes('1 new error'), 'counted by default');
    assert.deepEqual(await workbench.toasts(), []);

    await mode('off');
    await badge(isRead, 'not counted');
    await errors.send(gale);
    await view.untilRow(({ label, description }) => label === gale && description.startsWith('●'), 'a new error');
    assert.ok(isRead(await workbench.badge()));
    assert.deepEqual(await workbench.toasts(), []);

    await mode('notify');
    await workbench.untilToast(({ message }) => message === `2 new errors in ${PROJECT.path}`, 'the errors so far');
    await badge((text) => text.includes('2 new errors'), 'counted');
    await workbench.clickToast('2 new errors', 'Mark as Read');
    await badge(isRead, 'marked as read');
    await errors.send(hail, 2);
    await errors.untilShown({ [fog]: 1, [gale]: 1, [hail]: 2 });
    const message = `New error in ${PROJECT.path}: ${sentTitle(hail)}`;
    await workbench.untilToast((toast) => toast.message === message, 'the new error');
    assert.deepEqual(await workbench.toasts(), [{ severity: 'info', message, buttons: ['Show Error', 'Mark as Read'] }]);
    await workbench.clickToast(message, 'Show Error');
    const panel = await panelOf((title) => title.includes(hail), 'the error');
    await badge(isRead, 'opened');
    assert.deepEqual(await workbench.toasts(), []);
    panel.close();
  });

  async function filter(part: string): Promise<void> {
    await view.clickTitleAction('Filter Errors…');
    await workbench.choose(part);
  }

  /** Selects or deselects projects of the view. */
  async function selectProjects(projects: Readonly<Record<string, 'true' | 'false'>>): Promise<void> {
    await workbench.run('Signalbox: Select Projects of Tracked Errors…');
    for (const [label, expected] of Object.entries(projects)) await workbench.tickChoice(label, expected);
    await workbench.accept();
  }
});

const isAlone = (labels: readonly string[], label: string): boolean => labels.filter((one) => one === label).length === 1;
