import { isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { User } from '../../core/caller.ts';
import { peopleOf } from '../profiles/profiles.ts';
import { labelsOf, presentLabelBasic } from '../labels/labels.ts';
import type { Core } from '../../core/core.ts';
import { isSubscribed } from '../subscriptions/subscriptions.ts';
import type { detailedEpic, epicResponse } from './responses.ts';
import type { EpicRow } from './store.ts';

type Wire = ResponseOf<typeof epicResponse>;

/** Returns epics as lists present them. References are relative to the path of the group. */
export function presentEpics(core: Core, epics: readonly EpicRow[], baseUrl: string, groupPath: string): Wire[] {
  const labels = labelsOf(
    core,
    'Epic',
    epics.map(({ id }) => id),
  );
  const person = peopleOf(core, baseUrl);
  return epics.map((epic) => {
    const api = `${baseUrl}/api/v4/groups/${epic.group_id}`;
    const start = epic.start_date_is_fixed === 1 ? epic.start_date_fixed : epic.start_date_inherited;
    const due = epic.due_date_is_fixed === 1 ? epic.due_date_fixed : epic.due_date_inherited;
    const short = `&${epic.iid}`;
    return {
      id: epic.id,
      iid: epic.iid,
      group_id: epic.group_id,
      parent_id: null,
      parent_iid: null,
      title: epic.title,
      description: epic.description,
      confidential: epic.confidential === 1,
      author: person(epic.author_id),
      start_date: start,
      start_date_is_fixed: epic.start_date_is_fixed === 1,
      start_date_fixed: epic.start_date_fixed,
      start_date_from_inherited_source: epic.start_date_inherited,
      start_date_from_milestones: epic.start_date_inherited,
      end_date: due,
      due_date: due,
      due_date_is_fixed: epic.due_date_is_fixed === 1,
      due_date_fixed: epic.due_date_fixed,
      due_date_from_inherited_source: epic.due_date_inherited,
      due_date_from_milestones: epic.due_date_inherited,
      state: epic.state,
      web_url: `${baseUrl}/groups/${epic.group_path}/-/epics/${epic.iid}`,
      reference: short,
      references: {
        short,
        relative: epic.group_path === groupPath ? short : `${epic.group_path}${short}`,
        full: `${epic.group_path}${short}`,
      },
      created_at: isoTime(epic.created_at),
      updated_at: isoTime(epic.updated_at),
      closed_at: epic.closed_at === null ? null : isoTime(epic.closed_at),
      labels: (labels.get(epic.id) ?? []).map(({ title }) => title),
      upvotes: 0,
      downvotes: 0,
      imported: false,
      imported_from: 'none',
      _links: { self: `${api}/epics/${epic.iid}`, epic_issues: `${api}/epics/${epic.iid}/issues`, group: api, parent: null },
    };
  });
}

/** Returns the response for a single epic. Its author participates in it. */
export function presentEpic(core: Core, epic: EpicRow, baseUrl: string, user: User): Wire {
  const [shown] = presentEpics(core, [epic], baseUrl, epic.group_path);
  if (shown === undefined) throw new Error('an epic was not presented');
  return { ...shown, subscribed: isSubscribed(core, { type: 'Epic', id: epic.id }, user, epic.author_id === user.id) };
}

/** Replaces the label titles of epics with label details. */
export function withLabelDetails(core: Core, epics: readonly Wire[]): ResponseOf<typeof detailedEpic>[] {
  const labels = labelsOf(
    core,
    'Epic',
    epics.map(({ id }) => id),
  );
  return epics.map((epic) => ({ ...epic, labels: (labels.get(epic.id) ?? []).map(presentLabelBasic) }));
}
