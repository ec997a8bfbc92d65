import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import type { RateLimits } from '../api/rateLimits.ts';
import { type ActivityEvent, readActivityEvent } from '../contract/activity.ts';
import { commands, contextKeys, views } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import type { Instances } from '../instances/instances.ts';
import type { Log } from '../support/log.ts';
import { browserUrl } from '../support/markdown.ts';
import type { ProjectOrGroup } from '../projects/lists.ts';
import { pickProjectOrGroup } from '../projects/pick.ts';
import { createPushDiffs } from '../pushDiff/open.ts';
import { createWindowMemory } from '../support/windowMemory.ts';
import type { LateView } from '../ui/lateView.ts';
import type { Uris } from '../ui/uris.ts';
import { accountKeyOf } from './accountKey.ts';
import type { EmptyKind, Subject } from './appearance.ts';
import { createResponseCache } from './cache.ts';
import { createChoices, type ActivityScope } from './choices.ts';
import type { ChosenProject } from './chosenProject.ts';
import { createClosedDays } from './closedDays.ts';
import type { CurrentProject } from './currentProject.ts';
import { DOCUMENT_SCHEME, eventLink } from './documentAddress.ts';
import { createDocuments } from './documents.ts';
import { registerEventLinks } from './eventLinks.ts';
import { type ActivityFilter, filterLike, formatFilter, isFiltering, NO_FILTER } from './filter.ts';
import { pickFilter } from './filterPick.ts';
import { forgetInstance } from './forget.ts';
import { pageOfEvent } from './links.ts';
import { keyOfList, type ListAddress, listOfPerson, listOfProject } from './lists.ts';
import type { Feed, FeedSource, SuccessResponse } from './model.ts';
import type { FeedOutcomes } from './outcomes.ts';
import { pickUser } from './personPick.ts';
import { createProjectNames, type ProjectNames } from './projects.ts';
import { type ActivityRow, prepareTimes } from './rows.ts';
import { createUnread, type SyncedMemento } from './unread.ts';
import { type ActivityView, createActivityView } from './view.ts';

/** Number of events, from the newest, whose project names are cached with them. */
const MAX_NAMED_EVENTS = 100;
/** Delay in milliseconds that keeps the work out of the startup of other extensions. */
const PREPARE_DELAY = 1000;

export interface ActivitySettings {
  readonly views: { readonly mine: LateView<ActivityRow>; readonly project: LateView<ActivityRow> };
  readonly uris: Uris;
  readonly connection: Connection;
  readonly instances: Instances;
  readonly project: CurrentProject;
  readonly limits: RateLimits;
  /** Fires when there may be newer activity. */
  readonly onDidHappen: vscode.Event<void>;
  /** `publisher.name`, used in links to this extension. */
  readonly extensionId: string;
  /** Fires with the key of a removed instance. */
  readonly onDidForget: vscode.Event<string>;
  readonly workspaceState: vscode.Memento;
  readonly globalState: SyncedMemento;
  /** Folder for data that can be recreated. */
  readonly cacheFolder: string;
  readonly outcomes: FeedOutcomes;
  readonly log: Log;
}

