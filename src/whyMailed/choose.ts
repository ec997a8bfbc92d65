import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { readIssue } from '../contract/issues.ts';
import { readMergeRequest } from '../contract/mergeRequests.ts';
import type { NotificationEvent } from '../contract/notifications.ts';
import { visible } from '../contract/visibleText.ts';
import { formatEvent } from '../notifications/texts.ts';
import { createSearchList, type SearchPart } from '../ui/searchList.ts';
import { pickFromSearch } from '../ui/searchPick.ts';
import { eventGroups, threadTypesOf } from './events.ts';
import type { Thread } from './question.ts';

/** Entry of the list of threads; without a thread it stands for one that the user has nothing to do with. */
interface ThreadChoice {
  readonly thread: Thread | undefined;
  readonly title: string;
}

/** Entries per page. */
const PAGE = 50;

/** Lets the user select an event that can happen to a thread or in a project; resolves to undefined if canceled. */
export async function chooseEvent(title: string, thread: Thread | undefined): Promise<NotificationEvent | undefined> {
  const items = eventGroups(thread).flatMap(({ heading, events }): (vscode.QuickPickItem & { event?: NotificationEvent })[] => [
    { label: heading, kind: vscode.QuickPickItemKind.Separator },
    ...events.map((event) => ({ label: formatEvent(event), event })),
  ]);
  const placeHolder = l10n.t('Select what happens');
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.event;
}

/** Lets the user select the issue or merge request that an event is about; resolves to undefined if canceled. */
export function chooseThread(
  client: Client,
  title: string,
  project: number | string,
  event: NotificationEvent,
): Promise<ThreadChoice | undefined> {
  const types = threadTypesOf(event);
  const list = createSearchList<ThreadChoice>({
    parts: types.map((type) => partOf(client, project, type)),
    follow: (link, signal) => client.follow(link, /\/issues\b/.test(link) ? readIssueChoice : readMergeRequestChoice, signal),
    offered: [{ thread: undefined, title: l10n.t('A thread that I have nothing to do with') }],
    keyOf: ({ thread }) => (thread === undefined ? '' : `${thread.type} ${thread.iid}`),
    textOf: labelOf,
    emptyText: l10n.t('No issues or merge requests available'),
    after: (milliseconds, run) => {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
  });
  return pickFromSearch({
    title,
    placeholder: l10n.t('Select what it happens to'),
    list,
    keyOf: ({ thread }) => (thread === undefined ? 'none' : `${thread.type} ${thread.iid}`),
    toItem: (choice) => ({ label: visible(labelOf(choice)), iconPath: iconOf(choice) }),
  });
}

function partOf(client: Client, project: number | string, type: Thread['type']): SearchPart<ThreadChoice> {
  const isIssue = type === 'Issue';
  const path = isIssue ? apiPath`/projects/${project}/issues` : apiPath`/projects/${project}/merge_requests`;
  return {
    heading: isIssue ? l10n.t('Issues') : l10n.t('Merge requests'),
    first: (search, signal) =>
      client.list(
        path,
        isIssue ? readIssueChoice : readMergeRequestChoice,
        { order_by: 'updated_at', per_page: PAGE, ...(search === '' ? {} : { search }) },
        signal,
      ),
  };
}

function readIssueChoice(value: unknown): ThreadChoice | undefined {
  const issue = readIssue(value);
  return issue && { thread: { type: 'Issue', iid: issue.iid }, title: issue.title };
}

function readMergeRequestChoice(value: unknown): ThreadChoice | undefined {
  const mergeRequest = readMergeRequest(value);
  return mergeRequest && { thread: { type: 'MergeRequest', iid: mergeRequest.iid }, title: mergeRequest.title };
}

function labelOf({ thread, title }: ThreadChoice): string {
  return thread === undefined ? title : `${thread.type === 'Issue' ? '#' : '!'}${thread.iid} ${title}`;
}

function iconOf({ thread }: ThreadChoice): vscode.ThemeIcon {
  if (thread === undefined) return new vscode.ThemeIcon('circle-outline');
  return new vscode.ThemeIcon(thread.type === 'Issue' ? 'issues' : 'git-pull-request');
}
