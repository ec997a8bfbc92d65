import { isoDate, isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { milestoneResponse } from './responses.ts';
import type { MilestoneRow } from './store.ts';

/** Returns the response for a milestone. `now`, in milliseconds, determines if it is expired. */
export function presentMilestone(milestone: MilestoneRow, baseUrl: string, now: number): ResponseOf<typeof milestoneResponse> {
  const { project_id: projectId, group_id: groupId } = milestone;
  return {
    id: milestone.id,
    iid: milestone.iid,
    ...(projectId === null ? {} : { project_id: projectId }),
    ...(groupId === null ? {} : { group_id: groupId }),
    title: milestone.title,
    description: milestone.description,
    state: milestone.state,
    created_at: isoTime(milestone.created_at),
    updated_at: isoTime(milestone.updated_at),
    due_date: milestone.due_date,
    start_date: milestone.start_date,
    expired: milestone.due_date !== null && milestone.due_date < isoDate(now),
    web_url: `${baseUrl}/${groupId === null ? '' : 'groups/'}${milestone.container_path}/-/milestones/${milestone.iid}`,
  };
}
