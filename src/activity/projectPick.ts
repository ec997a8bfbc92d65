import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client, Page } from '../api/client.ts';
import { failureOfError } from '../api/failures.ts';
import { type ProjectBasic, readProjectBasic } from '../contract/projects.ts';
import type { ChosenProject } from './chosenProject.ts';

interface ProjectItem extends vscode.QuickPickItem {
  readonly project: ChosenProject;
}

/** More projects than this are not read into a list that a person looks through. */
const MOST_PAGES = 10;

/** A project that is offered before the instance has answered. */
export interface OfferedProject {
  readonly project: ChosenProject;
  /** Why it is offered. */
  readonly reason: string;
  /** Id of a theme icon. */
  readonly icon: string;
}

/** Lets the person choose one of the account's projects; undefined when they step back. The list fills while it is open. */
export function pickProject(
  client: Client,
  current: ChosenProject | undefined,
  offered: readonly OfferedProject[],
): Promise<ChosenProject | undefined> {
  const known = new Set(offered.map(({ project }) => project.path));
  const pick = vscode.window.createQuickPick<ProjectItem>();
  pick.title = l10n.t('Project Activity');
  pick.placeholder = l10n.t('Project whose activity is shown');
  pick.matchOnDescription = true;
  pick.busy = true;
  pick.items = offered.map(({ project, reason, icon }) => ({
    label: project.path.split('/').at(-1) ?? project.path,
    description: project.path,
    detail: project.path === current?.path ? l10n.t('{0}, shown now', reason) : reason,
    iconPath: new vscode.ThemeIcon(icon),
    project,
  }));
  const closed = new AbortController();

  async function fill(): Promise<void> {
    const query = { membership: true, simple: true, order_by: 'last_activity_at', per_page: 100 };
    let page: Page<ProjectBasic> = await client.list('/projects', readProjectBasic, query, closed.signal);
    for (let pages = 1; ; pages += 1) {
      pick.items = [...pick.items, ...page.items.filter((project) => !known.has(project.path_with_namespace)).map(itemOf)];
      if (page.next === undefined || pages === MOST_PAGES) break;
      page = await client.follow(page.next, readProjectBasic, closed.signal);
    }
    if (pick.items.length === 0) pick.placeholder = l10n.t('This account is a member of no project');
  }

  function itemOf({ id, name, path_with_namespace: path }: ProjectBasic): ProjectItem {
    const isCurrent = path === current?.path;
    return {
      label: name,
      description: path,
      project: { id, path },
      ...(isCurrent ? { detail: l10n.t('shown now') } : {}),
    };
  }

  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.project);
      pick.hide();
    });
    pick.onDidHide(() => {
      closed.abort();
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
    fill()
      .catch((error: unknown) => {
        const failure = failureOfError(error);
        if (failure === undefined && !closed.signal.aborted) throw error;
        if (failure !== undefined) pick.placeholder = failure.message;
      })
      .finally(() => {
        pick.busy = false;
      });
  });
}
