import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiFailure } from '../api/failures.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
import { visible } from '../contract/visibleText.ts';
import { errorPage } from '../errorTracking/errorPage.ts';
import { titleOf } from '../errorTracking/rows.ts';
import type { ErrorProject } from '../errorTracking/source.ts';
import type { ResourceChoice } from '../errorTracking/sources.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import { CannotChange, createErrorChanges, type ErrorChange, type ErrorChanges } from './changes.ts';
import type { ErrorSubject } from './subject.ts';
import { mayWrite, showFailure } from '../ui/showFailure.ts';

export interface ChangerSettings {
  readonly bound: (account: string) => BoundAccount;
  readonly choice: ResourceChoice;
  /** Returns the text that explains a failed request to the user; undefined for other errors. */
  readonly describeFailure: (error: unknown) => string | undefined;
  /** Opens an address, or a path of the instance of an account, in the browser. */
  readonly openPage: (address: string, account: BoundAccount) => Promise<void>;
  /** Runs something while the Tracked Errors view shows that it is busy. */
  readonly withProgress: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Called with the errors of an action after its dialogs: this repaints the view, which VS Code then focuses if it has just had the focus,
   * and that would close a dialog.
   */
  readonly markOpened: (subject: ErrorSubject) => void;
  /** Called after errors were changed. */
  readonly changed: () => Promise<void>;
}

/** Changes errors, shows failures, and remembers what can be undone. */
export interface ErrorChanger {
  readonly changesOf: (project: ErrorProject) => ErrorChanges;
  /** Returns undefined after a failure, which is shown. */
  readonly attempt: <T>(subject: ErrorSubject | undefined, work: () => Promise<T>) => Promise<T | undefined>;
  /** Says that the instance has no API for an action, and offers the page of the error. */
  readonly offerPage: (subject: ErrorSubject) => Promise<void>;
  /** Makes the same change to all errors, and offers to undo it. */
  readonly change: (subjects: readonly ErrorSubject[], wanted: ErrorChange, describe: Describe) => Promise<void>;
  /** Remembers a change of an error, as the instance returned it, for undo. */
  readonly remember: (subject: ErrorSubject, after: TrackedError) => void;
  /** Undoes the latest change of an error. Returns the ID of the error that has its data afterwards. */
  readonly undo: (subject: ErrorSubject) => Promise<string | undefined>;
  /** Undoes what this window changed last. */
  readonly undoLast: () => Promise<void>;
}

/** Returns the message about a change, from the name of the errors and from the errors after it. */
export type Describe = (title: string, after: readonly TrackedError[]) => string;

/** Changes that are undone together, the latest last. All are of one account. */
type Undoable = readonly MadeChange[];

interface MadeChange {
  readonly project: ErrorProject;
  readonly errorId: string;
  readonly changeId: number;
}

/** Maximum number of characters of a title in a message. */
const MAX_TITLE = 80;
/** Maximum number of actions that can be undone one after the other. */
const MAX_UNDOABLE = 20;

