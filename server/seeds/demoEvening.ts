import type { GitCore } from '../repositories/repositories.ts';
import { DAY, HOUR, isoDate, MINUTE } from '../core/clock.ts';
import { addIssueToEpic, createEpic, type Epic, updateEpic, commentableEpic } from '../features/epics/epics.ts';
import { addFork } from '../features/forks/forks.ts';
import {
  adoptHistory,
  adoptSingle,
  discardHistory,
  preparedCopy,
  pushBranches,
  pushPrepared,
} from '../features/preparedRepositories/preparedRepositories.ts';
import { findGroup } from '../features/groups/groups.ts';
import type { User } from '../core/caller.ts';
import { insertFollow } from '../features/users/users.ts';
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
import type { Core } from '../core/core.ts';
import { addMember } from '../features/members/members.ts';
import { findProject, type FoundProject } from '../features/projectAccess/projectAccess.ts';
import { releaseTag } from '../features/releases/releases.ts';
import { commentableSnippet, addSnippet } from '../features/snippets/snippets.ts';
import { addCacheEntry, createRegistry, createUpstream } from '../features/virtualRegistries/virtualRegistries.ts';
import { deliver, releaseLinks } from './demoDeliveries.ts';
import { type EveningCode, FORK_BRANCH, groupMergeRequests, type PreparedEvening } from './demoEveningCode.ts';
import {
  cachedFiles,
  epics,
  type EveningTalk,
  firmwareBranches,
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
  core: GitCore,
  named: (username: string) => User,
  prepared: PreparedEvening | undefined,
  wait: () => void,
): void {
  planSeason(core, named, wait);
  for (const [follower, followed] of follows) insertFollow(core.store, named(follower).id, named(followed).id);
  fetchDependencies(core, named);
  for (const [path, username, level] of latecomers) {
    wait();
    const owner = named(path.slice(0, path.indexOf('/')));
    const { project, access } = seenBy(core, path, owner);
    addMember(core, project, named(username), { level, expiresAt: null }, { user: owner, access });
  }
  if (prepared === undefined) return;
  for (const code of prepared.code) workOnCode(core, code, named, wait);
  forkTides(core, prepared, named, wait);
  keepSnippets(core, prepared, named, wait);
  wait();
  const jonas = named('jonas');
  pushBranches(core, seenBy(core, 'jonas/gate-firmware', jonas), jonas, firmwareBranches);
}

/** Removes the prepared repositories if the evening was not written. */
export function discardEvening(core: GitCore, { code, fork, snippets: stored }: PreparedEvening): void {
  for (const { history } of [...code, fork, ...stored]) discardHistory(core, history);
}

function seenBy(core: Core, path: string, user: User): FoundProject {
  const found = findProject(core, path, { user });
  if (found === undefined) throw new Error(`${user.username} cannot see ${path}`);
  return found;
}

/** Creates labels, a milestone and epics of the group. */
function planSeason(core: Core, named: (username: string) => User, wait: () => void): void {
  const seenGroup = (user: User) => {
    const found = findGroup(core, 'tidemark', { user });
    if (found === undefined) throw new Error('the demo data has no tidemark');
    return found;
  };
  const priya = named('priya');
  const { group } = seenGroup(priya);
  const container = { kind: 'group', id: group.id } as const;
  const day = (days: number): string => isoDate(core.clock.now() + days * DAY);
  for (const label of groupLabels) createLabel(core, container, label);
  const milestone = createMilestone(core, container, priya, {
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
    const epic: Epic = createEpic(core, found, user, { ...input, ...dates });
    for (const [path, iid] of issues) {
      const repository = seenBy(core, path, user);
      const issue = findIssue(core, repository, iid, user);
      if (issue === undefined) throw new Error(`the demo data has no ${path}#${iid}`);
      addIssueToEpic(core, epic, issue.id);
      updateIssue(core, repository, issue, user, { milestoneId: milestone.id, weight: (iid % 5) + 1 });
    }
    discuss(core, talk, named, wait, (reader) => commentableEpic(core, seenGroup(reader), epic));
    if (isClosed) updateEpic(core, found, epic, user, { stateEvent: 'close' });
  }
}

/** Creates a comment and its replies. */
function discuss(
  core: Core,
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
      core,
      commentableFor(user),
      user,
      { body },
      first === undefined ? undefined : { kind: 'reply', to: [first] },
    );
    if ('note' in made) first = first === undefined ? made.note : { ...first, type: 'DiscussionNote' };
  }
}

