import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { TrackedError } from '../contract/trackedErrors.ts';
import { createDetailSource } from '../errorPanel/detailSource.ts';
import type { ErrorChanger, ChangerSettings } from './changer.ts';
import { CannotChange } from './changes.ts';
import { askIssueNumber, askIssueTitle } from './issueInput.ts';
import { issueDescription, issueTitleOf } from './issueText.ts';
import type { ErrorSubject } from './subject.ts';

export type IssueActionSettings = Pick<
  ChangerSettings,
  'bound' | 'choice' | 'describeFailure' | 'openPage' | 'withProgress' | 'markOpened' | 'changed'
>;

/** Actions that concern the issue about an error. */
export function createIssueActions(settings: IssueActionSettings, changer: ErrorChanger) {
  async function createIssue(subject: ErrorSubject): Promise<void> {
    const [error] = subject.errors;
    if (error === undefined) return;
    if (error.issue !== null) {
      await openIssue(subject);
      return;
    }
    const title = await askIssueTitle(issueTitleOf(error));
    if (title === undefined) return;
    settings.markOpened({ ...subject, errors: [error] });
    const created = await changer.attempt(subject, async () => {
      const { detail } = await createDetailSource(
        settings.bound(subject.project.account).client,
        subject.project,
        error.id,
        settings.choice,
      ).detail();
      return changer.changesOf(subject.project).createIssue(title, issueDescription(detail));
    });
    if (created === undefined) return;
    const isLinked = await link(subject, error, created.iid);
    const account = settings.bound(subject.project.account);
    const text = isLinked
      ? l10n.t('Issue #{0} was created and linked with the error.', created.iid)
      : l10n.t(
          'Issue #{0} was created. It has a link to the error, but this instance cannot link the error with it.',
          created.iid,
        );
    const open = l10n.t('Open Issue');
    if ((await vscode.window.showInformationMessage(account.named(text), open)) === open)
      await settings.openPage(created.web_url, account);
  }

  /** Links an error with a new issue. Returns false if the instance has no API for it. */
  async function link(subject: ErrorSubject, error: TrackedError, iid: number): Promise<boolean> {
    try {
      const after = await settings.withProgress(() => changer.changesOf(subject.project).apply(error.id, { kind: 'issue', iid }));
      changer.remember(subject, after);
      await settings.changed();
      return true;
    } catch (failure) {
      if (failure instanceof CannotChange || settings.describeFailure(failure) !== undefined) return false;
      throw failure;
    }
  }

  async function linkIssue(subject: ErrorSubject): Promise<void> {
    const current = subject.errors.length === 1 ? (subject.errors[0]?.issue ?? null) : null;
    const iid = await askIssueNumber(current?.iid);
    if (iid === undefined) return;
    await changer.change([subject], { kind: 'issue', iid }, (title) =>
      iid === null ? l10n.t('Linked with no issue: {0}', title) : l10n.t('Linked with issue #{0}: {1}', iid, title),
    );
  }

  async function openIssue(subject: ErrorSubject): Promise<void> {
    settings.markOpened(subject);
    const issue = subject.errors.find((error) => error.issue !== null)?.issue;
    if (issue === undefined || issue === null) {
      void vscode.window.showInformationMessage(l10n.t('The error has no issue. Create one, or link one that exists.'));
      return;
    }
    await settings.openPage(issue.url, settings.bound(subject.project.account));
  }

  return { createIssue, linkIssue, openIssue };
}
