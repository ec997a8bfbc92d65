import type { ResponseOf } from '../../http/responses.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { readableCodeSql, readableIssuesSql } from '../abilities/abilities.ts';
import { accessOf, viewerId } from '../projectAccess/projectAccess.ts';
import { explicitSubscriptions } from '../subscriptions/subscriptions.ts';
import type { groupLabel, labelBasic, projectLabel } from './responses.ts';
import { textColorOn } from './colors.ts';
import { asHtml } from './rules.ts';
import { issueCounts, type LabelRow, mergeRequestCounts } from './store.ts';

export function presentLabelBasic(label: Omit<LabelRow, 'priority'>): ResponseOf<typeof labelBasic> {
  return {
    id: label.id,
    name: label.title,
    description: label.description,
    description_html: label.description === null ? null : asHtml(label.description),
    text_color: textColorOn(label.color),
    color: label.color,
  };
}

/** Presents labels of a group. */
export function presentGroupLabels(
  core: Core,
  labels: readonly LabelRow[],
  caller: Caller,
  withCounts: boolean,
): ResponseOf<typeof groupLabel>[] {
  const ids = labels.map(({ id }) => id);
  const viewer = viewerId(caller);
  const followed = explicitSubscriptions(core, 'Label', ids, viewer);
  const counts = withCounts ? issueCounts(core.store, ids, { viewer, readable: readableIssuesSql(accessOf(caller)) }) : undefined;
  const requests = withCounts
    ? mergeRequestCounts(core.store, ids, { viewer, readable: readableCodeSql(accessOf(caller)) })
    : undefined;
  return labels.map((label) => ({
    ...presentLabelBasic(label),
    ...(counts === undefined
      ? {}
      : {
          open_issues_count: counts.get(label.id)?.open ?? 0,
          closed_issues_count: counts.get(label.id)?.closed ?? 0,
          open_merge_requests_count: requests?.get(label.id) ?? 0,
        }),
    subscribed: followed.has(label.id),
  }));
}

/** Presents labels of a project and of its ancestor groups. */
export function presentProjectLabels(
  core: Core,
  labels: readonly LabelRow[],
  caller: Caller,
  withCounts: boolean,
): ResponseOf<typeof projectLabel>[] {
  const shown = presentGroupLabels(core, labels, caller, withCounts);
  return shown.map((label, index) => ({
    ...label,
    priority: labels[index]?.priority ?? null,
    is_project_label: labels[index]?.project_id !== null,
  }));
}