/** Creates the two activity views and their commands. */
export function createActivity(settings: ActivitySettings) {
  const { connection, instances, project: current, workspaceState, globalState, outcomes, log } = settings;
  const memory = createWindowMemory(workspaceState, globalState);
  const choices = createChoices(memory);
  const unread = createUnread(globalState);
  const closedDays = createClosedDays(workspaceState);
  const cache = createResponseCache(path.join(settings.cacheFolder, 'activity'), log);
  let namesOf: { readonly client: Client; readonly names: ProjectNames } | undefined;

  function names(): ProjectNames | undefined {
    const client = connection.client();
    if (client === undefined) return undefined;
    if (namesOf?.client !== client) namesOf = { client, names: createProjectNames(client) };
    return namesOf.names;
  }

  const account = (): string | undefined => accountKeyOf(connection.state());

  function filter(): ActivityFilter {
    const key = account();
    return key === undefined ? NO_FILTER : choices.filter(key);
  }

  function scope(): ActivityScope {
    const key = account();
    return key === undefined ? { kind: 'mine' } : choices.scope(key);
  }

  function sourceOf(list: ListAddress): FeedSource | undefined {
    const owner = account();
    if (owner === undefined) return undefined;
    const key = keyOfList(owner, list);
    // Looked up on each call: the address of the local server changes with a restart.
    const client = (): Client => {
      const current = connection.client();
      // The token of one account must not be used for the list of another.
      if (current === undefined || account() !== owner) throw new vscode.CancellationError();
      return current;
    };
    return {
      key,
      first: async (signal) => client().list(list.path, readActivityEvent, list.query, signal),
      follow: async (link, signal) => client().follow(link, readActivityEvent, signal),
      cached: async () => {
        const cached = await cache.read(owner, key);
        if (cached !== undefined) names()?.remember(cached.projects);
        return cached?.response;
      },
      store: (response) => void cacheResponse(owner, key, response),
    };
  }

  /** Caches a response together with the project names of its first rows. */
  async function cacheResponse(owner: string, key: string, response: SuccessResponse): Promise<void> {
    const known = names();
    const ids = [...new Set(response.events.slice(0, MAX_NAMED_EVENTS).map((event) => event.project_id))].filter(
      (id) => id !== null,
    );
    await known?.learn(ids);
    const projects = ids.map((id) => known?.get(id)).filter((project) => project !== undefined);
    await cache.write(owner, key, response, projects);
  }

  function subjectOf(text: string, ifEmpty: EmptyKind): Subject {
    const filtering = filter();
    if (!isFiltering(filtering)) return { text, ifEmpty };
    return { text: [text, formatFilter(filtering)].join(' · '), ifEmpty: 'emptyFiltered' };
  }

  function subjectOfMine(): Subject {
    const state = connection.state();
    if (state.kind !== 'signedIn') return { text: '', ifEmpty: 'empty' };
    const { label } = state.instance;
    const shown = scope();
    switch (shown.kind) {
      case 'mine':
        return subjectOf(`@${state.account.username} · ${label}`, 'empty');
      case 'all':
        return subjectOf(`${l10n.t('all my projects')} · ${label}`, 'emptyOfOthers');
      case 'person':
        return subjectOf(`@${shown.username} · ${label}`, 'emptyOfOthers');
    }
  }

  function subjectOfProject(): Subject | 'missing' {
    const project = current.get();
    return project === undefined ? 'missing' : subjectOf(project.path, 'empty');
  }

  const mine = createActivityView({
    viewId: views.activityMine,
    view: settings.views.mine,
    stateKey: contextKeys.activityMine,
    details: () => (scope().kind === 'all' ? 'both' : 'project'),
    connection,
    names,
    title: () => {
      switch (scope().kind) {
        case 'mine':
          return l10n.t('My Activity');
        case 'all':
          return l10n.t('Activity in All My Projects');
        case 'person':
          return l10n.t('User Activity');
      }
    },
    subject: subjectOfMine,
    source: () => sourceOf(listOfPerson(scope(), filter(), new Date())),
    warns: true,
    unread,
    limits: settings.limits,
    outcomes,
    closedDays,
    log,
  });
  const projectView = createActivityView({
    viewId: views.activityProject,
    view: settings.views.project,
    stateKey: contextKeys.activityProject,
    details: () => 'author',
    connection,
    names,
    title: () => l10n.t('Project Activity'),
    subject: subjectOfProject,
    source: () => {
      const project = current.get();
      return project === undefined ? undefined : sourceOf(listOfProject(project, filter(), new Date()));
    },
    warns: false,
    unread,
    limits: settings.limits,
    outcomes,
    closedDays,
    log,
  });
  const all: readonly ActivityView[] = [mine, projectView];
  const preparing = setTimeout(() => prepareTimes(vscode.env.language), PREPARE_DELAY);

  function updateViews(): void {
    void vscode.commands.executeCommand('setContext', contextKeys.activityWhose, scope().kind);
    void vscode.commands.executeCommand('setContext', contextKeys.activityIsFiltered, isFiltering(filter()));
    const project = current.get();
    const pinState = project === undefined ? 'none' : current.isPinned(project) ? 'pinned' : 'unpinned';
    void vscode.commands.executeCommand('setContext', contextKeys.activityProjectPin, pinState);
    for (const view of all) view.update();
  }

  async function refresh(): Promise<void> {
    // Relative dates such as "last 7 days" change at midnight.
    updateViews();
    await Promise.all(all.map((view) => view.refresh()));
  }

  async function loadMore(row: ActivityRow | undefined): Promise<void> {
    const target = row ?? selectedRow();
    await all.find(({ feed }) => target?.id === `${feed.sourceKey()}/more`)?.loadMore();
  }

  /** Returns the key of the signed-in account; offers to sign in and returns undefined if there is none. */
  async function signedInAccount(): Promise<string | undefined> {
    const key = account();
    if (key === undefined) await vscode.commands.executeCommand(commands.signIn);
    return key;
  }

  async function show(next: ActivityScope): Promise<void> {
    const key = await signedInAccount();
    if (key === undefined) return;
    await choices.setScope(key, next);
    updateViews();
    await vscode.commands.executeCommand(`${views.activityMine}.focus`);
  }

  async function selectPerson(): Promise<void> {
    const client = connection.client();
    if ((await signedInAccount()) === undefined || client === undefined) return;
    const before = scope();
    const person = await pickUser(client, before.kind === 'person' ? before.username : '');
    if (person !== undefined) await show({ kind: 'person', id: person.id, username: person.username });
  }

  async function setFilter(next: ActivityFilter | undefined): Promise<void> {
    const key = account();
    if (key === undefined || next === undefined) return;
    await choices.setFilter(key, next);
    updateViews();
  }

  function selectedRow(): ActivityRow | undefined {
    return all.map((view) => view.selected()).find((selected) => selected !== undefined);
  }

  /** Returns the event row that a command applies to: the row of its menu, or else the selected row. */
  function eventOf(row: ActivityRow | undefined): (ActivityRow & { kind: 'event' }) | undefined {
    const target = row ?? selectedRow();
    return target?.kind === 'event' ? target : undefined;
  }

  function loaded(id: number): ActivityEvent | undefined {
    return all.flatMap(({ feed }) => eventsOf(feed)).find((event) => event.id === id);
  }

  const documents = createDocuments({ connection, names, loaded });
  const pushDiffs = createPushDiffs({ connection, documents });

  async function pageOf(row: ActivityRow | undefined): Promise<string | undefined> {
    const event = eventOf(row)?.event;
    if (event === undefined) return undefined;
    const known = names();
    if (event.project_id !== null) await known?.learn([event.project_id]);
    const project = event.project_id === null ? undefined : known?.get(event.project_id);
    const page = browserUrl(pageOfEvent(event, project?.web_url));
    if (page === undefined) showNoPageMessage();
    return page;
  }

  function pageOfDocument(uri: vscode.Uri): string | undefined {
    const page = documents.pageOf(uri);
    if (page === undefined) showNoPageMessage();
    return page;
  }

  function showNoPageMessage(): void {
    void vscode.window.showInformationMessage(l10n.t('No web page is available for this event.'));
  }

  function activeDocument(): vscode.Uri | undefined {
    const uri = vscode.window.activeTextEditor?.document.uri;
    return uri?.scheme === DOCUMENT_SCHEME ? uri : undefined;
  }

  /** Opens the web page of a row or document; without a target (command palette) that of the active document. */
  async function openInBrowser(target: ActivityRow | vscode.Uri | undefined): Promise<void> {
    const resolved = target ?? activeDocument();
    const page = resolved instanceof vscode.Uri ? pageOfDocument(resolved) : await pageOf(resolved);
    if (page !== undefined) await vscode.env.openExternal(vscode.Uri.parse(page, true));
  }

  async function copyLink(row: ActivityRow | undefined): Promise<void> {
    const page = await pageOf(row);
    if (page !== undefined) await vscode.env.clipboard.writeText(page);
  }

  async function copyDeepLink(row: ActivityRow | undefined): Promise<void> {
    const event = eventOf(row)?.event.id;
    if (event === undefined) return;
    const link = { event, instance: connection.state().instance.key };
    await vscode.env.clipboard.writeText(eventLink(link, vscode.env.uriScheme, settings.extensionId));
  }

  async function open(row: ActivityRow | undefined): Promise<void> {
    const event = eventOf(row)?.event;
    if (event === undefined) return;
    await documents.open(event);
    void vscode.commands.executeCommand('setContext', contextKeys.activityHasOpened, true);
  }

  async function openChanges(row: ActivityRow | undefined): Promise<void> {
    const event = eventOf(row)?.event;
    if (event === undefined) return;
    await pushDiffs.open(event);
    void vscode.commands.executeCommand('setContext', contextKeys.activityHasOpened, true);
  }

  function refreshDocument(target: vscode.Uri | undefined): void {
    const uri = target ?? activeDocument();
    if (uri !== undefined) documents.refresh(uri);
  }

  function markAllRead(): void {
    const key = account();
    if (key === undefined) return;
    unread.markRead(
      key,
      all.flatMap(({ feed }) => eventsOf(feed)),
    );
  }

  async function selectProject(): Promise<void> {
    const client = connection.client();
    if ((await signedInAccount()) === undefined || client === undefined) return;
    const { key } = connection.state().instance;
    const here = current.ofWorkspace();
    const offer = ({ id, path: full }: ChosenProject, reason: string, icon: string): ProjectOrGroup => ({
      ...{ id, name: full.split('/').at(-1) ?? full, path: full, reason, icon },
    });
    const selected = await pickProjectOrGroup({
      client,
      kind: 'project',
      title: l10n.t('Project Activity'),
      placeholder: l10n.t('Select the project to show'),
      offered: [
        ...(here === undefined ? [] : [offer(here, l10n.t('from the open folder'), 'folder')]),
        ...current
          .pinned()
          .filter((pin) => pin.path !== here?.path)
          .map((pin) => offer(pin, l10n.t('pinned'), 'pinned')),
      ],
      current: current.get()?.path,
    });
    if (selected === undefined) return;
    await current.choose(key, { id: selected.id, path: selected.path });
  }

  let before = connection.state();
  const following = connection.onDidChange((state) => {
    const signedOut = accountKeyOf(before);
    // Cached data must not remain on disk after the account has signed out.
    if (state.kind === 'signedOut' && state.instance.key === before.instance.key && signedOut !== undefined)
      void cache.forget(signedOut);
    before = state;
    updateViews();
  });
  updateViews();

  const subscriptions = vscode.Disposable.from(
    following,
    settings.onDidForget((instance) => void forgetInstance(instance, memory, workspaceState, cache)),
    current,
    current.onDidChange(updateViews),
    settings.onDidHappen(() => {
      for (const view of all) view.expire();
    }),
    ...all,
    documents,
    registerEventLinks({ uris: settings.uris, connection, instances, memory: workspaceState, loaded, open: documents.open }),
  );
  return {
    dispose: () => {
      clearTimeout(preparing);
      subscriptions.dispose();
    },
    documents,
    commands: {
      [commands.activityRefresh]: refresh,
      [commands.activityLoadMore]: loadMore,
      [commands.activityOpenInBrowser]: openInBrowser,
      [commands.activityCopyLink]: copyLink,
      [commands.activityCopyDeepLink]: copyDeepLink,
      [commands.activityOpen]: open,
      [commands.activityOpenChanges]: openChanges,
      [commands.activityRefreshDocument]: refreshDocument,
      [commands.activitySelectProject]: selectProject,
      [commands.activityPinProject]: () => current.setPinned(true),
      [commands.activityUnpinProject]: () => current.setPinned(false),
      [commands.activityShowMine]: () => show({ kind: 'mine' }),
      [commands.activityShowAll]: () => show({ kind: 'all' }),
      [commands.activitySelectPerson]: selectPerson,
      [commands.activityFilter]: async () => {
        if ((await signedInAccount()) !== undefined) await setFilter(await pickFilter(filter()));
      },
      [commands.activityFilterLikeThis]: async (row?: ActivityRow) => {
        const event = eventOf(row)?.event;
        if (event !== undefined) await setFilter(filterLike(event, filter()));
      },
      [commands.activityClearFilter]: () => setFilter(NO_FILTER),
      [commands.activityMarkAllRead]: markAllRead,
    },
  };
}

function eventsOf(feed: Feed): readonly ActivityEvent[] {
  const state = feed.state();
  return state.kind === 'ready' ? state.events : [];
}
