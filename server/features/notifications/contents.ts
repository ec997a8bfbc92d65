import { PRODUCT } from '../../../src/contract/product.ts';
import { findUser } from '../users/users.ts';
import { commentedCommitById } from '../commitComments/commitComments.ts';
import { epicById } from '../epics/epics.ts';
import { notesByIds, type Note } from '../notes/notes.ts';
import { failedJobs, findPipelines } from '../pipelines/pipelines.ts';
import { releaseById } from '../releases/releases.ts';
import { snippetById } from '../snippets/snippets.ts';
import type { Core } from '../../core/core.ts';
import { addressPath } from '../../web/addresses.ts';
import type { MailBlock, MailContent, MailTarget } from '../mail/mail.ts';
import { type ContainerRow, containerById, issueById, mergeRequestById, namesOf, notesBefore, peopleOn } from './contentStore.ts';
import type { RecordedEvent } from './event.ts';

// Subjects, texts and headers of mails about events (docs/interface.md#local-mailbox).

/** Maximum number of commits, or of jobs, that a mail lists. */
const MAX_LISTED = 20;
/** Maximum number of earlier comments of a thread in `References`. */
const MAX_REFERENCES = 20;

/** Returns the mail about an event, or undefined if its target no longer exists. */
export function contentOf(core: Core, event: RecordedEvent): MailContent | undefined {
  const subject = subjectOf(core, event);
  if (subject === undefined) return undefined;
  const { container, thread } = subject;
  const note = event.event === 'new_note' ? noteOf(core, event) : undefined;
  if (event.event === 'new_note' && note === undefined) return undefined;
  const actor = event.actorId === null ? undefined : findUser(core, event.actorId);
  const opens = isOpening(event);
  const root = thread === undefined ? undefined : `${thread.prefix}_${subject.id}`;
  const title = opens || thread === undefined ? subject.title : `Re: ${subject.title}`;
  const path = note === undefined ? subject.path : `${subject.path}#note_${note.id}`;
  return {
    subject: oneLine(title),
    from: oneLine(actor?.name ?? PRODUCT),
    blocks: [
      ...(note === undefined
        ? textOf(core, event, subject, actor?.name ?? PRODUCT)
        : noteText(note, subject, actor?.name ?? PRODUCT)),
      { kind: 'link', text: `View it on ${PRODUCT}`, path },
    ],
    headers: {
      ...containerHeaders(subject),
      ...subject.headers,
      ...(note === undefined ? {} : { 'X-GitLab-Discussion-ID': note.discussion_id }),
    },
    ...(container === undefined ? {} : { list: listOf(container) }),
    references: root === undefined || opens ? [] : [root, ...earlierNotes(core, note)],
    messageId: note === undefined ? (opens ? (root ?? null) : null) : `note_${note.id}`,
    thread: thread?.type === undefined ? null : { type: thread.type, id: subject.id },
    target: { ...subject.target, noteId: note?.id ?? null },
  };
}

/** The target of an event, as mails show it. */
interface Subject {
  readonly id: number;
  readonly kind: 'issue' | 'merge request' | 'epic' | 'snippet' | 'commit' | 'pipeline' | 'release' | 'project';
  /** Reference in sentences, such as `issue #12`. */
  readonly name: string;
  /** Subject of a mail that is no reply. */
  readonly title: string;
  /** Path of its page. */
  readonly path: string;
  readonly description: string | null;
  readonly dueDate: string | null;
  /** Undefined for a personal snippet. */
  readonly container: ContainerRow | undefined;
  readonly isInGroup: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Left part of the Message-ID of the first mail, and type of what users unsubscribe from. Undefined if each mail stands alone. */
  readonly thread: { readonly prefix: string; readonly type?: 'Issue' | 'MergeRequest' | 'Epic' } | undefined;
  readonly target: Omit<MailTarget, 'noteId'>;
}

