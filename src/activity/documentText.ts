import * as l10n from '@vscode/l10n';
import type { ActivityEvent, PushData } from '../contract/activity.ts';
import type { Discussion, NotePlace } from '../contract/discussions.ts';
import type { Issue, Note } from '../contract/issues.ts';
import type { MergeRequest } from '../contract/mergeRequests.ts';
import type { ProjectBasic } from '../contract/projects.ts';
import { commitParts, fileParts, restOf } from './changesText.ts';
import { describeEvent } from './describe.ts';
import type { LoadedCommit, LoadedIssue, LoadedMergeRequest, LoadedPush, Part } from './documentLoad.ts';
import {
  belowHeading,
  type DocumentContent,
  documentOf,
  type DocumentPart,
  formatDay,
  joinNonEmpty,
  formatLink,
  oneLine,
  formatPeople,
  formatPerson,
  formatTime,
} from './documentParts.ts';

/** Returns the document of an issue with its comments. */
export function issueDocument(
  { issue, discussions }: LoadedIssue,
  project: ProjectBasic | undefined,
  locale: string,
): DocumentContent {
  const metadata = [
    issue.state === 'closed' ? l10n.t('closed') : l10n.t('open'),
    issue.confidential ? l10n.t('confidential') : '',
    oneLine(project?.path_with_namespace ?? ''),
    l10n.t('opened by {0}', formatPerson(issue.author)),
    formatTime(issue.created_at, locale),
  ];
  return documentOf([
    `# #${issue.iid} ${oneLine(issue.title)}`,
    joinNonEmpty(metadata, ' · '),
    lineList([...peopleAndLabels(issue), issue.due_date === null ? '' : l10n.t('Due: {0}', formatDay(issue.due_date, locale))]),
    formatLink(issue.web_url),
    belowHeading(1, issue.description ?? ''),
    ...discussionParts(2, discussions, locale),
  ]);
}

/** Returns the document of a merge request: description, comments, commits and changed files. */
export function mergeRequestDocument(
  { mergeRequest, discussions, commits, diffs }: LoadedMergeRequest,
  project: ProjectBasic | undefined,
  locale: string,
): DocumentContent {
  const { source_branch: source, target_branch: target, milestone, reviewers, merged_at: mergedAt } = mergeRequest;
  const metadata = [
    formatState(mergeRequest),
    mergeRequest.draft ? l10n.t('draft') : '',
    oneLine(project?.path_with_namespace ?? ''),
    l10n.t('opened by {0}', formatPerson(mergeRequest.author)),
    formatTime(mergeRequest.created_at, locale),
  ];
  const isFromFork = mergeRequest.source_project_id !== mergeRequest.target_project_id;
  const lists = [
    isFromFork ? l10n.t('Branches: {0} (fork) into {1}', source, target) : l10n.t('Branches: {0} into {1}', source, target),
    ...peopleAndLabels(mergeRequest),
    reviewers.length === 0 ? '' : l10n.t('Reviewers: {0}', formatPeople(reviewers)),
    milestone === null ? '' : l10n.t('Milestone: {0}', milestone),
    mergeRequest.state === 'merged' && mergedAt !== null
      ? l10n.t('Merged: {0}, {1}', formatTime(mergedAt, locale), formatPerson(mergeRequest.merge_user))
      : '',
  ];
  const comments = discussionParts(3, discussions, locale);
  return documentOf([
    `# !${mergeRequest.iid} ${oneLine(mergeRequest.title)}`,
    joinNonEmpty(metadata, ' · '),
    lineList(lists),
    formatLink(mergeRequest.web_url),
    belowHeading(1, mergeRequest.description ?? ''),
    ...(comments.length === 0 ? [] : [`## ${l10n.t('Comments')}`, ...comments]),
    ...commitParts(commits, locale),
    ...fileParts(diffs, locale),
  ]);
}

/** Returns the document of a commit: message, comments and changed files. */
export function commitDocument(
  { commit, discussions, diffs }: LoadedCommit,
  project: ProjectBasic | undefined,
  locale: string,
): DocumentContent {
  const { short_id: id, title, message, author_name: author, authored_date: time, web_url: page } = commit;
  const metadata = [oneLine(project?.path_with_namespace ?? ''), oneLine(author), formatTime(time, locale)];
  const comments = discussionParts(3, discussions, locale);
  return documentOf([
    `# ${oneLine(`${id} ${title}`)}`,
    joinNonEmpty(metadata, ' · '),
    formatLink(page),
    belowHeading(1, restOf(message, title)),
    ...(comments.length === 0 ? [] : [`## ${l10n.t('Comments')}`, ...comments]),
    ...fileParts(diffs, locale),
  ]);
}

