import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { describeEvent } from '../activity/describe.ts';
import type { Documents } from '../activity/documents.ts';
import { failureOfError } from '../api/failures.ts';
import type { ActivityEvent } from '../contract/activity.ts';
import type { FileChange } from '../contract/changes.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import { fileParameters, loadFile, readFileParameters } from './file.ts';
import { loadPushDiff, type PushDiff } from './model.ts';
import { showFailure } from '../ui/showFailure.ts';

export interface PushDiffSettings {
  readonly documents: Documents;
}

export interface PushDiffs {
  /** Opens the changes of a push in the multi-file diff editor. Reports failures to the user. */
  readonly open: (event: ActivityEvent, account: BoundAccount) => Promise<void>;
}

/** Kind of the documents with a version of a file. */
const FILE = 'file';

export function createPushDiffs({ documents }: PushDiffSettings): PushDiffs {
  documents.add(FILE, async (account, parameters) => {
    const version = readFileParameters(parameters);
    const text =
      version === undefined
        ? l10n.t("Signalbox can't open this address.")
        : await loadFile(account.client(), version, vscode.env.language);
    return { text };
  });

  async function open(event: ActivityEvent, account: BoundAccount): Promise<void> {
    const { push_data: push, project_id: project } = event;
    if (push === null || project === null) return;
    const diff = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: l10n.t('Loading the changes of the push') },
      async () => loadPushDiff(account.client(), project, push),
    );
    if (diff.kind === 'nothing') {
      const details = l10n.t('Open Details');
      if ((await vscode.window.showInformationMessage(diff.reason, details)) === details) await documents.open(event, account);
      return;
    }
    const title = describeEvent(event, vscode.env.language, event.author_username ?? undefined).label;
    const files = diff.files.map((file) => sidesOf(project, diff, file, account)).filter((sides) => sides !== undefined);
    await vscode.commands.executeCommand('vscode.changes', title, files);
    if (diff.isTruncated)
      void vscode.window.showInformationMessage(
        l10n.t('This push changed more files. Only the first {0} are shown.', diff.files.length),
      );
  }

  /** Returns the label and the two versions of a file, as the multi-file diff editor takes them. */
  function sidesOf(project: number, { before, after }: PushDiff & { kind: 'files' }, file: FileChange, account: BoundAccount) {
    const uri = (commit: string | undefined, path: string): vscode.Uri | undefined =>
      commit === undefined ? undefined : documents.uriOf(FILE, path, fileParameters({ project, commit, path }), account);
    const left = file.new_file ? undefined : uri(before, file.old_path);
    const right = file.deleted_file ? undefined : uri(after, file.new_path);
    const label = right ?? left;
    return label === undefined ? undefined : [label, left, right];
  }

  return {
    open: async (event, account) => {
      try {
        await open(event, account);
      } catch (error) {
        const failure = failureOfError(error);
        if (failure === undefined) throw error;
        void showFailure(failure);
      }
    },
  };
}
