import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ChosenProject } from '../activity/chosenProject.ts';
import type { Client } from '../api/client.ts';
import { readProjectBasic } from '../contract/projects.ts';
import { MAX_PROJECTS } from '../errorTracking/shownProjects.ts';

/** Number of projects that are offered: those with the latest activity. */
const OFFERED = 100;

interface ProjectItem extends vscode.QuickPickItem {
  readonly project: ChosenProject;
}

/** Lets the user select projects of which they are a member. `current` are selected at first. Resolves to undefined if canceled. */
export async function pickProjects(
  client: Client,
  current: readonly ChosenProject[],
): Promise<readonly ChosenProject[] | undefined> {
  const query = { membership: true, simple: true, per_page: OFFERED, order_by: 'last_activity_at' };
  const { items } = await client.list('/projects', readProjectBasic, query);
  const found: readonly ChosenProject[] = items.map(({ id, path_with_namespace: path }) => ({ id, path }));
  const others = current.filter((one) => !found.some(({ path }) => path === one.path));
  const shown: readonly ProjectItem[] = [...others, ...found].map((project) => ({
    project,
    label: project.path,
    picked: current.some(({ path }) => path === project.path),
  }));
  const picked = await vscode.window.showQuickPick(shown, {
    title: l10n.t('Projects of the Tracked Errors View'),
    placeHolder: l10n.t('Select up to {0} projects', MAX_PROJECTS),
    canPickMany: true,
  });
  return picked?.slice(0, MAX_PROJECTS).map(({ project }) => project);
}
