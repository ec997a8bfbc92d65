import type { NotificationEvent } from '../../../src/contract/notifications.ts';
import { commentedCommitTitleSql } from '../commitComments/commitComments.ts';
import { epicColumnSql, readableEpicSql } from '../epics/epics.ts';
import { pipelineColumnSql } from '../pipelines/pipelines.ts';
import {
  type Access,
  readableCodeSql,
  readableInternalNotesSql,
  readableIssuesSql,
  visibleProjectsSql,
} from '../abilities/abilities.ts';
import { releaseNameSql } from '../releases/releases.ts';
import { readableSnippetSql, snippetTitleSql, visibleSnippetsSql } from '../snippets/snippets.ts';
import { beginCondition, type SqlParams } from '../../store/sql.ts';
import { countRowsInReader } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import type { TargetType } from './event.ts';
import type { EventRow } from './store.ts';

/** An event with what names its target. */
export interface EventWithTarget extends EventRow {
  readonly target_iid: number | null;
  readonly target_title: string | null;
}

export interface EventFilter {
  /** The user who reads them, and their access to projects in general. */
  readonly viewer: number;
  readonly access: Omit<Access, 'level'>;
  readonly id?: number | undefined;
  readonly projectId?: number | undefined;
  readonly groupId?: number | undefined;
  readonly event?: NotificationEvent | undefined;
  readonly targetType?: TargetType | undefined;
  readonly targetIid?: number | undefined;
}

const IID = `CASE e.target_type
  WHEN 'Issue' THEN (SELECT iid FROM issues_view WHERE id = e.target_id)
  WHEN 'MergeRequest' THEN (SELECT iid FROM merge_requests_view WHERE id = e.target_id)
  WHEN 'Epic' THEN ${epicColumnSql('iid', 'e.target_id')}
  WHEN 'Pipeline' THEN ${pipelineColumnSql('iid', 'e.target_id')} END`;

const TITLE = `CASE e.target_type
  WHEN 'Issue' THEN (SELECT title FROM issues_view WHERE id = e.target_id)
  WHEN 'MergeRequest' THEN (SELECT title FROM merge_requests_view WHERE id = e.target_id)
  WHEN 'Epic' THEN ${epicColumnSql('title', 'e.target_id')}
  WHEN 'Snippet' THEN ${snippetTitleSql('e.target_id')}
  WHEN 'Commit' THEN ${commentedCommitTitleSql('e.target_id')}
  WHEN 'Release' THEN ${releaseNameSql('e.target_id')}
  WHEN 'Pipeline' THEN ${pipelineColumnSql('ref', 'e.target_id')}
  WHEN 'Project' THEN (SELECT name FROM projects_view WHERE id = e.target_id) END`;

/** Returns the SQL condition for the events `e` whose target, and comment if there is one, the user `$viewer` can read. */
function readableEventsSql(access: Omit<Access, 'level'>): string {
  if (access.isAdministrator) return 'true';
  const inProject =
    'JOIN projects_view p ON p.id = e.project_id LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer';
  return `CASE e.target_type
    WHEN 'Issue' THEN EXISTS (SELECT 1 FROM issues_view i ${inProject} WHERE i.id = e.target_id AND ${readableIssuesSql(access)})
    WHEN 'MergeRequest' THEN EXISTS (SELECT 1 FROM (SELECT 1) ${inProject} WHERE ${readableCodeSql(access)})
    WHEN 'Commit' THEN EXISTS (SELECT 1 FROM (SELECT 1) ${inProject} WHERE ${readableCodeSql(access)})
    WHEN 'Snippet' THEN ${readableSnippetSql(visibleSnippetsSql(access, visibleProjectsSql(access)), 'e.target_id')}
    WHEN 'Epic' THEN ${readableEpicSql(access, 'e.target_id')}
    ELSE EXISTS (SELECT 1 FROM (SELECT 1) ${inProject} WHERE ${visibleProjectsSql(access)}) END
  AND NOT EXISTS (SELECT 1 FROM notes_view n WHERE n.id = json_extract(e.details, '$.noteId') AND n.internal = 1
    AND NOT ${readableInternalNotesSql(access)})`;
}

function conditions(filter: EventFilter): { readonly where: string; readonly params: SqlParams } {
  const { add, also, whole } = beginCondition({ viewer: filter.viewer });
  add('id', 'e.id = $id', filter.id);
  add('projectId', 'e.project_id = $projectId', filter.projectId);
  add('groupId', 'e.group_id = $groupId', filter.groupId);
  add('event', 'e.event = $event', filter.event);
  add('targetType', 'e.target_type = $targetType', filter.targetType);
  add('targetIid', `${IID} = $targetIid`, filter.targetIid);
  also(readableEventsSql(filter.access));
  return whole();
}

/** Counts events that a user can read. Runs in the reader thread, because a user may be able to read few of many. */
export async function countEvents(store: Store, filter: EventFilter, cap: number): Promise<number> {
  const { where, params } = conditions(filter);
  return countRowsInReader(store, `FROM notification_events e WHERE ${where}`, params, cap);
}

/** Returns events that a user can read, newest first. */
export function listEvents(store: Store, filter: EventFilter, limit: number, offset: number): Promise<EventWithTarget[]> {
  const { where, params } = conditions(filter);
  return store.runInReader<EventWithTarget>(
    `SELECT e.*, ${IID} AS target_iid, ${TITLE} AS target_title FROM notification_events e WHERE ${where}
     ORDER BY e.id DESC LIMIT $limit OFFSET $offset`,
    { ...params, limit, offset },
  );
}

/** Returns an event if the user can read it. */
export function readableEvent(store: Store, filter: EventFilter & { readonly id: number }): EventWithTarget | undefined {
  const { where, params } = conditions(filter);
  return store.get<EventWithTarget>(
    `SELECT e.*, ${IID} AS target_iid, ${TITLE} AS target_title FROM notification_events e WHERE ${where}`,
    params,
  );
}

export interface DecisionRow {
  readonly user_id: number;
  readonly mail_id: number | null;
  readonly mailed: 0 | 1;
  /** {@link RecipientDetails} as JSON. */
  readonly details: string;
}

/** Returns decisions about users with IDs after a given one, in the order of their IDs. */
export function listDecisions(store: Store, eventId: number, after: number, limit: number): DecisionRow[] {
  return store.all<DecisionRow>(
    `SELECT user_id, mail_id, mailed, details FROM notification_decisions
     WHERE event_id = $eventId AND user_id > $after ORDER BY user_id LIMIT $limit`,
    { eventId, after, limit },
  );
}

export function decisionAbout(store: Store, eventId: number, userId: number): DecisionRow | undefined {
  return store.get<DecisionRow>(
    'SELECT user_id, mail_id, mailed, details FROM notification_decisions WHERE event_id = $eventId AND user_id = $userId',
    { eventId, userId },
  );
}