function subjectOf(core: Core, event: RecordedEvent): Subject | undefined {
  switch (event.targetType) {
    case 'Issue':
      return issueSubject(core, event.targetId);
    case 'MergeRequest':
      return mergeRequestSubject(core, event.targetId);
    case 'Epic':
      return epicSubject(core, event.targetId);
    case 'Snippet':
      return snippetSubject(core, event.targetId);
    case 'Commit':
      return commitSubject(core, event.targetId);
    case 'Pipeline':
      return pipelineSubject(core, event);
    case 'Release':
      return releaseSubject(core, event.targetId);
    case 'Project':
      return projectSubject(core, event.targetId);
  }
}

function issueSubject({ store }: Core, id: number): Subject | undefined {
  const issue = issueById(store, id);
  const project = issue === undefined ? undefined : containerById(store, 'project', issue.container_id);
  if (issue === undefined || project === undefined) return undefined;
  const { iid, title, description, state } = issue;
  return {
    ...subjectIn(project, { id, type: 'Issue', iid }),
    kind: 'issue',
    name: `issue #${iid}`,
    title: `${project.name} | ${title} (#${iid})`,
    path: `${pathOf(project)}/-/issues/${iid}`,
    description,
    dueDate: issue.due_date,
    headers: {
      'X-GitLab-Issue-ID': String(id),
      'X-GitLab-Issue-IID': String(iid),
      'X-GitLab-Issue-State': state,
      'X-GitLab-ConfidentialIssue': String(issue.confidential === 1),
    },
    thread: { prefix: 'issue', type: 'Issue' },
  };
}

function mergeRequestSubject({ store }: Core, id: number): Subject | undefined {
  const mergeRequest = mergeRequestById(store, id);
  const project = mergeRequest === undefined ? undefined : containerById(store, 'project', mergeRequest.container_id);
  if (mergeRequest === undefined || project === undefined) return undefined;
  const { iid, title, description, state } = mergeRequest;
  return {
    ...subjectIn(project, { id, type: 'MergeRequest', iid }),
    kind: 'merge request',
    name: `merge request !${iid}`,
    title: `${project.name} | ${title} (!${iid})`,
    path: `${pathOf(project)}/-/merge_requests/${iid}`,
    description,
    headers: {
      'X-GitLab-MergeRequest-ID': String(id),
      'X-GitLab-MergeRequest-IID': String(iid),
      'X-GitLab-MergeRequest-State': state,
    },
    thread: { prefix: 'merge_request', type: 'MergeRequest' },
  };
}

function epicSubject({ store }: Core, id: number): Subject | undefined {
  const epic = epicById(store, id);
  const group = epic === undefined ? undefined : containerById(store, 'group', epic.group_id);
  if (epic === undefined || group === undefined) return undefined;
  const { iid, title, description, state } = epic;
  return {
    ...subjectIn(group, { id, type: 'Epic', iid }),
    isInGroup: true,
    target: { type: 'Epic', id, iid, projectId: null, groupId: group.id, fullPath: group.full_path },
    kind: 'epic',
    name: `epic &${iid}`,
    title: `${group.name} | ${title} (&${iid})`,
    path: `/groups${pathOf(group)}/-/epics/${iid}`,
    description,
    headers: { 'X-GitLab-Epic-ID': String(id), 'X-GitLab-Epic-IID': String(iid), 'X-GitLab-Epic-State': state },
    thread: { prefix: 'epic', type: 'Epic' },
  };
}

function snippetSubject({ store }: Core, id: number): Subject | undefined {
  const snippet = snippetById(store, id);
  if (snippet === undefined) return undefined;
  const project = snippet.project_id === null ? undefined : containerById(store, 'project', snippet.project_id);
  return {
    ...subjectIn(project, { id, type: 'Snippet', iid: null }),
    kind: 'snippet',
    name: `snippet $${id}`,
    title: `${project === undefined ? '' : `${project.name} | `}${snippet.title} ($${id})`,
    path: `${project === undefined ? '' : pathOf(project)}/-/snippets/${id}`,
    headers: { 'X-GitLab-Snippet-ID': String(id) },
    thread: { prefix: 'snippet' },
  };
}

