import * as vscode from 'vscode';
import { releases } from '../contract/emulation.ts';
import type { Release } from '../contract/releases.ts';
import { releaseChanges } from './releaseChanges.ts';

interface ReleaseItem extends vscode.QuickPickItem {
  readonly release?: Release;
}

export interface ReleasePick {
  readonly title: string;
  readonly placeholder: string;
  /** Marked and focused. */
  readonly current: Release | undefined;
  /** Text beside the current release. */
  readonly currentText: string;
}

/** Lets the user select a release, newest first, with what it changes. */
export async function pickRelease({ title, placeholder, current, currentText }: ReleasePick): Promise<Release | undefined> {
  const items = releases.toReversed().flatMap((release, index, all): ReleaseItem[] => {
    const isCurrent = release === current;
    const item: ReleaseItem = {
      label: release,
      description: isCurrent ? currentText : '',
      detail: releaseChanges(release).join(' · '),
      iconPath: new vscode.ThemeIcon(isCurrent ? 'check' : 'versions'),
      release,
    };
    const isFirstOfMajor = majorOf(release) !== majorOf(all[index - 1]);
    return isFirstOfMajor ? [{ label: majorOf(release), kind: vscode.QuickPickItemKind.Separator }, item] : [item];
  });
  const picker = vscode.window.createQuickPick<ReleaseItem>();
  try {
    picker.title = title;
    picker.placeholder = placeholder;
    picker.matchOnDescription = true;
    picker.matchOnDetail = true;
    picker.items = items;
    picker.activeItems = items.filter(({ release }) => release !== undefined && release === current);
    return await new Promise<Release | undefined>((resolve) => {
      picker.onDidAccept(() => resolve(picker.activeItems[0]?.release));
      picker.onDidHide(() => resolve(undefined));
      picker.show();
    });
  } finally {
    picker.dispose();
  }
}

function majorOf(release: Release | undefined): string {
  return release?.split('.')[0] ?? '';
}
