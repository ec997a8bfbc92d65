import { mentionedNames } from '../notifications/notifications.ts';

/** Actions that create to-do items. */
export const madeActions = [
  'assigned',
  'mentioned',
  'directly_addressed',
  'review_requested',
  'approval_required',
  'marked',
] as const;

export type TodoAction = (typeof madeActions)[number];

/** Values of the parameter `action` on GitLab. */
export const actionFilters = [
  ...madeActions,
  'build_failed',
  'unmergeable',
  'merge_train_removed',
  'member_access_requested',
  'review_submitted',
  'okr_checkin_requested',
  'added_approver',
] as const;

/** Values of the parameter `type` on GitLab. */
export const typeFilters = [
  'Issue',
  'MergeRequest',
  'Commit',
  'Epic',
  'DesignManagement::Design',
  'AlertManagement::Alert',
  'Project',
  'Namespace',
  'Vulnerability',
  'WikiPage::Meta',
] as const;

/** Names at the beginning of a line. */
const ADDRESSED = /^[ \t]*(?:@\w[\w./-]*[ \t,;:]*(?:and[ \t]+)?)+/gm;

/** Returns the names that a text addresses, in lower case: those that it mentions at the beginning of a line. */
export function addressedNames(text: string): readonly string[] {
  const mentioned = mentionedNames(text);
  if (mentioned.length === 0) return [];
  const addressed = new Set<string>();
  for (const [line] of text.slice(0, 1_048_576).matchAll(ADDRESSED))
    for (const name of mentionedNames(line.trimStart())) addressed.add(name);
  return mentioned.filter((name) => addressed.has(name));
}
