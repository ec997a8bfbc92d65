import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ErrorState, TrackedError } from '../contract/trackedErrors.ts';
import { createDetailSource } from '../errorPanel/detailSource.ts';
import type { ChosenProject } from '../activity/chosenProject.ts';
import { disable, enable } from '../errorTracking/enable.ts';
import type { ErrorFilter } from '../errorTracking/filter.ts';
import type { ErrorOfProject } from '../errorTracking/target.ts';
import type { ErrorProject } from '../errorTracking/source.ts';
import { type ChangerSettings, createChanger, type Describe } from './changer.ts';
import { createIssueActions } from './issueActions.ts';
import { type ErrorFilterPickSettings, pickErrorFilter } from './filterPick.ts';
import { pickProjects } from './pickProjects.ts';
import { createSavedFilters } from './savedFilters.ts';
import type { SearchedProject } from './errorSearch.ts';
import { searchErrors } from './searchErrors.ts';
import { askIgnoreEnd } from './ignoreEnd.ts';
import { pickAssignee } from './pickAssignee.ts';
import { pickGrouping, pickOthers, pickRemaining } from './pickErrors.ts';
import type { ErrorAction, ErrorSubject } from './subject.ts';
import { mayWrite } from '../ui/showFailure.ts';

export interface ErrorActionSettings extends ChangerSettings {
  /** Stores filters that the user saves. */
  readonly memory: vscode.Memento;
}

export interface ErrorActions {
  /** Enable and disable error tracking for a project. */
  readonly enable: typeof enable;
  readonly disable: typeof disable;
  /** Runs an action on errors of one or several projects, that of the row whose menu was used first. */
  readonly run: (action: ErrorAction, subjects: readonly ErrorSubject[]) => Promise<void>;
  /** Undoes the latest change of an error. Returns the ID of the error that has its data afterwards. */
  readonly undo: (subject: ErrorSubject) => Promise<string | undefined>;
  /** Undoes what this window changed last. */
  readonly undoLast: () => Promise<void>;
  /** Lets the user change or choose a filter. `browser` means that the user wants to see all errors in the browser. */
  readonly pickFilter: (wanted: FilterPick) => Promise<ErrorFilter | 'browser' | undefined>;
  /** Lets the user search for an error. */
  readonly search: (sources: readonly SearchedProject[]) => Promise<ErrorOfProject | undefined>;
  /** Lets the user select projects; undefined if canceled. */
  readonly pickProjects: (account: string, current: readonly ChosenProject[]) => Promise<readonly ChosenProject[] | undefined>;
}

export interface FilterPick extends Omit<ErrorFilterPickSettings, 'saved' | 'pickUser'> {
  /** Undefined if none is selected. */
  readonly project: ErrorProject | undefined;
  readonly instance: string;
}

