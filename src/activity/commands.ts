import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands, contextKeys, views } from '../ids.ts';
import { accountOf } from '../instances/accountKey.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import { accountKeyOf } from '../instances/currentAccount.ts';
import { browserUrl } from '../support/markdown.ts';
import type { Pages } from '../ui/openPage.ts';
import { setContext } from '../ui/setContext.ts';
import { activeDocument } from './activeDocument.ts';
import type { Activity } from './activity.ts';
import type { ActivityScope } from './choices.ts';
import { eventLink } from './documentAddress.ts';
import { type ActivityFilter, filterLike, NO_FILTER } from './filter.ts';
import { pickFilter } from './filterPick.ts';
import { pageOfEvent } from './links.ts';
import { pickPerson } from './personPick.ts';
import type { ActivityRow } from './rows.ts';
import { selectProject } from './selectProject.ts';

type EventRow = ActivityRow & { readonly kind: 'event' };

/** Commands of the activity views and of documents. Without a row, they use the selected one. */
export function activityCommands(activity: Activity, pages: Pages) {
  const { project } = activity;
  return {
    [commands.activityRefresh]: activity.refresh,
    [commands.activityLoadMore]: (row?: ActivityRow) => loadMore(activity, row),
    [commands.activityOpenInBrowser]: (target?: ActivityRow | vscode.Uri) => openInBrowser(activity, pages, target),
    [commands.activityCopyLink]: (row?: ActivityRow) => copyLink(activity, row),
    [commands.activityCopyDeepLink]: (row?: ActivityRow) => copyDeepLink(activity, row),
    [commands.activityOpen]: (row?: ActivityRow) => open(activity, row),
    [commands.activityOpenChanges]: (row?: ActivityRow) => openChanges(activity, row),
    [commands.activityOpenSource]: openSource,
    [commands.activityRefreshDocument]: (target?: vscode.Uri) => refreshDocument(activity, target),
    [commands.activitySelectProject]: () => whileSignedIn(activity, (account) => selectProject(account, project)),
    [commands.activityPinProject]: () => project.setPinned(true),
    [commands.activityUnpinProject]: () => project.setPinned(false),
    [commands.activityShowMine]: () => show(activity, { kind: 'mine' }),
    [commands.activityShowAll]: () => show(activity, { kind: 'all' }),
    [commands.activitySelectPerson]: () => whileSignedIn(activity, (account) => selectPerson(activity, account)),
    [commands.activityFilter]: async () => {
      const key = await signedInAccount(activity);
      if (key !== undefined) await setFilter(activity, key, await pickFilter(activity.filter()));
    },
    [commands.activityFilterLikeThis]: async (row?: ActivityRow) => {
      const target = eventOf(activity, row);
      const key = accountOf(target?.id);
      if (target !== undefined && key !== undefined)
        await setFilter(activity, key, filterLike(target.event, activity.choices.filter(key)));
    },
    [commands.activityClearFilter]: () => setFilter(activity, accountKeyOf(activity.connection.state()), NO_FILTER),
    [commands.activityMarkAllRead]: () => markAllRead(activity),
  };
}

/** Returns the key of the signed-in account; offers to sign in and returns undefined if there is none. */
async function signedInAccount({ connection }: Activity): Promise<string | undefined> {
  const key = accountKeyOf(connection.state());
  if (key === undefined) await vscode.commands.executeCommand(commands.signIn);
  return key;
}

/** Runs work with the signed-in account, or offers to sign in. */
async function whileSignedIn(activity: Activity, work: (account: BoundAccount) => Promise<void>): Promise<void> {
  const account = activity.connection.current();
  if ((await signedInAccount(activity)) !== undefined && account !== undefined) await work(account);
}

function selectedRow({ views: all }: Activity): ActivityRow | undefined {
  return all.map((view) => view.selected()).find((selected) => selected !== undefined);
}

/** Returns the event row that a command applies to: the row of its menu, or else the selected row. */
function eventOf(activity: Activity, row: ActivityRow | undefined): EventRow | undefined {
  const target = row ?? selectedRow(activity);
  return target?.kind === 'event' ? target : undefined;
}

async function loadMore(activity: Activity, row: ActivityRow | undefined): Promise<void> {
  const target = row ?? selectedRow(activity);
  await activity.views.find(({ feed }) => target?.id === `${feed.sourceKey()}/more`)?.loadMore();
}

async function show(activity: Activity, next: ActivityScope): Promise<void> {
  const key = await signedInAccount(activity);
  if (key !== undefined) await showAs(activity, key, next);
}

