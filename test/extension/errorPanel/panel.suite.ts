import assert from 'node:assert/strict';
import { type ErrorPage, errorPage, errorsOf, selectProject } from '../../support/host/suite/errors.ts';
import { start } from '../../support/host/suite/extension.ts';
import { startLocally } from '../../support/host/suite/signIn.ts';
import type { View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

/** A project of the demo user with demo errors. */
const TRACKED = { path: 'amara/berth-api', name: 'Berth API' } as const;

describe('the panel of an error and its page', () => {
  let view: View;
  let page: ErrorPage;
  before(async () => {
    await start();
    await startLocally();
    view = await workbench.openView('Tracked Errors');
    await selectProject(view, TRACKED);
  });
  beforeEach(async () => {
    const [first] = errorsOf(await view.untilRows((rows) => errorsOf(rows).length > 0, 'errors'));
    assert.ok(first);
    await view.clickRowAction(first.label, 'Show Error');
    page = await errorPage(first.label);
    await page.untilShown(({ event, isBusy }) => event !== null && !isBusy, 'the error');
  });
  afterEach(async () => {
    page.close();
    await workbench.clear();
  });

  it('the panel of an error shows older events, and the events of a day', async () => {
    const shown = async (accept: (id: string) => boolean, what: string): Promise<string> =>
      (await page.untilShown(({ event }) => accept(event?.id ?? ''), what)).event?.id ?? '';
    const latest = await shown((id) => id !== '', 'the latest event');
    page.send({ type: 'older' });
    const older = await shown((id) => id !== latest, 'an older event');
    page.send({ type: 'newer' });
    const { detail, event } = await page.untilShown((state) => state.event?.id === latest, 'the latest event again');
    const dayOf = (at: number): number => Math.floor(at / 86_400_000);
    const today = dayOf(event?.occurredAt ?? 0);
    const day = detail.daily.findIndex(({ count }, index) => count > 0 && today - (27 - index) < today);
    assert.notEqual(day, -1);
    const from = (dayOf(Date.now()) - (27 - day)) * 86_400_000;
    page.send({ type: 'range', range: { from, until: from + 86_400_000 } });
    await shown((id) => id !== latest && id !== older && id !== '', 'an event of that day');
    page.send({ type: 'range', range: null });
    await shown((id) => id === latest, 'all events');
  });

  it('the panel of an error copies it as Markdown, as a stack trace and as JSON', async () => {
    for (const [as, accept] of [
      ['markdown', (text: string) => text.startsWith('# ') && text.includes('## Stack trace')],
      ['stack', (text: string) => !text.startsWith('# ') && /^ {4}at /m.test(text)],
      ['json', (text: string) => text.startsWith('{') && 'data' in JSON.parse(text)],
    ] as const) {
      await workbench.setClipboard('');
      page.send({ type: 'copy', as });
      await until(workbench.clipboard, accept, as);
    }
  });

  it('the panel of an error resolves, reopens and ignores it, and says what shows that the fix works', async () => {
    page.send({ type: 'action', action: 'resolve' });
    const { detail } = await page.untilShown((state) => state.detail.status === 'resolved', 'resolved');
    await page.untilShown(({ fix }) => fix?.kind === 'waiting', 'what comes next');
    await view.untilRows(
      (rows) => !rows.some(({ name }) => name.startsWith(detail.title)),
      'the error left the list of unresolved ones',
    );
    page.send({ type: 'action', action: 'reopen' });
    await page.untilShown((state) => state.detail.status === 'unresolved', 'unresolved');
    page.send({ type: 'action', action: 'ignore' });
    await workbench.choose('Until it occurs a number of times…');
    await workbench.untilInput(({ prompt, title }) => `${prompt}${title}`.includes('umber of occurrences'), 'a number');
    await workbench.fillInput('5');
    await page.untilShown((state) => state.detail.status === 'ignored', 'ignored');
    page.send({ type: 'action', action: 'reopen' });
    await page.untilShown((state) => state.detail.status === 'unresolved', 'unresolved again');
  });
});
