import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import type { ActivityEvent } from '../contract/activity.ts';
import { commands, contextKeys, views } from '../ids.ts';
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
    [commands.activitySelectProject]: () =>
      whileSignedIn(activity, (client) => selectProject(client, activity.connection, project)),
    [commands.activityPinProject]: () => project.setPinned(true),
    [commands.activityUnpinProject]: () => project.setPinned(false),
    [commands.activityShowMine]: () => show(activity, { kind: 'mine' }),
    [commands.activityShowAll]: () => show(activity, { kind: 'all' }),
    [commands.activitySelectPerson]: () => whileSignedIn(activity, (client) => selectPerson(activity, client)),
    [commands.activityFilter]: async () => {
      if ((await signedInAccount(activity)) !== undefined) await setFilter(activity, await pickFilter(activity.filter()));
    },
    [commands.activityFilterLikeThis]: async (row?: ActivityRow) => {
      const event = eventOf(activity, row)?.event;
      if (event !== undefined) await setFilter(activity, filterLike(event, activity.filter()));
    },
    [commands.activityClearFilter]: () => setFilter(activity, NO_FILTER),
    [commands.activityMarkAllRead]: () => markAllRead(activity),
  };
}

/** Returns the key of the signed-in account; offers to sign in and returns undefined if there is none. */
async function signedInAccount({ connection }: Activity): Promise<string | undefined> {
  const key = accountKeyOf(connection.state());
  if (key === undefined) await vscode.commands.executeCommand(commands.signIn);
  return key;
}

/** Runs work with the client of the signed-in account, or offers to sign in. */
async function whileSignedIn(activity: Activity, work: (client: Client) => Promise<void>): Promise<void> {
  const client = activity.connection.client();
  if ((await signedInAccount(activity)) !== undefined && client !== undefined) await work(client);
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
  if (key === undefined) return;
  await activity.choices.setScope(key, next);
  activity.update();
  await vscode.commands.executeCommand(`${views.activityMine}.focus`);
}

async function selectPerson(activity: Activity, client: Client): Promise<void> {
  const before = activity.scope();
  const person = await pickPerson(client, before.kind === 'person' ? { ...before, name: before.username } : undefined);
  if (person !== undefined) await show(activity, { kind: 'person', id: person.id, username: person.username });
}

async function setFilter({ connection, choices, update }: Activity, next: ActivityFilter | undefined): Promise<void> {
  const key = accountKeyOf(connection.state());
  if (key === undefined || next === undefined) return;
  await choices.setFilter(key, next);
  update();
}

function markAllRead({ connection, unread, loaded }: Activity): void {
  const key = accountKeyOf(connection.state());
  if (key !== undefined) unread.markRead(key, loaded());
}

function markOpened({ connection, unread }: Activity, event: ActivityEvent): void {
  const key = accountKeyOf(connection.state());
  if (key !== undefined) unread.markOpened(key, event);
}

/** Returns the web page of an event row. If there is none, a message is shown. */
async function pageOfRow(activity: Activity, row: ActivityRow | undefined): Promise<string | undefined> {
  const event = eventOf(activity, row)?.event;
  if (event === undefined) return undefined;
  const known = activity.names();
  if (event.project_id !== null) await known?.learn([event.project_id]);
  const project = event.project_id === null ? undefined : known?.get(event.project_id);
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
  const page = resolved instanceof vscode.Uri ? pageOfDocument(activity, resolved) : await pageOfRow(activity, resolved);
  if (page === undefined) return;
  const event = resolved instanceof vscode.Uri ? undefined : eventOf(activity, resolved)?.event;
  if (event !== undefined) markOpened(activity, event);
  await pages.open(page);
}

async function copyLink(activity: Activity, row: ActivityRow | undefined): Promise<void> {
  const page = await pageOfRow(activity, row);
  if (page !== undefined) await vscode.env.clipboard.writeText(page);
}

async function copyDeepLink(activity: Activity, row: ActivityRow | undefined): Promise<void> {
  const event = eventOf(activity, row)?.event.id;
  if (event === undefined) return;
  const link = { event, instance: activity.connection.state().instance.key };
  await vscode.env.clipboard.writeText(eventLink(link, vscode.env.uriScheme, activity.extensionId));
}

async function open(activity: Activity, row: ActivityRow | undefined): Promise<void> {
  const event = eventOf(activity, row)?.event;
  if (event === undefined) return;
  markOpened(activity, event);
  await activity.documents.open(event);
  setContext(contextKeys.activityHasOpened, true);
}

async function openChanges(activity: Activity, row: ActivityRow | undefined): Promise<void> {
  const event = eventOf(activity, row)?.event;
  if (event === undefined) return;
  markOpened(activity, event);
  await activity.pushDiffs.open(event);
  setContext(contextKeys.activityHasOpened, true);
}

/** Shows the Markdown of the active document in its tab. */
async function openSource(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.reopenTextEditor');
}

function refreshDocument({ documents }: Activity, target: vscode.Uri | undefined): void {
  const uri = target ?? activeDocument();
  if (uri !== undefined) documents.refresh(uri);
}
