import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { visible } from '../contract/visibleText.ts';
import { createSearchList } from '../ui/searchList.ts';
import { pickFromSearch } from '../ui/searchPick.ts';
import type { NotificationRow } from './rows.ts';
import { globalScope, keyOfScope, type NotificationScope } from './scopes.ts';
import { nameOfScope } from './texts.ts';
import type { SignedIn } from './signedIn.ts';

/** Returns the scope of a row, undefined for rows without one. */
export function scopeOfRow(row: NotificationRow | undefined): NotificationScope | undefined {
  return row !== undefined && 'scope' in row ? row.scope : undefined;
}

/** Returns the scope of the row, or lets the user select one if the command was run without a row. */
export async function scopeFor(
  { api, model }: SignedIn,
  row: NotificationRow | undefined,
  title: string,
  kinds: readonly NotificationScope['kind'][] = ['global', 'group', 'project'],
): Promise<NotificationScope | undefined> {
  const given = scopeOfRow(row);
  if (given !== undefined) return given;
  const offered = [globalScope, ...model().pins()].filter(({ kind }) => kinds.includes(kind));
  const part = (heading: string, kind: 'groups' | 'projects') => ({
    heading,
    first: (search: string, signal: AbortSignal) => api.list({ kind, search }, signal),
  });
  const list = createSearchList<NotificationScope>({
    parts: [part(l10n.t('Your groups'), 'groups'), part(l10n.t('Your projects'), 'projects')],
    follow: (link, signal) =>
      api.follow(
        { kind: new URL(link, 'http://localhost').pathname.endsWith('/api/v4/groups') ? 'groups' : 'projects', search: '' },
        link,
        signal,
      ),
    offered,
    keyOf: keyOfScope,
    textOf: ({ name, path }) => `${name} ${path}`,
    emptyText: l10n.t('You are not a member of any group or project'),
    after: (milliseconds, run) => {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
  });
  return pickFromSearch<NotificationScope>({
    title,
    placeholder: l10n.t('Select a group or project'),
    list,
    keyOf: keyOfScope,
    toItem: itemOfScope,
  });
}

/** Returns the entry of a scope in a list. */
export function itemOfScope(scope: NotificationScope): vscode.QuickPickItem {
  const { kind, name, path } = scope;
  const icon = kind === 'global' ? 'bell' : kind === 'group' ? 'organization' : 'repo';
  return {
    label: visible(kind === 'global' ? nameOfScope(scope) : name),
    description: visible(path),
    iconPath: new vscode.ThemeIcon(icon),
  };
}
