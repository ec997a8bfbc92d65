import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ErrorCode } from '../errorCode/code.ts';
import { markedFrames } from '../errorCode/frames.ts';
import type { DetailedError } from './markedProjects.ts';
import { showsBadges } from './needed.ts';

/** Badges in the Explorer: how many errors happened in a file. */
export interface Badges extends vscode.Disposable {
  /** Searches the files of errors again. Later calls replace earlier ones that are not done. */
  readonly show: (errors: readonly DetailedError[]) => Promise<void>;
}

/** The longest badge that VS Code shows has two characters. */
const MAX_COUNT = 99;

export function createBadges(code: ErrorCode): Badges {
  const changes = new vscode.EventEmitter<vscode.Uri[]>();
  let counts: ReadonlyMap<string, number> = new Map();
  let rounds = 0;

  const provider = vscode.window.registerFileDecorationProvider({
    onDidChangeFileDecorations: changes.event,
    provideFileDecoration: (file) => {
      const count = counts.get(file.toString());
      if (count === undefined) return undefined;
      const tooltip = count === 1 ? l10n.t('1 unresolved error') : l10n.t('{0} unresolved errors', count);
      return { badge: String(Math.min(count, MAX_COUNT)), tooltip };
    },
  });

  function replace(next: ReadonlyMap<string, number>): void {
    const changed = [...new Set([...counts.keys(), ...next.keys()])].filter((file) => counts.get(file) !== next.get(file));
    counts = next;
    if (changed.length > 0) changes.fire(changed.map((file) => vscode.Uri.parse(file)));
  }

  return {
    show: async (errors) => {
      rounds += 1;
      const round = rounds;
      const next = new Map<string, number>();
      if (showsBadges())
        for (const { project, detail } of errors) {
          const files = new Set<string>();
          // One after another, because each may search the whole workspace.
          for (const frame of markedFrames(detail)) {
            const match = await code.files.locate(project, frame);
            if (round !== rounds) return;
            if (match.kind === 'file') files.add(match.file.uri.toString());
          }
          for (const file of files) next.set(file, (next.get(file) ?? 0) + 1);
        }
      replace(next);
    },
    dispose: () => {
      rounds += 1;
      provider.dispose();
      changes.dispose();
    },
  };
}