function commitSubject({ store }: Core, id: number): Subject | undefined {
  const commit = commentedCommitById(store, id);
  const project = commit === undefined ? undefined : containerById(store, 'project', commit.project_id);
  if (commit === undefined || project === undefined) return undefined;
  const { sha, title } = commit;
  return {
    ...subjectIn(project, { id, type: 'Commit', iid: null }),
    kind: 'commit',
    name: `commit ${sha.slice(0, 8)}`,
    title: `${project.name} | ${title} (${sha.slice(0, 8)})`,
    path: `${pathOf(project)}/-/commit/${sha}`,
    headers: { 'X-GitLab-Commit-ID': sha },
    thread: { prefix: 'commit' },
  };
}

const pipelineOutcomes = {
  failed_pipeline: 'Failed',
  fixed_pipeline: 'Fixed',
  success_pipeline: 'Successful',
} as const;

function isPipelineEvent(event: string): event is keyof typeof pipelineOutcomes {
  return Object.hasOwn(pipelineOutcomes, event);
}

function pipelineSubject(core: Core, event: RecordedEvent): Subject | undefined {
  const pipeline = findPipelines(core, [event.targetId]).get(event.targetId);
  const project = pipeline === undefined ? undefined : containerById(core.store, 'project', pipeline.project_id);
  if (pipeline === undefined || project === undefined) return undefined;
  const { id, iid, ref, sha, status } = pipeline;
  const outcome = isPipelineEvent(event.event) ? pipelineOutcomes[event.event] : status;
  return {
    ...subjectIn(project, { id, type: 'Pipeline', iid }),
    kind: 'pipeline',
    name: `pipeline #${id}`,
    title: `${project.name} | ${outcome} pipeline for ${ref} | ${sha.slice(0, 8)}`,
    path: `${pathOf(project)}/-/pipelines/${id}`,
    headers: { 'X-GitLab-Pipeline-Id': String(id), 'X-GitLab-Pipeline-Ref': oneLine(ref), 'X-GitLab-Pipeline-Status': status },
    thread: undefined,
  };
}

function releaseSubject({ store }: Core, id: number): Subject | undefined {
  const release = releaseById(store, id);
  const project = release === undefined ? undefined : containerById(store, 'project', release.project_id);
  if (release === undefined || project === undefined) return undefined;
  return {
    ...subjectIn(project, { id, type: 'Release', iid: null }),
    kind: 'release',
    name: `release ${release.name}`,
    title: `${project.name} | New release: ${release.name} - ${release.tag}`,
    path: `${pathOf(project)}/-/releases/${encodeURIComponent(release.tag.toWellFormed())}`,
    description: release.description,
    headers: {},
    thread: undefined,
  };
}

function projectSubject({ store }: Core, id: number): Subject | undefined {
  const project = containerById(store, 'project', id);
  if (project === undefined) return undefined;
  return {
    ...subjectIn(project, { id, type: 'Project', iid: null }),
    kind: 'project',
    name: `project ${project.name}`,
    title: `${project.name} | Project was moved`,
    path: pathOf(project),
    headers: {},
    thread: undefined,
  };
}

function subjectIn(
  project: ContainerRow | undefined,
  { id, type, iid }: { readonly id: number; readonly type: string; readonly iid: number | null },
): Pick<Subject, 'id' | 'container' | 'isInGroup' | 'description' | 'dueDate' | 'target'> {
  return {
    id,
    container: project,
    isInGroup: false,
    description: null,
    dueDate: null,
    target: { type, id, iid, projectId: project?.id ?? null, groupId: null, fullPath: project?.full_path ?? '' },
  };
}

function pathOf({ full_path: path }: ContainerRow): string {
  return `/${addressPath(path)}`;
}

/** Events whose mail is the first of a thread. */
function isOpening({ event, details }: RecordedEvent): boolean {
  if (details.newlyMentionedIds !== undefined) return false;
  return event === 'new_issue' || event === 'new_merge_request' || event === 'new_epic';
}

/** Returns the comment of an event, unless it was deleted since. */
function noteOf(core: Core, { details: { noteId } }: RecordedEvent): Note | undefined {
  return noteId === undefined ? undefined : notesByIds(core, [noteId]).get(noteId);
}

