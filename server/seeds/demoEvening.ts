import { DAY, HOUR, isoDate, MINUTE } from '../core/clock.ts';
import { addIssueToEpic, createEpic, type Epic, updateEpic, commentableEpic } from '../features/epics/epics.ts';
import { addFork } from '../features/forks/forks.ts';
import { preparedCopy, adoptHistory, adoptSingle, discardHistory, pushPrepared } from '../features/git/git.ts';
import { findGroup } from '../features/groups/groups.ts';
import type { User } from '../core/caller.ts';
import { insertFollow } from '../features/identity/identity.ts';
import { findIssue, updateIssue } from '../features/issues/issues.ts';
import { createLabel } from '../features/labels/labels.ts';
import {
  approve,
  createMergeRequest,
  type MergeRequest,
  mustFindMergeRequest,
  mergePrepared,
  commentableMergeRequest,
} from '../features/mergeRequests/mergeRequests.ts';
import { createMilestone } from '../features/milestones/milestones.ts';
import { comment, type Note, type Commentable } from '../features/notes/notes.ts';
import type { Platform } from '../platform.ts';
import { addMember, findProject, type FoundProject } from '../features/projects/projects.ts';
import { releaseTag } from '../features/releases/releases.ts';
import { commentableSnippet, addSnippet } from '../features/snippets/snippets.ts';
import { addCacheEntry, createRegistry, createUpstream } from '../features/virtualRegistries/virtualRegistries.ts';
import { deliver, releaseLinks } from './demoDeliveries.ts';
import { type EveningCode, FORK_BRANCH, groupMergeRequests, type PreparedEvening } from './demoEveningCode.ts';
import {
  cachedFiles,
  epics,
  type EveningTalk,
  follows,
  groupLabels,
  latecomers,
  snippets,
  springOpening,
} from './demoEveningTexts.ts';
import { pipelineOfPush } from './demoPushes.ts';

/** Start of the evening in hours after the midnight before last. Everything else has happened by then. */
const EVENING_HOUR = 22;
const EVENING_MINUTE = 50;

export function eveningOf(start: number, days: number): number {
  return start + (days - 1) * DAY + EVENING_HOUR * HOUR + EVENING_MINUTE * MINUTE;
}

/**
 * Writes the end of the last evening, the latest addition to the demo data: planning of the groups, code of their projects, a fork with a
 * merge request, and snippets. `wait` advances the clock by a minute.
 */
export function spendEvening(
  platform: Platform,
  named: (username: string) => User,
  prepared: PreparedEvening | undefined,
  wait: () => void,
): void {
  planSeason(platform, named, wait);
  for (const [follower, followed] of follows) insertFollow(platform.store, named(follower).id, named(followed).id);
  fetchDependencies(platform, named);
  for (const [path, username, level] of latecomers) {
    wait();
    const owner = named(path.slice(0, path.indexOf('/')));
    const { project, access } = seenBy(platform, path, owner);
    addMember(platform, project, named(username), { level, expiresAt: null }, { user: owner, access });
  }
  if (prepared === undefined) return;
  for (const code of prepared.code) workOnCode(platform, code, named, wait);
  forkTides(platform, prepared, named, wait);
  keepSnippets(platform, prepared, named, wait);
}

/** Removes the prepared repositories if the evening was not written. */
export function discardEvening(platform: Platform, { code, fork, snippets: stored }: PreparedEvening): void {
  for (const { history } of [...code, fork, ...stored]) discardHistory(platform, history);
}

function seenBy(platform: Platform, path: string, user: User): FoundProject {
  const found = findProject(platform, path, { user });
  if (found === undefined) throw new Error(`${user.username} cannot see ${path}`);
  return found;
}

/** Creates labels, a milestone and epics of the group. */
function planSeason(platform: Platform, named: (username: string) => User, wait: () => void): void {
  const seenGroup = (user: User) => {
    const found = findGroup(platform, 'tidemark', { user });
    if (found === undefined) throw new Error('the demo data has no tidemark');
    return found;
  };
  const priya = named('priya');
  const { group } = seenGroup(priya);
  const container = { kind: 'group', id: group.id } as const;
  const day = (days: number): string => isoDate(platform.clock.now() + days * DAY);
  for (const label of groupLabels) createLabel(platform, container, label);
  const milestone = createMilestone(platform, container, priya, {
    title: springOpening.title,
    description: springOpening.description,
    startDate: day(0),
    dueDate: day(springOpening.days),
  });
  for (const { author, days, issues, talk, isClosed = false, ...input } of epics) {
    wait();
    const user = named(author);
    const found = seenGroup(user);
    const dates =
      days === undefined ? {} : { startIsFixed: true, startFixed: day(days[0]), dueIsFixed: true, dueFixed: day(days[1]) };
    const epic: Epic = createEpic(platform, found, user, { ...input, ...dates });
    for (const [path, iid] of issues) {
      const repository = seenBy(platform, path, user);
      const issue = findIssue(platform, repository, iid, user);
      if (issue === undefined) throw new Error(`the demo data has no ${path}#${iid}`);
      addIssueToEpic(platform, epic, issue.id);
      updateIssue(platform, repository, issue, user, { milestoneId: milestone.id, weight: (iid % 5) + 1 });
    }
    discuss(platform, talk, named, wait, (reader) => commentableEpic(platform, seenGroup(reader), epic));
    if (isClosed) updateEpic(platform, found, epic, user, { stateEvent: 'close' });
  }
}

