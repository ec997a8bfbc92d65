import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import type { RateLimits } from '../api/rateLimits.ts';
import type { ActivityEvent } from '../contract/activity.ts';
import { contextKeys, views } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { accountOf } from '../instances/accountKey.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import { accountKeyOf, shownAccountKey } from '../instances/currentAccount.ts';
import type { Instances } from '../instances/instances.ts';
import { createPushDiffs, type PushDiffs } from '../pushDiff/open.ts';
import type { Log } from '../support/log.ts';
import { createWindowMemory } from '../support/windowMemory.ts';
import type { LateView } from '../ui/lateView.ts';
import { setContext } from '../ui/setContext.ts';
import type { Uris } from '../ui/uris.ts';
import { createResponseCache, type ResponseCache } from './cache.ts';
import { type ActivityScope, type Choices, createChoices } from './choices.ts';
import { createClosedDays } from './closedDays.ts';
import type { CurrentProject } from './currentProject.ts';
import { createDocuments, type Documents } from './documents.ts';
import { registerEventLinks } from './eventLinks.ts';
import { type ActivityFilter, isFiltering, NO_FILTER } from './filter.ts';
import { forgetInstance } from './forget.ts';
import { listOfPerson, listOfProject } from './lists.ts';
import type { FeedOutcomes } from './outcomes.ts';
import { createProjectNames, type ProjectNames } from './projects.ts';
import { type ActivityRow, prepareTimes } from './rows.ts';
import { feedSourceOf } from './sources.ts';
import { subjectOfProject, subjectOfScope, titleOfScope } from './subjects.ts';
import { createUnread, type SyncedMemento, type Unread } from './unread.ts';
import { type ActivityView, createActivityView } from './view.ts';

/** Delay in milliseconds that keeps the work out of the startup of other extensions. */
const PREPARE_DELAY = 1000;

export interface ActivitySettings {
  readonly views: { readonly mine: LateView<ActivityRow>; readonly project: LateView<ActivityRow> };
  readonly uris: Uris;
  readonly connection: Connection;
  readonly instances: Instances;
  readonly project: CurrentProject;
  readonly limits: RateLimits;
  /** Returns true if the current instance leaves events of merge requests out of lists of people, as its dialect demands. */
  readonly isWithoutMergeRequests: () => boolean;
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
  /** Opens a web page in the browser, on a local server as the account. */
  readonly openPage: (address: string, account: BoundAccount) => Promise<void>;
  readonly outcomes: FeedOutcomes;
  readonly log: Log;
}

/** The two activity views with what their commands share. */
export interface Activity extends vscode.Disposable {
  readonly views: readonly ActivityView[];
  readonly documents: Documents;
  readonly pushDiffs: PushDiffs;
  readonly connection: Connection;
  readonly project: CurrentProject;
  readonly choices: Choices;
  readonly unread: Unread;
  /** Returns the project names of an account. */
  readonly names: (account: BoundAccount) => ProjectNames;
  /** Filter and scope of the signed-in account. */
  readonly filter: () => ActivityFilter;
  readonly scope: () => ActivityScope;
  /** Returns the events that the views have loaded. */
  readonly loaded: () => readonly ActivityEvent[];
  /** Must be called when filter or scope have changed. */
  readonly update: () => void;
  readonly refresh: () => Promise<void>;
  /** `publisher.name`, used in links to this extension. */
  readonly extensionId: string;
}

