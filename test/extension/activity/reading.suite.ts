import assert from 'node:assert/strict';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { start } from '../../support/host/suite/extension.ts';
import { signInAs, visitAs } from '../../support/host/suite/signIn.ts';
import type { Row } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { textOf } from '../../support/html.ts';

/** Matches the row of an issue event; the rest of the label is the title. */
const ISSUE_EVENT = /^(Opened|Closed|Commented on) #\d+ /;

describe('events in their views', () => {
  let platform: RunningPlatform;
  before(async () => {
    platform = await startPlatform();
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await signInAs(platform, DEMO_USER.username);
  });
  after(() => platform?.close());
  afterEach(() => workbench.clear());

  it('an event has a hover text, opens its page, and older events are loaded on request', async () => {
    const mine = await workbench.openView('My Activity');
    const { label } = await mine.untilRow((row) => ISSUE_EVENT.test(row.label), 'an event of an issue');
    const hover = withoutEscapes(await mine.hoverText(label));
    assert.ok(hover.includes(label) && hover.includes(`@${DEMO_USER.username}`), hover);
    await mine.clickRowAction(label, 'Open in Browser');
    const { page } = await visitAs(platform, DEMO_USER.username, await workbench.untilPage(() => true, 'the page of the event'));
    assert.ok(headingsOf(page).includes(label.replace(ISSUE_EVENT, '')), headingsOf(page).join(', '));

    const before = await mine.untilRows((rows) => rows.at(-1)?.label === 'Load more', 'the end');
    await mine.clickRow('Load more');
    const after = await mine.untilRows(
      (rows) => rows.length > before.length && rows.at(-1)?.label === 'Load more',
      'older events',
    );
    const shown = eventsOf(before);
    assert.deepEqual(eventsOf(after).slice(0, shown.length), shown);
    assert.ok(eventsOf(after).length > shown.length);
  });

  it('a project shows the activity of others, and keeps a collapsed day when it is refreshed', async () => {
    const project = await workbench.openView('Project Activity');
    await project.clickWelcomeButton('Select Project…');
    const [first] = await workbench.choices();
    assert.ok(first !== undefined);
    await workbench.choose(first);
    const [day] = await project.untilRows((rows) => eventsOf(rows).length > 0, 'events of the project');
    assert.ok(day !== undefined);
    const isCollapsed = (row: Row): boolean => row.label === day.label && row.expanded === false;
    await project.toggleRow(day.label);
    await project.untilRow(isCollapsed, 'collapsed');
    await platform.createIssue(first, 'Buffer stop is bent');
    await project.clickTitleAction('Refresh Activity');
    await project.untilRow((row) => row.label.includes('Buffer stop is bent'), 'the newest event');
    assert.ok((await project.rows()).some(isCollapsed), 'a collapsed day stays collapsed');
  });
});

/** Returns the labels of events. Their other texts change when the names of projects are known. */
function eventsOf(rows: readonly Row[]): readonly string[] {
  return rows.filter(({ level }) => level === 2).map(({ label }) => label);
}

/** Returns Markdown with the characters that its escapes and entities mean. */
function withoutEscapes(markdown: string): string {
  return markdown.replaceAll(/\\(.)/g, '$1').replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}

function headingsOf(page: string): readonly string[] {
  return [...page.matchAll(/<h1\b[^>]*>.*?<\/h1>/gs)].map(([heading]) => textOf(heading));
}
