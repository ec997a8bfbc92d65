import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { readActivityEvent } from '../contract/activity.ts';
import { commands, contextKeys, views } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import type { Log } from '../support/log.ts';
import { browserUrl } from '../support/markdown.ts';
import { createProjectChoice } from './chosenProject.ts';
import { pageOfEvent } from './links.ts';
import type { FeedSource } from './model.ts';
import { pickProject } from './projectPick.ts';
import { createProjectNames, type ProjectNames } from './projects.ts';
import type { ActivityRow } from './rows.ts';
import { type ActivityView, createActivityView } from './view.ts';

/** Events of a page; a screen holds about twice as many rows. */
const PAGE = 20;

/** The two activity views with their commands. */
export function registerActivity(connection: Connection, workspaceState: vscode.Memento, log: Log): vscode.Disposable {
  const choice = createProjectChoice(workspaceState);
  let namesOf: { readonly client: Client; readonly names: ProjectNames } | undefined;

  function names(): ProjectNames | undefined {
    const client = connection.client();
    if (client === undefined) return undefined;
    if (namesOf?.client !== client) namesOf = { client, names: createProjectNames(client) };
    return namesOf.names;
  }

  function sourceOf(list: string, path: string): FeedSource | undefined {
    const situation = connection.situation();
    if (situation.kind !== 'signedIn') return undefined;
    // Looked up at each call: a local server that was restarted has another address.
    const client = (): Client => {
      const current = connection.client();
      if (current === undefined) throw new vscode.CancellationError();
      return current;
    };
    return {
      key: `${situation.instance.key}/${situation.account.id}/${list}`,
      first: async (signal) => client().list(path, readActivityEvent, { per_page: PAGE }, signal),
      follow: async (link, signal) => client().follow(link, readActivityEvent, signal),
    };
  }

  const chosen = () => choice.get(connection.situation().instance.key);

  const mine = createActivityView({
    viewId: views.activityMine,
    stateKey: contextKeys.activityMine,
    tells: 'project',
    connection,
    names,
    subject: () => {
      const situation = connection.situation();
      return situation.kind === 'signedIn' ? `@${situation.account.username} · ${situation.instance.label}` : '';
    },
    source: () => sourceOf('mine', '/events'),
    log,
  });
  const ofProject = createActivityView({
    viewId: views.activityProject,
    stateKey: contextKeys.activityProject,
    tells: 'author',
    connection,
    names,
    subject: () => chosen()?.path ?? 'missing',
    source: () => {
      const project = chosen();
      return project === undefined ? undefined : sourceOf(`project/${project.id}`, apiPath`/projects/${project.id}/events`);
    },
    log,
  });
  const all: readonly ActivityView[] = [mine, ofProject];

  async function refresh(): Promise<void> {
    await Promise.all(all.map((view) => view.refresh()));
  }

  async function loadMore(row: ActivityRow): Promise<void> {
    await all.find(({ feed }) => row.id === `${feed.sourceKey()}/more`)?.loadMore();
  }

  async function openInBrowser(row: ActivityRow): Promise<void> {
    if (row.kind !== 'event') return;
    const { event } = row;
    const known = names();
    if (event.project_id !== null) await known?.learn([event.project_id]);
    const project = event.project_id === null ? undefined : known?.get(event.project_id);
    const page = browserUrl(pageOfEvent(event, project?.web_url));
    if (page === undefined) {
      void vscode.window.showInformationMessage(vscode.l10n.t('The platform does not say on which page this event is shown.'));
      return;
    }
    await vscode.env.openExternal(vscode.Uri.parse(page, true));
  }

  async function selectProject(): Promise<void> {
    const client = connection.client();
    if (client === undefined) {
      await vscode.commands.executeCommand(commands.signIn);
      return;
    }
    const { key } = connection.situation().instance;
    const project = await pickProject(client, chosen());
    if (project === undefined) return;
    await choice.set(key, project);
    ofProject.follow();
  }

  return vscode.Disposable.from(
    ...all,
    vscode.commands.registerCommand(commands.activityRefresh, refresh),
    vscode.commands.registerCommand(commands.activityLoadMore, loadMore),
    vscode.commands.registerCommand(commands.activityOpenInBrowser, openInBrowser),
    vscode.commands.registerCommand(commands.activitySelectProject, selectProject),
  );
}
