import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import type { Query } from '../api/encode.ts';
import { visible } from '../contract/visibleText.ts';
import { pickFromSearch } from '../ui/searchPick.ts';
import { createProjectOrGroupList, keyOfProjectOrGroup, type ProjectOrGroup, type ProjectOrGroupKind } from './lists.ts';

export interface PickSettings {
  readonly client: Client;
  readonly kind: ProjectOrGroupKind;
  readonly title: string;
  readonly placeholder: string;
  /** Suggestions, shown first and before the instance responds. */
  readonly offered?: readonly ProjectOrGroup[];
  /** Path of the current project or group. */
  readonly current?: string | undefined;
  /** Further parameters of the queries. */
  readonly restriction?: Query;
  /** True if the projects that the account maintains come before its other ones. */
  readonly listsMaintainedFirst?: boolean;
}

/** Lets the user select a project or group of the instance; resolves to undefined if canceled. */
export function pickProjectOrGroup(settings: PickSettings) {
  const { title, placeholder, offered = [], current, ...listSettings } = settings;
  const after = (milliseconds: number, run: () => void): (() => void) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  };
  const list = createProjectOrGroupList({ ...listSettings, offered, after });
  return pickFromSearch<ProjectOrGroup>({
    title,
    placeholder,
    list,
    keyOf: keyOfProjectOrGroup,
    toItem: (selected) => itemOf(selected, current),
  });
}

function itemOf({ name, path, reason, icon }: ProjectOrGroup, current: string | undefined): vscode.QuickPickItem {
  const shown = path === current ? (reason === undefined ? l10n.t('current') : l10n.t('{0}, current', reason)) : reason;
  return {
    label: visible(name),
    description: visible(path),
    ...(shown === undefined ? {} : { detail: shown }),
    ...(icon === undefined ? {} : { iconPath: new vscode.ThemeIcon(icon) }),
  };
}
