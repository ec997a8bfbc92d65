import type { ChangeOf } from '../../../core/changes.ts';
import type { Core } from '../../../core/core.ts';
import { commentedCommitById } from '../../commitComments/commitComments.ts';
import { issuesById } from '../../issues/issues.ts';
import { mustFindMergeRequest } from '../../mergeRequests/mergeRequests.ts';
import { type Note, notesByIds, readPosition } from '../../notes/notes.ts';
import { snippetById } from '../../snippets/snippets.ts';
import type { Completion } from '../completion.ts';
import { issueMember } from './issue.ts';
import { lastCommitOf, mergeRequestMember } from './mergeRequest.ts';
import { isoSeconds, type NewPayload, type Place, projectMember, repositoryMember, userMember, utc, utcOrNull } from './parts.ts';

/** Issue, merge request, commit or snippet that a note belongs to. */
export type NoteOn = Exclude<ChangeOf<'noteCreated'>['on'], { readonly type: 'Epic' }>;

export interface NoteTarget {
  readonly noteId: number;
  readonly on: NoteOn;
  readonly userId: number;
  readonly isConfidential: boolean;
}

/** Returns the payload of a new comment, or undefined if it no longer exists. */
export function notePayload(
  core: Core,
  place: Place,
  { noteId, on, userId, isConfidential }: NoteTarget,
): NewPayload | undefined {
  const note = notesByIds(core, [noteId]).get(noteId);
  const target = note === undefined ? undefined : targetOf(core, place, on);
  if (note === undefined || target === undefined) return undefined;
  const { path, members, completion } = target;
  return {
    payload: {
      object_kind: 'note',
      event_type: isConfidential ? 'confidential_note' : 'note',
      user: userMember(core, userId),
      project_id: place.project.id,
      project: projectMember(place),
      object_attributes: {
        ...attributesOf(note),
        url: `${place.baseUrl}/${place.project.full_path}/-/${path}#note_${note.id}`,
        action: 'create',
      },
      repository: repositoryMember(place),
      ...members,
    },
    ...(completion === undefined ? {} : { completion }),
  };
}

function attributesOf(note: Note) {
  const isOnCommit = note.noteable_type === 'Commit';
  return {
    id: note.id,
    note: note.body,
    description: note.body,
    noteable_type: note.noteable_type,
    noteable_id: isOnCommit ? null : note.noteable_id,
    author_id: note.author_id,
    created_at: utc(note.created_at),
    updated_at: utc(note.updated_at),
    project_id: note.project_id,
    attachment: null,
    commit_id: note.commit_id,
    discussion_id: note.discussion_id,
    type: note.type,
    system: false,
    internal: note.internal === 1,
    position: note.position === null ? null : readPosition(note.position),
    resolved_at: utcOrNull(note.resolved_at),
    resolved_by_id: note.resolved_by,
  };
}

interface Target {
  /** Path of its page in the project. */
  readonly path: string;
  readonly members: Readonly<Record<string, unknown>>;
  readonly completion?: Completion;
}

function targetOf(core: Core, place: Place, on: NoteOn): Target | undefined {
  switch (on.type) {
    case 'Issue': {
      const issue = issuesById(core, [on.issue.id]).get(on.issue.id);
      return issue === undefined
        ? undefined
        : { path: `issues/${issue.iid}`, members: { issue: issueMember(core, place, issue) } };
    }
    case 'MergeRequest': {
      const mergeRequest = mustFindMergeRequest(core, on.mergeRequest.id);
      return {
        path: `merge_requests/${mergeRequest.iid}`,
        members: { merge_request: mergeRequestMember(core, place, mergeRequest) },
        completion: lastCommitOf(mergeRequest, 'merge_request'),
      };
    }
    case 'Snippet': {
      const snippet = snippetById(core.store, on.snippet.id);
      if (snippet === undefined) return undefined;
      const { id, title, description, author_id, project_id, created_at, updated_at } = snippet;
      const times = { created_at: isoSeconds(created_at), updated_at: isoSeconds(updated_at) };
      const url = `${place.baseUrl}/${place.project.full_path}/-/snippets/${id}`;
      return {
        path: `snippets/${id}`,
        members: { snippet: { id, title, description, author_id, project_id, ...times, type: 'ProjectSnippet', url } },
      };
    }
    case 'Commit': {
      const commit = commentedCommitById(core.store, on.commit.id);
      return commit === undefined
        ? undefined
        : {
            path: `commit/${commit.sha}`,
            members: {},
            completion: { kind: 'commit', projectId: place.project.id, sha: commit.sha, as: 'commit' },
          };
    }
  }
}
