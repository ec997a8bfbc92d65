import { labelledSql, type RequestedLabels } from '../labels/labels.ts';
import { milestoneSql, type RequestedMilestone } from '../milestones/milestones.ts';
import type { IssueType } from './rules.ts';
import { beginCondition, type SqlParams } from '../../store/sql.ts';

/** Filters that can also be negated with `not`. */
export interface IssueTraits {
  readonly iids?: readonly number[] | undefined;
  /** Labels that an issue must all have; or `None` or `Any`. */
  readonly labels?: RequestedLabels;
  readonly milestone?: RequestedMilestone;
  readonly authorId?: number | undefined;
  readonly authorUsername?: string | undefined;
  readonly assignee?: number | 'None' | 'Any' | undefined;
  /** Users who must all be assigned. */
  readonly assigneeUsernames?: readonly string[] | undefined;
  readonly weight?: number | 'None' | 'Any' | undefined;
}

export interface IssueFilter extends IssueTraits {
  /** User ID, 0 without one. */
  readonly viewer: number;
  /** SQL condition from `readableIssuesSql`. */
  readonly readable: string;
  readonly projectId?: number | undefined;
  /** Restricts the list to projects of this group and its descendants. */
  readonly groupId?: number | undefined;
  readonly withoutArchived?: boolean | undefined;
  readonly state?: 'opened' | 'closed' | undefined;
  /** Today as `YYYY-MM-DD`, for the filters `Upcoming` and `Started`. */
  readonly today?: string | undefined;
  readonly search?: string | undefined;
  readonly searchIn?: readonly ('title' | 'description')[] | undefined;
  readonly confidential?: boolean | undefined;
  /** Days as `YYYY-MM-DD`, inclusive; or `None` or `Any`. */
  readonly due?: { readonly from?: string; readonly until?: string } | 'None' | 'Any' | undefined;
  readonly type?: IssueType | undefined;
  readonly closedById?: number | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  readonly updatedAfter?: number | undefined;
  readonly updatedBefore?: number | undefined;
  readonly not?: IssueTraits | undefined;
}

const ASSIGNED = 'SELECT 1 FROM issue_assignees a WHERE a.issue_id = i.id';

/** Returns the SQL condition and parameters of a filter on issues `i` of projects `p`. */
export function conditions(filter: IssueFilter): { where: string; params: SqlParams } {
  const { add, addSearch, also, whole } = beginCondition({ viewer: filter.viewer });
  add('projectId', 'i.project_id = $projectId', filter.projectId);
  add(
    'groupId',
    'p.namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId)',
    filter.groupId,
  );
  also(filter.readable);
  if (filter.withoutArchived === true) also('p.archived = 0');
  add('state', 'i.state = $state', filter.state);
  for (const trait of traits(filter, filter.today ?? '', '')) also(trait.sql, trait.params);
  for (const trait of excludedTraits(filter.not, filter.today ?? '')) also(`NOT coalesce(${trait.sql}, false)`, trait.params);
  const searched = (filter.searchIn ?? ['title', 'description']).map((field) => `i.${field}`);
  addSearch('search', searched, filter.search);
  add(
    'confidential',
    'i.confidential = $confidential',
    filter.confidential === undefined ? undefined : Number(filter.confidential),
  );
  if (filter.due === 'None') also('i.due_date IS NULL');
  else if (filter.due === 'Any') also('i.due_date IS NOT NULL');
  else {
    add('dueFrom', 'i.due_date >= $dueFrom', filter.due?.from);
    add('dueUntil', 'i.due_date <= $dueUntil', filter.due?.until);
  }
  add('type', 'i.issue_type = $type', filter.type);
  add('closedById', 'i.closed_by = $closedById', filter.closedById);
  add('createdAfter', 'i.created_at >= $createdAfter', filter.createdAfter);
  add('createdBefore', 'i.created_at <= $createdBefore', filter.createdBefore);
  add('updatedAfter', 'i.updated_at >= $updatedAfter', filter.updatedAfter);
  add('updatedBefore', 'i.updated_at <= $updatedBefore', filter.updatedBefore);
  return whole();
}

interface Condition {
  readonly sql: string;
  readonly params: Readonly<Record<string, string | number>>;
}

/** Returns the conditions of `not`, where every single label or assignee excludes an issue. */
function excludedTraits(not: IssueTraits | undefined, today: string): Condition[] {
  if (not === undefined) return [];
  const { labels, assigneeUsernames: usernames, ...others } = not;
  const single = typeof labels === 'object' ? labels.map((label): IssueTraits => ({ labels: [label] })) : [{ labels }];
  const people = usernames?.map((username): IssueTraits => ({ assigneeUsernames: [username] })) ?? [];
  return [others, ...single, ...people].flatMap((one, index) => traits(one, today, `Not${index}`));
}

/** Returns a condition for each trait in the filter; `suffix` makes the parameter names unique. */
function traits(input: IssueTraits, today: string, suffix: string): Condition[] {
  const found: Condition[] = [];
  const add = (name: string, sql: (parameter: string) => string, value: string | number | undefined): void => {
    if (value !== undefined) found.push({ sql: sql(`$${name}${suffix}`), params: { [`${name}${suffix}`]: value } });
  };
  const json = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
  const bare = (sql: string): void => {
    found.push({ sql, params: {} });
  };
  add('iids', (name) => `i.iid IN (SELECT value FROM json_each(${name}))`, json(input.iids));
  const labelled = labelledSql('Issue', 'i.id', input.labels, `labels${suffix}`);
  if (labelled !== undefined) found.push(labelled);
  const planned = milestoneSql('i.milestone_id', input.milestone, today, `milestone${suffix}`);
  if (planned !== undefined) found.push(planned);
  add('authorId', (name) => `i.author_id = ${name}`, input.authorId);
  add('authorUsername', (name) => `i.author_id = (SELECT id FROM users_view WHERE username = ${name})`, input.authorUsername);
  if (input.assignee === 'None') bare(`NOT EXISTS (${ASSIGNED})`);
  else if (input.assignee === 'Any') bare(`EXISTS (${ASSIGNED})`);
  else add('assignee', (name) => `EXISTS (${ASSIGNED} AND a.user_id = ${name})`, input.assignee);
  add(
    'assigneeUsernames',
    (name) => `NOT EXISTS (SELECT 1 FROM json_each(${name}) wished
       WHERE NOT EXISTS (${ASSIGNED} AND a.user_id = (SELECT id FROM users_view WHERE username = wished.value)))`,
    json(input.assigneeUsernames),
  );
  if (input.weight === 'None') bare('i.weight IS NULL');
  else if (input.weight === 'Any') bare('i.weight IS NOT NULL');
  else add('weight', (name) => `i.weight = ${name}`, input.weight);
  return found;
}