function earlierNotes({ store }: Core, note: Note | undefined): string[] {
  if (note === undefined) return [];
  const { id, noteable_type: type, noteable_id: noteableId, discussion_id: discussionId } = note;
  return notesBefore(store, { id, type, noteableId, discussionId }, MAX_REFERENCES).map((earlier) => `note_${earlier}`);
}

function containerHeaders({ container, isInGroup }: Subject): Readonly<Record<string, string>> {
  if (container === undefined) return {};
  const { id, name, full_path: path } = container;
  if (isInGroup) return { 'X-GitLab-Group-Id': String(id), 'X-GitLab-Group-Path': path };
  return { 'X-GitLab-Project': oneLine(name), 'X-GitLab-Project-Id': String(id), 'X-GitLab-Project-Path': path };
}

/** Returns the list of a project or group: its path and `id.project.group` (RFC 2919 §3). */
function listOf({ id, full_path: path }: ContainerRow): NonNullable<MailContent['list']> {
  return { name: path, id: [id, ...path.split('/').reverse()].join('.') };
}

function noteText(note: Note, subject: Subject, actor: string): MailBlock[] {
  const position = note.position === null ? undefined : positionText(note.position);
  const place = position === undefined ? '' : ` on ${position}`;
  const verb = note.type === 'DiscussionNote' ? 'commented in a discussion of' : 'commented on';
  return [sentence(`${actor} ${verb} ${subject.name}${place}:`), { kind: 'markdown', text: note.body }];
}

/** Returns the file and line of a comment on changes. */
function positionText(json: string): string | undefined {
  const position: unknown = JSON.parse(json);
  if (typeof position !== 'object' || position === null) return undefined;
  const member = (name: string): unknown =>
    name in position ? Object.entries(position).find(([key]) => key === name)?.[1] : null;
  const file = member('new_path') ?? member('old_path');
  const line = member('new_line') ?? member('old_line');
  if (typeof file !== 'string') return undefined;
  return typeof line === 'number' ? `${file}, line ${line}` : file;
}

/** Returns what happened, as the mail tells it. */
function textOf(core: Core, event: RecordedEvent, subject: Subject, actor: string): MailBlock[] {
  const { details } = event;
  const { name } = subject;
  if (details.newlyMentionedIds !== undefined) {
    return [sentence(`${actor} mentioned you in ${name}.`), ...description(subject)];
  }
  switch (event.event) {
    case 'new_issue':
    case 'new_epic':
      return [sentence(`${actor} opened ${name}.`), ...people(core, subject), ...description(subject)];
    case 'new_merge_request':
      return [sentence(`${actor} opened ${name}${branches(core, subject)}.`), ...people(core, subject), ...description(subject)];
    case 'approver':
      return [
        sentence(`${actor} opened ${name}${branches(core, subject)}, which you are eligible to approve.`),
        ...people(core, subject),
        ...description(subject),
      ];
    case 'close_issue':
    case 'close_merge_request':
      return [sentence(`${actor} closed ${name}.`)];
    case 'reopen_issue':
    case 'reopen_merge_request':
      return [sentence(`${actor} reopened ${name}.`)];
    case 'merge_merge_request':
      return [sentence(`${actor} merged ${name}${branches(core, subject)}.`)];
    case 'merge_when_pipeline_succeeds':
      return [sentence(`${actor} set ${name} to be merged automatically when its pipeline succeeds.`)];
    case 'reassign_issue':
      return [personChange(core, event, actor, 'assignees', peopleOn(core.store, 'issue_assignees_view', subject.id), name)];
    case 'reassign_merge_request':
      return [
        personChange(core, event, actor, 'assignees', peopleOn(core.store, 'merge_request_assignees_view', subject.id), name),
      ];
    case 'change_reviewer_merge_request':
      return [
        personChange(core, event, actor, 'reviewers', peopleOn(core.store, 'merge_request_reviewers_view', subject.id), name),
      ];
    case 'push_to_merge_request':
      return pushText(event, actor, name);
    case 'issue_due':
      return [
        sentence(`Issue #${subject.target.iid ?? 0} is due ${subject.dueDate === null ? 'soon' : `on ${subject.dueDate}`}.`),
      ];
    case 'failed_pipeline':
    case 'fixed_pipeline':
    case 'success_pipeline':
      return pipelineText(core, event);
    case 'moved_project':
      return [
        sentence(`${actor} moved ${name}.`),
        {
          kind: 'list',
          items: [
            ...(details.formerPath === undefined ? [] : [`Former path: ${details.formerPath}`]),
            `New path: ${subject.target.fullPath}`,
          ],
        },
        sentence('Update the address of the remote in your clones.'),
      ];
    case 'new_release':
      return [sentence(`${actor} published ${name}.`), ...description(subject)];
    case 'new_note':
      return [];
  }
}

