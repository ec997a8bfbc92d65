import { type Refused, unprocessable } from '../../core/errors.ts';
import { commitIds } from '../../repositories/objects.ts';
import { branchHead, openRepository } from '../git/git.ts';
import { listedPipelines, listJobs } from '../pipelines/pipelines.ts';
import { listReleases } from '../releases/releases.ts';
import type { DeliveredEvent } from './events.ts';
import type { HookCore } from './hookCore.ts';
import { issuePayload } from './payloads/issue.ts';
import { mergeRequestPayload } from './payloads/mergeRequest.ts';
import { type NoteOn, notePayload } from './payloads/note.ts';
import { type NewPayload, type Place, placeOf } from './payloads/parts.ts';
import { jobPayload, pipelinePayload } from './payloads/pipeline.ts';
import { pushPayload } from './payloads/push.ts';
import { releasePayload } from './payloads/release.ts';
import { newestComment, newestIssue, newestMergeRequest, newestTag, type SampleComment } from './sampleStore.ts';

// Payloads of tests of hooks. They are about the newest thing of their kind in the project.

/** Number of commits of a sample push. */
const COMMITS = 3;

/** Messages of GitLab that say what a project lacks for a test of an event. */
const needs: Readonly<Record<DeliveredEvent, string>> = {
  push_events: 'Ensure the project has at least one commit.',
  tag_push_events: 'Ensure the project has at least one tag.',
  issues_events: 'Ensure the project has issues.',
  confidential_issues_events: 'Ensure the project has confidential issues.',
  note_events: 'Ensure the project has notes.',
  confidential_note_events: 'Ensure the project has confidential notes.',
  merge_requests_events: 'Ensure the project has merge requests.',
  job_events: 'Ensure the project has CI jobs.',
  pipeline_events: 'Ensure the project has CI pipelines.',
  releases_events: 'Ensure the project has releases.',
};

/** Payload of a test, and the project that it is about. */
export interface Sample {
  readonly projectId: number;
  readonly payload: NewPayload;
}

/** Returns the payload of a test for the first of some projects that has one. Throws `Refused` if there is none. */
export async function sampleOf(
  core: HookCore,
  event: DeliveredEvent,
  projectIds: readonly number[],
  userId: number,
): Promise<Sample> {
  for (const projectId of projectIds) {
    const place = placeOf(core, projectId);
    const payload = place === undefined ? undefined : await sampleIn(core, event, place, userId);
    if (payload !== undefined) return { projectId, payload };
  }
  throw missing(event);
}

function missing(event: DeliveredEvent): Refused {
  return unprocessable(needs[event], 'there is nothing that a test could deliver', 'hook.test');
}

async function sampleIn(core: HookCore, event: DeliveredEvent, place: Place, userId: number): Promise<NewPayload | undefined> {
  const { store } = core;
  const { id: projectId } = place.project;
  switch (event) {
    case 'push_events':
      return samplePush(core, place, userId);
    case 'tag_push_events': {
      const tag = newestTag(store, projectId);
      if (tag === undefined) return undefined;
      const pushed = { ref: tag.name, refType: 'tag', action: 'created', commitFrom: null, commitTo: tag.commit_id } as const;
      return pushPayload(core, place, userId, { ...pushed, commitCount: 0, commitTitle: null });
    }
    case 'issues_events':
    case 'confidential_issues_events': {
      const issueId = newestIssue(store, projectId, event === 'confidential_issues_events');
      return issueId === undefined ? undefined : issuePayload(core, place, issueId, { action: 'open', userId });
    }
    case 'note_events':
    case 'confidential_note_events': {
      const comment = newestComment(store, projectId, event === 'confidential_note_events');
      return comment === undefined ? undefined : notePayload(core, place, targetOf(comment, projectId, userId));
    }
    case 'merge_requests_events': {
      const mergeRequestId = newestMergeRequest(store, projectId);
      return mergeRequestId === undefined
        ? undefined
        : mergeRequestPayload(core, place, mergeRequestId, { action: 'open', userId });
    }
    case 'job_events': {
      const [job] = listJobs(store, { of: { projectId } }, 1, 0);
      return job === undefined ? undefined : jobPayload(core, place, job.id);
    }
    case 'pipeline_events': {
      const [pipeline] = listedPipelines(core, { projectId }).rows(1, 0);
      return pipeline === undefined ? undefined : pipelinePayload(core, place, pipeline.id);
    }
    case 'releases_events': {
      const [release] = listReleases(store, { projectId }, { order: 'created_at', sort: 'desc', limit: 1, offset: 0 });
      return release === undefined ? undefined : releasePayload(core, place, release, 'create');
    }
  }
}

/** Returns a push of the newest commits of the default branch. */
async function samplePush(core: HookCore, place: Place, userId: number): Promise<NewPayload | undefined> {
  const { project } = place;
  const head = branchHead(core, project.id, project.default_branch);
  const repository = head === undefined ? undefined : await openRepository(core, project);
  if (head === undefined || repository === undefined) return undefined;
  const ids = await commitIds(repository, { from: [head], firstParent: true }, COMMITS + 1);
  const before = ids[COMMITS] ?? null;
  return pushPayload(core, place, userId, {
    ref: project.default_branch,
    refType: 'branch',
    action: before === null ? 'created' : 'pushed',
    commitFrom: before,
    commitTo: head,
    commitCount: Math.min(ids.length, COMMITS),
    commitTitle: null,
  });
}

function targetOf(comment: SampleComment, projectId: number, userId: number): Parameters<typeof notePayload>[2] {
  const { id, noteable_type: type, noteable_id: noteableId, confidential } = comment;
  const on: NoteOn =
    type === 'Issue'
      ? { type, issue: { id: noteableId, iid: 0, projectId, title: '', confidential: confidential === 1 } }
      : { type, mergeRequest: { id: noteableId, iid: 0, projectId, title: '' } };
  return { noteId: id, on, userId, isConfidential: confidential === 1 };
}