/** Creates the two activity views. */
export function createActivity(settings: ActivitySettings): Activity {
  const { connection, project, workspaceState, globalState, log } = settings;
  const memory = createWindowMemory(workspaceState, globalState);
  const choices = createChoices(memory);
  const unread = createUnread(globalState);
  const cache = createResponseCache(path.join(settings.cacheFolder, 'activity'), log);
  const namesOf = namesByClient();
  const names = (): ProjectNames | undefined => {
    const account = connection.current();
    return account === undefined ? undefined : namesOf(account);
  };
  const filter = (): ActivityFilter => {
    const account = shownAccountKey(connection.state());
    return account === undefined ? NO_FILTER : choices.filter(account);
  };
  const scope = (): ActivityScope => {
    const account = shownAccountKey(connection.state());
    return account === undefined ? { kind: 'mine' } : choices.scope(account);
  };
  const sources = { connection, cache, names };
  const { limits, outcomes } = settings;
  const shared = { connection, names, unread, limits, outcomes, closedDays: createClosedDays(workspaceState), log };
  const mine = createActivityView({
    ...shared,
    viewId: views.activityMine,
    view: settings.views.mine,
    stateKey: contextKeys.activityMine,
    details: () => (scope().kind === 'all' ? 'both' : 'project'),
    title: () => titleOfScope(scope()),
    subject: () => subjectOfScope(scope(), filter(), connection.state(), settings.isWithoutMergeRequests()),
    source: () => feedSourceOf(sources, listOfPerson(scope(), filter(), new Date())),
    text: () => filter().text,
    warns: true,
  });
  const ofProject = createActivityView({
    ...shared,
    viewId: views.activityProject,
    view: settings.views.project,
    stateKey: contextKeys.activityProject,
    details: () => 'author',
    title: () => l10n.t('Project Activity'),
    subject: () => subjectOfProject(project.get(), filter()),
    source: () => {
      const current = project.get();
      return current === undefined ? undefined : feedSourceOf(sources, listOfProject(current, filter(), new Date()));
    },
    text: () => filter().text,
    warns: false,
  });
  const all: readonly ActivityView[] = [mine, ofProject];
  const loaded = (): readonly ActivityEvent[] => all.flatMap(eventsOf);
  const loadedEvent = (account: string, id: number): ActivityEvent | undefined =>
    all
      .filter(({ feed }) => accountOf(feed.sourceKey()) === account)
      .flatMap(eventsOf)
      .find((event) => event.id === id);
  const preparing = setTimeout(() => prepareTimes(vscode.env.language), PREPARE_DELAY);

  function update(): void {
    setContext(contextKeys.activityWhose, scope().kind);
    setContext(contextKeys.activityIsFiltered, isFiltering(filter()));
    setContext(contextKeys.activityProjectPin, pinStateOf(project));
    for (const view of all) view.update();
  }

  const documents = createDocuments({ connection, names: namesOf, loaded: loadedEvent, openPage: settings.openPage });
  const { uris, instances } = settings;
  const links = { uris, connection, instances, memory: workspaceState, loaded: loadedEvent, open: documents.open };
  update();
  const subscriptions = vscode.Disposable.from(
    { dispose: () => clearTimeout(preparing) },
    forgetAfterSignOut(connection, cache),
    connection.onDidChange(update),
    settings.onDidForget((instance) => void forgetInstance(instance, memory, workspaceState, cache)),
    project,
    project.onDidChange(update),
    settings.onDidHappen(() => {
      for (const view of all) view.expire();
    }),
    ...all,
    documents,
    registerEventLinks(links),
  );
  return {
    views: all,
    documents,
    pushDiffs: createPushDiffs({ documents }),
    connection,
    project,
    choices,
    unread,
    names: namesOf,
    filter,
    scope,
    loaded,
    update,
    refresh: async () => {
      // Relative dates such as "last 7 days" change at midnight.
      update();
      await Promise.all(all.map((view) => view.refresh()));
    },
    extensionId: settings.extensionId,
    dispose: () => {
      subscriptions.dispose();
    },
  };
}

/** Returns a function that returns the project names of an account. */
function namesByClient(): (account: BoundAccount) => ProjectNames {
  const known = new WeakMap<Client, ProjectNames>();
  return (account) => {
    const client = account.client();
    const names = known.get(client) ?? createProjectNames(client);
    known.set(client, names);
    return names;
  };
}

function pinStateOf(project: CurrentProject): 'none' | 'pinned' | 'unpinned' {
  const current = project.get();
  if (current === undefined) return 'none';
  return project.isPinned(current) ? 'pinned' : 'unpinned';
}

/** Removes cached data from the disk after its account has signed out. */
function forgetAfterSignOut(connection: Connection, cache: ResponseCache): vscode.Disposable {
  let before = connection.state();
  return connection.onDidChange((state) => {
    const account = accountKeyOf(before);
    // The rows of an account whose session the instance has ended stay until it signs in again.
    const isSignedOut = state.kind === 'signedOut' && state.ended === undefined;
    if (isSignedOut && state.instance.key === before.instance.key && account !== undefined) void cache.forget(account);
    before = state;
  });
}

function eventsOf({ feed }: ActivityView): readonly ActivityEvent[] {
  const state = feed.state();
  return state.kind === 'ready' ? state.events : [];
}