/** Creates the virtual registry through which builds fetch their dependencies. */
function fetchDependencies(core: Core, named: (username: string) => User): void {
  const found = findGroup(core, 'tidemark', { user: named('priya') });
  if (found === undefined) throw new Error('the demo data has no tidemark');
  const registry = createRegistry(core, found, {
    name: 'dependencies',
    description: 'Everything that our services are built of',
  });
  for (const { files, ...input } of cachedFiles) {
    const { upstream } = createUpstream(core, registry, input);
    for (const file of files) addCacheEntry(core, upstream, file);
  }
}

/** Pushes the code of a group project in order, with the actions on merge requests in between. */
function workOnCode(
  core: GitCore,
  { project, history, pushes }: EveningCode,
  named: (username: string) => User,
  wait: () => void,
): void {
  const opened = new Map<string, MergeRequest>();
  const built: number[] = [];
  for (const [index, { username, plan }] of pushes.entries()) {
    wait();
    const user = named(username);
    const found = seenBy(core, project, user);
    const push = history.pushes[index];
    if (push === undefined) throw new Error(`nothing is left to push to ${project}`);
    if (index === 0) adoptHistory(core, found, history);
    const merged = plan.kind === 'merge' ? opened.get(plan.source) : undefined;
    if (merged === undefined) pushPrepared(core, found, user, push);
    else mergePrepared(core, found, mustFindMergeRequest(core, merged.id), user, push);
    if (plan.kind === 'tag') {
      const links = releaseLinks(found, plan.name);
      const input = { tag: plan.name, name: `${found.project.name} ${plan.name.slice(1)}`, links };
      releaseTag(core, found, user, { ...input, description: 'The first one that others may use. See the **readme**.' });
      deliver(core, found, { trade: 'data', tag: plan.name, pipelineIds: built }, new Map());
      continue;
    }
    built.push(pipelineOfPush(core, found, user, { push, history, index }).id);
    const request = groupMergeRequests.find((one) => one.project === project && one.source === plan.branch);
    if (request === undefined) continue;
    const { source, title, description, reviewer, talk, isApproved } = request;
    wait();
    const mergeRequest = createMergeRequest(core, { source: found, target: found }, user, {
      title,
      description,
      sourceBranch: source,
      targetBranch: 'main',
      assigneeIds: [user.id],
      reviewerIds: [named(reviewer).id],
    });
    opened.set(source, mergeRequest);
    discuss(core, talk, named, wait, (reader) =>
      commentableMergeRequest(core, seenBy(core, project, reader), mergeRequest, reader),
    );
    if (!isApproved) continue;
    wait();
    const approver = named(reviewer);
    approve(core, seenBy(core, project, approver), mustFindMergeRequest(core, mergeRequest.id), approver, undefined);
  }
}

/** Creates a fork of the tide data, by a user who cannot push to it. */
function forkTides(core: GitCore, { fork }: PreparedEvening, named: (username: string) => User, wait: () => void): void {
  const { source: path, username, history, request } = fork;
  wait();
  const user = named(username);
  const source = seenBy(core, path, user);
  addFork(core, source, user, {}, preparedCopy(core, source.project, history));
  wait();
  const mine = (): FoundProject => seenBy(core, `${username}/${source.project.path}`, user);
  const push = history.pushes.at(-1);
  if (push === undefined) throw new Error('nothing is left to push to the fork');
  pushPrepared(core, mine(), user, push);
  pipelineOfPush(core, mine(), user, { push, history, index: 0 });
  wait();
  const { title, description, talk } = request;
  const input = { title, description, sourceBranch: FORK_BRANCH, targetBranch: 'main' };
  const mergeRequest = createMergeRequest(core, { source: mine(), target: source }, user, input);
  discuss(core, talk, named, wait, (reader) => commentableMergeRequest(core, seenBy(core, path, reader), mergeRequest, reader));
}

function keepSnippets(
  core: Core,
  { snippets: histories }: PreparedEvening,
  named: (username: string) => User,
  wait: () => void,
): void {
  for (const [index, { author, project, files, talk = [], ...input }] of snippets.entries()) {
    const history = histories[index]?.history;
    if (history === undefined) throw new Error('a snippet was not prepared');
    wait();
    const user = named(author);
    const found = project === undefined ? undefined : seenBy(core, project, user);
    const repositoryId = adoptSingle(core, history);
    const paths = Object.keys(files).toSorted();
    const snippet = addSnippet(core, user, { ...input, projectId: found?.project.id }, { repositoryId, files: paths });
    if (project === undefined) continue;
    discuss(core, talk, named, wait, (reader) => commentableSnippet(core, seenBy(core, project, reader), snippet));
  }
}
