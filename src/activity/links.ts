import { type ActivityEvent, commitOfNote, type PushData } from '../contract/activity.ts';
import { browserUrl } from '../support/markdown.ts';

/**
 * Returns the web page of an event's target, or undefined if it is unknown. Events contain no URLs, so it is derived from `projectUrl`, the
 * project's `web_url`.
 */
export function pageOfEvent(event: ActivityEvent, projectUrl: string | undefined): string | undefined {
  const project = browserUrl(projectUrl)?.replace(/\/+$/, '');
  if (project === undefined) return browserUrl(event.author?.web_url);
  return `${project}${pathOfEvent(event)}`;
}

function pathOfEvent(event: ActivityEvent): string {
  if (event.push_data !== null) return pathOfPush(event.push_data);
  if (event.note !== null) {
    const { id, noteable_type: type, noteable_id: targetId, noteable_iid: iid } = event.note;
    const commit = commitOfNote(event.note);
    if (commit !== undefined) return `/-/commit/${commit}#note_${id}`;
    const target = pathOfTarget(type, targetId, iid);
    return target === '' ? '' : `${target}#note_${id}`;
  }
  return event.target_type === null ? '' : pathOfTarget(event.target_type, event.target_id, event.target_iid);
}

/** Returns the path of a target below its project; empty if it has none or its number is unknown. */
function pathOfTarget(type: string, id: number | null, iid: number | null): string {
  // Snippets have only an id.
  const number = isSnippet(type) ? (id ?? iid) : iid;
  return number === null ? '' : pathOfNumber(type, number);
}

function isSnippet(type: string): boolean {
  return type === 'Snippet' || type === 'ProjectSnippet';
}

function pathOfNumber(type: string, iid: number): string {
  switch (type) {
    case 'Issue':
    case 'WorkItem':
      return `/-/issues/${iid}`;
    case 'MergeRequest':
      return `/-/merge_requests/${iid}`;
    case 'Milestone':
      return `/-/milestones/${iid}`;
    case 'Snippet':
    case 'ProjectSnippet':
      return `/-/snippets/${iid}`;
    default:
      return '';
  }
}

function pathOfPush({ action, ref_type: type, ref, commit_from: from, commit_to: to, commit_count: count }: PushData): string {
  if (ref === null || action === 'removed') return '';
  const name = ref.split('/').map(encodeURIComponent).join('/');
  if (type === 'tag') return `/-/tags/${name}`;
  if (from !== null && to !== null && count > 1) return `/-/compare/${from}...${to}`;
  if (to !== null && count === 1) return `/-/commit/${to}`;
  return `/-/commits/${name}`;
}
