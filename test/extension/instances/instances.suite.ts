import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { start } from '../../support/host/suite/extension.ts';
import { selectInstance, signInAs } from '../../support/host/suite/signIn.ts';
import type { Row, View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';
/** A project of the demo user. */
const PROJECT = 'Berth API';
const ISSUE = /^@\S+ opened #\d+ /;
const COMMENT = /^@\S+ commented on /;

describe('a window with two instances', () => {
  let one: RunningPlatform;
  let two: RunningPlatform;
  let view: View;
  before(async () => {
    [one, two] = await Promise.all([startPlatform(), startPlatform()]);
    await Promise.all([one.createIssue(PROJECT, 'Only on the first'), two.createIssue(PROJECT, 'Only on the second')]);
    await start({ settings: { 'signalbox.instances': [{ url: one.origin }, { url: two.origin }] } });
    await signInAs(two, DEMO_USER.username);
    await signInAs(one, DEMO_USER.username);
    view = await workbench.openView('My Activity');
    await workbench.run('Signalbox: Show Activity in All My Projects');
  });
  after(async () => {
    await workbench.clear();
    await Promise.all([one?.close(), two?.close()]);
  });

  it('a window with two instances shows the activity of the selected one, and restores its filter, selected row and collapsed day after switching and reloading', async () => {
    assert.deepEqual(titles(await view.untilRows((rows) => titles(rows).length > 0, 'the new issue')), ['Only on the first']);
    await workbench.run('Signalbox: Filter Activity…');
    await workbench.choose('Action');
    await workbench.tickChoice('comments');
    await workbench.accept();
    await until(view.description, (text) => text.endsWith(' · comments'), 'filtered');
    await view.untilRows((rows) => events(rows).length > 0 && events(rows).every(({ label }) => COMMENT.test(label)), 'comments');
    const [chosen] = events(await view.rows());
    assert.ok(chosen !== undefined);
    await view.clickRow(chosen.label);

    await selectInstance(two.label);
    await workbench.untilStatus(STATUS, (text) => text.includes(two.label), 'the other instance');
    await workbench.run('Signalbox: Show Activity in All My Projects');
    const others = await view.untilRows((rows) => titles(rows).length > 0, 'the activity there');
    assert.deepEqual(titles(others), ['Only on the second']);
    assert.doesNotMatch(await view.description(), /comments/);
    await selectInstance(one.label);
    await until(view.selectedLabels, (labels) => isDeepStrictEqual(labels, [chosen.label]), 'the row is selected again');

    // Rows of days without comments may be listed until the filtered activity is complete.
    const day = await view.untilRow(({ level }) => level === 1, 'a day');
    await view.toggleRow(day.label);
    const isClosed = ({ label, expanded }: Row): boolean => label === day.label && expanded === false;
    await view.untilRow(isClosed, 'a collapsed day');
    await selectInstance('Managed server');
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'the local server');
    await selectInstance(one.label);
    await workbench.untilStatus(STATUS, isOnFirst, 'back');
    await view.untilRow(isClosed, 'the day is still collapsed');
    assert.match(await view.description(), / · comments$/);

    await workbench.reload();
    await workbench.untilStatus(STATUS, isOnFirst, 'the same after a reload');
    await view.untilRow(isClosed, 'the day is collapsed after a reload');
    assert.match(await view.description(), / · comments$/);
    assert.deepEqual(await workbench.toasts(), []);
    assert.equal(await workbench.countDialogs(), 0);
  });

  function isOnFirst(text: string): boolean {
    return text.includes(`@${DEMO_USER.username}`) && text.includes(one.label);
  }
});

function events(rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ level }) => level === 2);
}

/** Titles of the issues opened since the demo data was created; those of the demo data are older than the first page. */
function titles(rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ label }) => (/\bonly on\b/i.test(label) ? [label.replace(ISSUE, '')] : []));
}
