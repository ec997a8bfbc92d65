import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { visible } from '../contract/visibleText.ts';
import { commands, settings as settingIds, views } from '../ids.ts';
import { settingOf } from '../support/settings.ts';
import { titleOf } from './rows.ts';
import type { ErrorOfProject } from './target.ts';

/** Setting that says how VS Code announces errors that are new or came back. */
export type NewErrorMode = 'off' | 'badge' | 'notify';

export function newErrorMode(): NewErrorMode {
  const mode: unknown = settingOf(settingIds.errorTrackingNewErrors);
  return mode === 'off' || mode === 'notify' ? mode : 'badge';
}

/** Calls `changed` when one of the settings for new errors has changed. */
export function onDidChangeNewErrorSettings(changed: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((change) => {
    const isAffected =
      change.affectsConfiguration(settingIds.errorTrackingNewErrors) ||
      change.affectsConfiguration(settingIds.errorTrackingNewErrorLevels) ||
      change.affectsConfiguration(settingIds.errorTrackingNewErrorEnvironments);
    if (isAffected) changed();
  });
}

/** Returns true if the settings name the level and an environment of an error, or no level and environment at all. */
export function isWorthTelling({ error }: Pick<ErrorOfProject, 'error'>): boolean {
  const levels = stringsOf(settingOf(settingIds.errorTrackingNewErrorLevels));
  const environments = stringsOf(settingOf(settingIds.errorTrackingNewErrorEnvironments));
  // What the instance does not say cannot be compared.
  const hasLevel = levels.length === 0 || error.level === null || levels.includes(error.level);
  const isKnown = environments.length > 0 && error.environments.length > 0;
  return hasLevel && (!isKnown || error.environments.some((name) => environments.includes(name)));
}

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

/** Notifies of each error once per window, with one message at a time. */
export interface NewErrorNotice {
  readonly tell: (errors: readonly ErrorOfProject[]) => void;
}

/** `isNew` tells whether the user has not opened an error meanwhile. */
export function createNewErrorNotice(isNew: (error: ErrorOfProject) => boolean): NewErrorNotice {
  const reported = new Set<string>();
  let waiting: readonly ErrorOfProject[] = [];
  let isShown = false;

  async function showNext(): Promise<void> {
    const errors = waiting.filter(isNew);
    waiting = [];
    const [first] = errors;
    if (first === undefined || isShown) return;
    isShown = true;
    const show = errors.length === 1 ? l10n.t('Show Error') : l10n.t('Show Errors');
    const picked = await vscode.window.showInformationMessage(textOf(first, errors), show, l10n.t('Mark as Read'));
    isShown = false;
    if (picked === show) {
      if (errors.length === 1) await vscode.commands.executeCommand(commands.errorTrackingShow, { kind: 'error', ...first });
      else await vscode.commands.executeCommand(`${views.errorTracking}.focus`);
    } else if (picked !== undefined) await vscode.commands.executeCommand(commands.errorTrackingMarkAllRead);
    await showNext();
  }

  return {
    tell: (errors) => {
      const fresh = errors.filter((one) => !reported.has(keyOf(one)));
      for (const one of fresh) reported.add(keyOf(one));
      waiting = [...waiting, ...fresh];
      if (!isShown && waiting.length > 0) void showNext();
    },
  };
}

/** An error that came back again is told again. */
function keyOf({ project, error }: ErrorOfProject): string {
  return JSON.stringify([project.path, error.id, error.isRegression]);
}

function textOf({ error, project }: ErrorOfProject, errors: readonly ErrorOfProject[]): string {
  if (errors.length > 1) return l10n.t('{0} new errors in {1}', errors.length, project.path);
  const title = visible(titleOf(error)).slice(0, 120);
  return error.isRegression
    ? l10n.t('An error came back in {0}: {1}', project.path, title)
    : l10n.t('New error in {0}: {1}', project.path, title);
}