function description({ description: text }: Subject): MailBlock[] {
  return text === null || text.trim() === '' ? [] : [{ kind: 'markdown', text }];
}

function people({ store }: Core, { kind, id }: Subject): MailBlock[] {
  if (kind === 'epic') return [];
  const assignees = peopleOn(store, kind === 'issue' ? 'issue_assignees_view' : 'merge_request_assignees_view', id);
  const reviewers = kind === 'issue' ? [] : peopleOn(store, 'merge_request_reviewers_view', id);
  const items = [
    ...(assignees.length === 0 ? [] : [`Assignees: ${assignees.map(oneLine).join(', ')}`]),
    ...(reviewers.length === 0 ? [] : [`Reviewers: ${reviewers.map(oneLine).join(', ')}`]),
  ];
  return items.length === 0 ? [] : [{ kind: 'list', items }];
}

function branches({ store }: Core, { id }: Subject): string {
  const mergeRequest = mergeRequestById(store, id);
  return mergeRequest === undefined ? '' : ` (${mergeRequest.source_branch} → ${mergeRequest.target_branch})`;
}

function personChange(
  { store }: Core,
  { details }: RecordedEvent,
  actor: string,
  role: 'assignees' | 'reviewers',
  now: readonly string[],
  name: string,
): MailBlock {
  const listed = (names: readonly string[]): string => (names.length === 0 ? 'nobody' : names.join(', '));
  const before = namesOf(store, details.previousIds ?? []);
  return sentence(`${actor} changed the ${role} of ${name} from ${listed(before)} to ${listed(now)}.`);
}

function pushText({ details }: RecordedEvent, actor: string, name: string): MailBlock[] {
  const { commits = [] } = details;
  const listed = commits.slice(0, MAX_LISTED);
  const count = details.commitCount ?? commits.length;
  const more = count - listed.length;
  return [
    sentence(`${actor} pushed ${count === 1 ? '1 new commit' : `${count} new commits`} to ${name}.`),
    ...(listed.length === 0
      ? []
      : [
          {
            kind: 'list' as const,
            items: [
              ...listed.map(({ id, title }) => `${id.slice(0, 8)} ${oneLine(title)}`),
              ...(more > 0 ? [`and ${more === 1 ? '1 more commit' : `${more} more commits`}`] : []),
            ],
          },
        ]),
  ];
}

function pipelineText(core: Core, event: RecordedEvent): MailBlock[] {
  const pipeline = findPipelines(core, [event.targetId]).get(event.targetId);
  if (pipeline === undefined) return [];
  const { id, ref, sha } = pipeline;
  const outcome = { failed_pipeline: 'failed', fixed_pipeline: 'succeeded again', success_pipeline: 'succeeded' } as const;
  const what = isPipelineEvent(event.event) ? outcome[event.event] : 'finished';
  const jobs = event.event === 'failed_pipeline' ? failedJobs(core.store, id, MAX_LISTED) : [];
  return [
    sentence(`Pipeline #${id} for ${ref} ${what}.`),
    { kind: 'list', items: [`Branch or tag: ${oneLine(ref)}`, `Commit: ${sha.slice(0, 8)}`] },
    ...(jobs.length === 0
      ? []
      : [
          sentence('Failed jobs:'),
          { kind: 'list' as const, items: jobs.map((job) => `${oneLine(job.name)} (${oneLine(job.stage)})`) },
        ]),
  ];
}

function sentence(text: string): MailBlock {
  return { kind: 'sentence', text: oneLine(text) };
}

/** Replaces line breaks and other control characters, so that a text fits into a header or a sentence. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