async function showAs(activity: Activity, key: string, next: ActivityScope): Promise<void> {
  await activity.choices.setScope(key, next);
  activity.update();
  await vscode.commands.executeCommand(`${views.activityMine}.focus`);
}

async function selectPerson(activity: Activity, account: BoundAccount): Promise<void> {
  const before = activity.scope();
  const person = await pickPerson(account.client(), before.kind === 'person' ? { ...before, name: before.username } : undefined);
  if (person !== undefined) await showAs(activity, account.key, { kind: 'person', id: person.id, username: person.username });
}

async function setFilter(
  { choices, update }: Activity,
  key: string | undefined,
  next: ActivityFilter | undefined,
): Promise<void> {
  if (key === undefined || next === undefined) return;
  await choices.setFilter(key, next);
  update();
}

function markAllRead({ connection, unread, loaded }: Activity): void {
  const key = accountKeyOf(connection.state());
  if (key !== undefined) unread.markRead(key, loaded());
}

function markOpened({ unread }: Activity, { event }: EventRow, { key }: BoundAccount): void {
  unread.markOpened(key, event);
}

/** Runs work with the row of an event and the account that the row was made for. Shows a failure. */
async function withEvent(
  activity: Activity,
  row: ActivityRow | undefined,
  work: (target: EventRow, account: BoundAccount) => Promise<void>,
): Promise<void> {
  const target = eventOf(activity, row);
  if (target === undefined) return;
  const account = activity.connection.bound(accountOf(target.id) ?? '');
  const problem = account.problem();
  if (problem !== undefined) void vscode.window.showErrorMessage(problem);
  else await work(target, account);
}

/** Returns the web page of an event row. If there is none, a message is shown. */
async function pageOfRow(activity: Activity, { event }: EventRow, account: BoundAccount): Promise<string | undefined> {
  const known = activity.names(account);
  if (event.project_id !== null) await known.learn([event.project_id]);
  const project = event.project_id === null ? undefined : known.get(event.project_id);
  const page = browserUrl(pageOfEvent(event, project?.web_url));
  if (page === undefined) showNoPageMessage();
  return page;
}

function pageOfDocument({ documents }: Activity, uri: vscode.Uri): string | undefined {
  const page = documents.pageOf(uri);
  if (page === undefined) showNoPageMessage();
  return page;
}

function showNoPageMessage(): void {
  void vscode.window.showInformationMessage(l10n.t('No web page is available for this event.'));
}

/** Opens the web page of a row or document; without a target (command palette) that of the active document. */
async function openInBrowser(activity: Activity, pages: Pages, target: ActivityRow | vscode.Uri | undefined): Promise<void> {
  const resolved = target ?? activeDocument();
  if (resolved instanceof vscode.Uri) {
    const page = pageOfDocument(activity, resolved);
    if (page !== undefined) await pages.open(page, activity.documents.accountOf(resolved));
    return;
  }
  await withEvent(activity, resolved, async (row, account) => {
    const page = await pageOfRow(activity, row, account);
    if (page === undefined) return;
    markOpened(activity, row, account);
    await pages.open(page, account);
  });
}

function copyLink(activity: Activity, row: ActivityRow | undefined): Promise<void> {
  return withEvent(activity, row, async (target, account) => {
    const page = await pageOfRow(activity, target, account);
    if (page !== undefined) await vscode.env.clipboard.writeText(page);
  });
}

function copyDeepLink(activity: Activity, row: ActivityRow | undefined): Promise<void> {
  return withEvent(activity, row, async ({ event: { id: event } }, { instance }) => {
    await vscode.env.clipboard.writeText(eventLink({ event, instance }, vscode.env.uriScheme, activity.extensionId));
  });
}

function open(activity: Activity, row: ActivityRow | undefined): Promise<void> {
  return withEvent(activity, row, async (target, account) => {
    markOpened(activity, target, account);
    await activity.documents.open(target.event, account);
    setContext(contextKeys.activityHasOpened, true);
  });
}

function openChanges(activity: Activity, row: ActivityRow | undefined): Promise<void> {
  return withEvent(activity, row, async (target, account) => {
    markOpened(activity, target, account);
    await activity.pushDiffs.open(target.event, account);
    setContext(contextKeys.activityHasOpened, true);
  });
}

/** Shows the Markdown of the active document in its tab. */
async function openSource(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.reopenTextEditor');
}

function refreshDocument({ documents }: Activity, target: vscode.Uri | undefined): void {
  const uri = target ?? activeDocument();
  if (uri !== undefined) documents.refresh(uri);
}