/** Creates a comment and its replies. */
function discuss(
  platform: Platform,
  talk: readonly EveningTalk[],
  named: (username: string) => User,
  wait: () => void,
  commentableFor: (user: User) => Commentable,
): void {
  let first: Note | undefined;
  for (const [username, body] of talk) {
    wait();
    const user = named(username);
    const made = comment(
      platform,
      commentableFor(user),
      user,
      { body },
      first === undefined ? undefined : { kind: 'reply', to: [first] },
    );
    if ('note' in made) first = first === undefined ? made.note : { ...first, type: 'DiscussionNote' };
  }
}

/** Creates the virtual registry through which builds fetch their dependencies. */
function fetchDependencies(platform: Platform, named: (username: string) => User): void {
  const found = findGroup(platform, 'tidemark', { user: named('priya') });
  if (found === undefined) throw new Error('the demo data has no tidemark');
  const registry = createRegistry(platform, found, {
    name: 'dependencies',
    description: 'Everything that our services are built of',
  });
  for (const { files, ...input } of cachedFiles) {
    const { upstream } = createUpstream(platform, registry, input);
    for (const file of files) addCacheEntry(platform, upstream, file);
  }
}

/** Pushes the code of a group project in order, with the actions on merge requests in between. */
function workOnCode(
  platform: Platform,
  { project, history, pushes }: EveningCode,
  named: (username: string) => User,
  wait: () => void,
): void {
  const opened = new Map<string, MergeRequest>();
  const built: number[] = [];
  for (const [index, { username, plan }] of pushes.entries()) {
    wait();
    const user = named(username);
    const found = seenBy(platform, project, user);
    const push = history.pushes[index];
    if (push === undefined) throw new Error(`nothing is left to push to ${project}`);
    if (index === 0) adoptHistory(platform, found, history);
    const merged = plan.kind === 'merge' ? opened.get(plan.source) : undefined;
    if (merged === undefined) pushPrepared(platform, found, user, push);
    else mergePrepared(platform, found, mustFindMergeRequest(platform, merged.id), user, push);
    if (plan.kind === 'tag') {
      const links = releaseLinks(found, plan.name);
      const input = { tag: plan.name, name: `${found.project.name} ${plan.name.slice(1)}`, links };
      releaseTag(platform, found, user, { ...input, description: 'The first one that others may use. See the **readme**.' });
      deliver(platform, found, { trade: 'data', tag: plan.name, pipelineIds: built }, new Map());
      continue;
    }
    built.push(pipelineOfPush(platform, found, user, { push, history, index }).id);
    const request = groupMergeRequests.find((one) => one.project === project && one.source === plan.branch);
    if (request === undefined) continue;
    const { source, title, description, reviewer, talk, isApproved } = request;
    wait();
    const mergeRequest = createMergeRequest(platform, { source: found, target: found }, user, {
      title,
      description,
      sourceBranch: source,
      targetBranch: 'main',
      assigneeIds: [user.id],
      reviewerIds: [named(reviewer).id],
    });
    opened.set(source, mergeRequest);
    discuss(platform, talk, named, wait, (reader) =>
      commentableMergeRequest(platform, seenBy(platform, project, reader), mergeRequest, reader),
    );
    if (!isApproved) continue;
    wait();
    const approver = named(reviewer);
    approve(platform, seenBy(platform, project, approver), mustFindMergeRequest(platform, mergeRequest.id), approver, undefined);
  }
}

/** Creates a fork of the tide data, by a user who cannot push to it. */
function forkTides(platform: Platform, { fork }: PreparedEvening, named: (username: string) => User, wait: () => void): void {
  const { source: path, username, history, request } = fork;
  wait();
  const user = named(username);
  const source = seenBy(platform, path, user);
  addFork(platform, source, user, {}, preparedCopy(platform, source.project, history));
  wait();
  const mine = (): FoundProject => seenBy(platform, `${username}/${source.project.path}`, user);
  const push = history.pushes.at(-1);
  if (push === undefined) throw new Error('nothing is left to push to the fork');
  pushPrepared(platform, mine(), user, push);
  pipelineOfPush(platform, mine(), user, { push, history, index: 0 });
  wait();
  const { title, description, talk } = request;
  const input = { title, description, sourceBranch: FORK_BRANCH, targetBranch: 'main' };
  const mergeRequest = createMergeRequest(platform, { source: mine(), target: source }, user, input);
  discuss(platform, talk, named, wait, (reader) =>
    commentableMergeRequest(platform, seenBy(platform, path, reader), mergeRequest, reader),
  );
}

function keepSnippets(
  platform: Platform,
  { snippets: histories }: PreparedEvening,
  named: (username: string) => User,
  wait: () => void,
): void {
  for (const [index, { author, project, files, talk = [], ...input }] of snippets.entries()) {
    const history = histories[index]?.history;
    if (history === undefined) throw new Error('a snippet was not prepared');
    wait();
    const user = named(author);
    const found = project === undefined ? undefined : seenBy(platform, project, user);
    const repositoryId = adoptSingle(platform, history);
    const paths = Object.keys(files).toSorted();
    const snippet = addSnippet(platform, user, { ...input, projectId: found?.project.id }, { repositoryId, files: paths });
    if (project === undefined) continue;
    discuss(platform, talk, named, wait, (reader) => commentableSnippet(platform, seenBy(platform, project, reader), snippet));
  }
}
