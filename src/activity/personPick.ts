import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import { visible } from '../contract/visibleText.ts';
import { pickFromSearch } from '../ui/searchPick.ts';
import { createPersonList, type Person } from './person.ts';

/** Lets the user search for a user by name or username; resolves to undefined if canceled. `shown` is the user that the view shows. */
export function pickPerson(client: Client, shown: Person | undefined): Promise<Person | undefined> {
  const after = (milliseconds: number, run: () => void): (() => void) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  };
  return pickFromSearch<Person>({
    title: l10n.t('User Activity'),
    placeholder: l10n.t('Search users by name or username'),
    list: createPersonList(client, shown === undefined ? [] : [shown], after),
    keyOf: ({ id }) => String(id),
    toItem: ({ id, name, username }) => ({
      label: visible(name),
      description: visible(`@${username}`),
      ...(id === shown?.id ? { detail: l10n.t('current') } : {}),
      iconPath: new vscode.ThemeIcon('person'),
    }),
  });
}