export function createChanger(settings: ChangerSettings): ErrorChanger {
  const { bound, choice, withProgress } = settings;
  let done: readonly Undoable[] = [];
  const changesOf = (project: ErrorProject): ErrorChanges => createErrorChanges(bound(project.account).client(), project, choice);

  const remember = (undoable: Undoable): void => {
    done = [...done, undoable].slice(-MAX_UNDOABLE);
  };

  async function attempt<T>(subject: ErrorSubject | undefined, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await withProgress(work);
    } catch (failure) {
      if (failure instanceof CannotChange && subject !== undefined) await offerPage(subject, failure.message);
      else {
        const text = settings.describeFailure(failure);
        if (text === undefined) throw failure;
        if (failure instanceof ApiFailure) void showFailure(failure, text);
        else void vscode.window.showErrorMessage(text);
      }
      return undefined;
    }
  }

  async function offerPage(subject: ErrorSubject, text: string): Promise<void> {
    const { project, errors } = subject;
    settings.markOpened(subject);
    const open = l10n.t('Open in Browser');
    const [error] = errors;
    if ((await vscode.window.showInformationMessage(text, open)) !== open || error === undefined) return;
    await settings.openPage(errorPage('', project.path, error.id), bound(project.account));
  }

  async function change(subjects: readonly ErrorSubject[], wanted: ErrorChange, describe: Describe): Promise<void> {
    const [first] = subjects;
    if (first === undefined) return;
    for (const subject of subjects) settings.markOpened(subject);
    const account = bound(first.project.account);
    const made: MadeChange[] = [];
    const changed: TrackedError[] = [];
    const isComplete = await attempt(first, async () => {
      try {
        for (const { project, errors } of subjects) {
          const changes = changesOf(project);
          for (const error of errors) {
            const after = await changes.apply(error.id, wanted);
            changed.push(after);
            // Without a new change, the error was like this before.
            if (after.lastChange !== null && after.lastChange.id !== error.lastChange?.id)
              made.push({ project, errorId: after.id, changeId: after.lastChange.id });
          }
        }
      } finally {
        if (made.length > 0) remember(made);
        await settings.changed();
      }
      return true;
    });
    if (isComplete !== true) return;
    const text = account.named(describe(subjectText(subjects.flatMap(({ errors }) => errors)), changed));
    const undo = l10n.t('Undo');
    const picked = await vscode.window.showInformationMessage(text, ...(made.length > 0 ? [undo] : []));
    if (picked === undo) await undoChanges(made);
  }

  async function undoLast(): Promise<void> {
    const last = done.at(-1);
    if (last === undefined)
      void vscode.window.showInformationMessage(l10n.t('This window has not changed an error that could be undone.'));
    else await undoChanges(last);
  }

  /** Undoes changes with the account that has made them. After a failure, they can be undone again. */
  async function undoChanges(undone: Undoable): Promise<void> {
    const [first] = undone;
    if (first === undefined) return;
    const account = bound(first.project.account);
    if (!mayWrite(account)) return;
    let rest = undone;
    const isUndone = await attempt(undefined, async () => {
      for (const change of undone.toReversed()) {
        await changesOf(change.project).apply(change.errorId, { kind: 'undo', changeId: change.changeId });
        rest = rest.filter((one) => one !== change);
      }
      return true;
    });
    done = done.flatMap((one) => (one !== undone ? [one] : rest.length === 0 ? [] : [rest]));
    await settings.changed();
    if (isUndone === true) vscode.window.setStatusBarMessage(account.named(l10n.t('The change was undone')), 5_000);
  }

  return {
    ...{ changesOf, attempt, change, undoLast },
    offerPage: (subject) => offerPage(subject, new CannotChange().message),
    remember: ({ project }, { id: errorId, lastChange }) => {
      if (lastChange !== null) remember([{ project, errorId, changeId: lastChange.id }]);
    },
    undo: async (subject) => {
      if (!mayWrite(bound(subject.project.account))) return undefined;
      const [error] = subject.errors;
      if (error?.lastChange === null || error === undefined) {
        void vscode.window.showInformationMessage(l10n.t('This error has no change that could be undone.'));
        return undefined;
      }
      const { id: changeId } = error.lastChange;
      const after = await attempt(subject, () => changesOf(subject.project).apply(error.id, { kind: 'undo', changeId }));
      done = done.filter((changes) => !changes.some((one) => one.changeId === changeId && isOf(one.project, subject.project)));
      if (after !== undefined) await settings.changed();
      return after?.id;
    },
  };
}

/** Changes of two instances can have the same ID. */
function isOf(one: ErrorProject, other: ErrorProject): boolean {
  return one.account === other.account && one.path === other.path;
}

/** Names one error by its title, and several by their number. */
function subjectText(errors: readonly TrackedError[]): string {
  const [error, ...others] = errors;
  if (error === undefined) return '';
  if (others.length > 0) return l10n.t('{0} errors', errors.length);
  const title = visible(titleOf(error));
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title;
}