export function createActions(settings: ErrorActionSettings): ErrorActions {
  const { bound, choice } = settings;
  const changer = createChanger(settings);
  const { attempt, change } = changer;

  function setStatus(subjects: readonly ErrorSubject[], state: ErrorState, describe: Describe): Promise<void> {
    return change(subjects, { kind: 'status', state }, describe);
  }

  async function ignore(subjects: readonly ErrorSubject[]): Promise<void> {
    const until = await askIgnoreEnd();
    if (until === undefined) return;
    const ignored = until === 'forever' ? null : until;
    await setStatus(subjects, { status: 'ignored', ignored }, (title) => l10n.t('Ignored: {0}', title));
  }

  async function assign(subject: ErrorSubject): Promise<void> {
    const { project, errors } = subject;
    const account = bound(project.account);
    const current = errors.length === 1 ? errors[0]?.assignee : undefined;
    const picked = await attempt(undefined, async () =>
      pickAssignee(account.client(), project, account.userId, current ?? undefined),
    );
    if (picked === undefined) return;
    const { userId, name } = picked;
    await change([subject], { kind: 'assignee', userId }, (title) =>
      userId === null
        ? l10n.t('Assigned to nobody: {0}', title)
        : userId === account.userId
          ? l10n.t('Assigned to you: {0}', title)
          : l10n.t('Assigned to {0}: {1}', name, title),
    );
  }

  async function merge(subject: ErrorSubject): Promise<void> {
    const { errors } = subject;
    const [only] = errors;
    const into = errors.length === 1 ? only : await pickRemaining(errors);
    if (into === undefined) return;
    const others =
      errors.length === 1
        ? await attempt(undefined, async () =>
            pickOthers(bound(subject.project.account).client(), subject.project, into, settings.describeFailure),
          )
        : errors.filter(({ id }) => id !== into.id).map(({ id }) => id);
    if (others === undefined || others.length === 0) return;
    await change([{ ...subject, errors: [into] }], { kind: 'merge', others }, (title) =>
      others.length === 1
        ? l10n.t('Merged 1 error into: {0}', title)
        : l10n.t('Merged {0} errors into: {1}', others.length, title),
    );
  }

  async function split(subject: ErrorSubject): Promise<void> {
    const [error] = subject.errors;
    if (error === undefined) return;
    const detail = await detailOf(subject, error);
    if (detail === undefined) return;
    if (detail.detail.groupings.length < 2) {
      void vscode.window.showInformationMessage(l10n.t('All events of this error are grouped alike. There is nothing to split.'));
      return;
    }
    const hash = await pickGrouping(detail.detail.groupings);
    if (hash === undefined) return;
    await change([{ ...subject, errors: [error] }], { kind: 'split', hash }, (title) => l10n.t('Split: {0}', title));
  }

  function detailOf(subject: ErrorSubject, error: TrackedError) {
    const { project } = subject;
    const source = createDetailSource(bound(project.account).client, project, error.id, choice);
    return attempt(subject, () => source.detail());
  }

  const issueActions = createIssueActions(settings, changer);
  const actions: Readonly<Record<ErrorAction, (subjects: readonly ErrorSubject[]) => Promise<void>>> = {
    resolve: (subjects) => setStatus(subjects, { status: 'resolved', ignored: null }, (title) => l10n.t('Resolved: {0}', title)),
    resolveInNextRelease: (subjects) =>
      setStatus(subjects, { status: 'resolved_in_next_release', ignored: null }, (title, after) => {
        const releases = [...new Set(after.flatMap(({ statusReleases }) => statusReleases))];
        return releases.length === 0
          ? l10n.t('Resolved in the next release: {0}', title)
          : l10n.t('Resolved in the release after {0}: {1}', releases.join(', '), title);
      }),
    reopen: (subjects) => setStatus(subjects, { status: 'unresolved', ignored: null }, (title) => l10n.t('Reopened: {0}', title)),
    ignore,
    // Members and issues belong to a project.
    assign: inOneProject(assign),
    merge: inOneProject(merge),
    linkIssue: inOneProject(issueActions.linkIssue),
    split: onFirst(split),
    createIssue: onFirst(issueActions.createIssue),
    openIssue: onFirst(issueActions.openIssue),
  };

  return {
    enable,
    disable,
    run: async (action, subjects) => {
      const [first] = subjects;
      if (first === undefined || (action !== 'openIssue' && !mayWrite(bound(first.project.account)))) return;
      const fixed = subjects.find(({ canChange }) => !canChange);
      if (fixed === undefined || action === 'createIssue' || action === 'openIssue') await actions[action](subjects);
      else await changer.offerPage(fixed);
    },
    undo: changer.undo,
    undoLast: changer.undoLast,
    pickFilter: ({ project, instance, ...picked }) =>
      pickErrorFilter({
        ...picked,
        saved: createSavedFilters(settings.memory, instance),
        pickUser: async () =>
          project === undefined ? undefined : pickAssignee(bound(project.account).client(), project, undefined, undefined),
      }),
    search: searchErrors,
    pickProjects: (account, current) => attempt(undefined, async () => pickProjects(bound(account).client(), current)),
  };
}

type SubjectAction = (subject: ErrorSubject) => Promise<void>;

/** Returns an action that refuses errors of several projects. */
function inOneProject(action: SubjectAction): (subjects: readonly ErrorSubject[]) => Promise<void> {
  return async ([first, ...others]) => {
    if (others.length > 0) void vscode.window.showInformationMessage(l10n.t('Select errors of one project for this action.'));
    else if (first !== undefined) await action(first);
  };
}

/** Returns an action on the first error. */
function onFirst(action: SubjectAction): (subjects: readonly ErrorSubject[]) => Promise<void> {
  return async ([first]) => {
    if (first !== undefined) await action(first);
  };
}