/** Returns the document of an event; for a push with its commits and changed files. */
export function eventDocument(
  event: ActivityEvent,
  loaded: LoadedPush | undefined,
  project: ProjectBasic | undefined,
  page: string | undefined,
  locale: string,
): DocumentContent {
  const who =
    event.author === null && event.author_username !== null ? oneLine(`@${event.author_username}`) : formatPerson(event.author);
  const metadata = [oneLine(project?.path_with_namespace ?? ''), who, formatTime(event.created_at, locale)];
  return documentOf([
    `# ${oneLine(describeEvent(event, locale).label)}`,
    joinNonEmpty(metadata, ' · '),
    event.push_data === null ? '' : pushMetadata(event.push_data, loaded, locale),
    belowHeading(1, event.note?.body ?? ''),
    formatLink(page),
    ...(event.push_data === null || loaded === undefined ? [] : loadedPushParts(event.push_data, loaded, locale)),
  ]);
}

function pushMetadata(push: PushData, loaded: LoadedPush | undefined, locale: string): string {
  if (push.ref === null) {
    return joinNonEmpty(
      [
        `- ${l10n.t('Refs: {0}', (push.ref_count ?? 0).toLocaleString(locale))}`,
        l10n.t('Commits are not listed because this push changed many refs at once.'),
      ],
      '\n\n',
    );
  }
  const metadata = [
    `- ${push.ref_type === 'tag' ? l10n.t('Tag: {0}', oneLine(push.ref)) : l10n.t('Branch: {0}', oneLine(push.ref))}`,
    `- ${l10n.t('Commits: {0}', push.commit_count.toLocaleString(locale))}`,
    push.commit_from === null ? '' : `- ${l10n.t('From: {0}', oneLine(push.commit_from))}`,
    push.commit_to === null ? '' : `- ${l10n.t('To: {0}', oneLine(push.commit_to))}`,
  ];
  // If the commits are shown, they contain this title.
  const title = push.commit_title === null || isShown(loaded?.commits) ? '' : oneLine(push.commit_title);
  return joinNonEmpty([joinNonEmpty(metadata, '\n'), title], '\n\n');
}

function loadedPushParts(
  push: PushData,
  { commits, diffs, message, isGone }: LoadedPush,
  locale: string,
): readonly DocumentPart[] {
  const isTag = push.ref_type === 'tag';
  return [
    push.action === 'removed'
      ? isTag
        ? l10n.t('This push deleted the tag. The commit it pointed to may no longer exist.')
        : l10n.t('This push deleted the branch. Its commits may no longer exist.')
      : isGone
        ? isTag
          ? l10n.t("The tag no longer exists, or this account doesn't have access to it.")
          : l10n.t("These commits no longer exist, or this account doesn't have access to them.")
        : '',
    message === '' ? '' : belowHeading(1, message),
    ...(commits === undefined ? [] : commitParts(commits, locale)),
    ...(diffs === undefined ? [] : fileParts(diffs, locale)),
  ];
}

function isShown<T>(part: Part<T> | undefined): boolean {
  return part !== undefined && part.failure === undefined && part.items.length > 0;
}

function discussionParts(level: number, discussions: Part<Discussion>, locale: string): readonly DocumentPart[] {
  if (discussions.failure !== undefined) return [l10n.t('Comments could not be loaded. {0}', discussions.failure)];
  const parts = discussions.items.flatMap(({ notes, location }) =>
    notes.flatMap((note, at): readonly DocumentPart[] => [
      ...(at === 0 ? ['---'] : []),
      { note: note.id, text: noteText(at === 0 ? level : level + 1, note, at === 0 ? location : null, locale) },
    ]),
  );
  return discussions.isWhole ? parts : [...parts, '---', l10n.t('Open in the browser to see more comments.')];
}

/** Returns a comment under a heading of the given level; replies are one level lower. */
function noteText(level: number, note: Note, location: NotePlace | null, locale: string): string {
  const by = joinNonEmpty([formatPerson(note.author), formatTime(note.created_at, locale)], ' · ');
  if (note.system) return `*${oneLine(note.body)}* (${by})`;
  const where =
    location === null
      ? ''
      : location.line === null
        ? l10n.t('On {0}', oneLine(location.path))
        : l10n.t('On {0}, line {1}', oneLine(location.path), String(location.line));
  return joinNonEmpty([`${'#'.repeat(level)} ${by}`, where, belowHeading(level, note.body)], '\n\n');
}

function peopleAndLabels({ labels, assignees }: Pick<Issue | MergeRequest, 'labels' | 'assignees'>): readonly string[] {
  return [
    labels.length === 0 ? '' : l10n.t('Labels: {0}', labels.join(', ')),
    assignees.length === 0 ? '' : l10n.t('Assignees: {0}', formatPeople(assignees)),
  ];
}

function formatState({ state }: MergeRequest): string {
  switch (state) {
    case 'closed':
      return l10n.t('closed');
    case 'merged':
      return l10n.t('merged');
    case 'locked':
      return l10n.t('locked');
    default:
      return l10n.t('open');
  }
}

/** Puts each entry on a separate line. */
function lineList(metadata: readonly string[]): string {
  return joinNonEmpty(metadata.map(oneLine), '  \n');
}
