import { conflict, invalidRecord, MAX_NUMBER, notFound } from '../http/failures.ts';
import type { Platform } from '../platform.ts';
import { readColor } from './colors.ts';
import { changedLabels, labelErrors, type LabelInput, MAX_LABELS } from './rules.ts';
import {
  absorbLabels,
  deleteLabelRow,
  insertLabel,
  labelById,
  type LabelFilter,
  type LabelContainer,
  type LabelRow,
  type LabelTarget,
  linkedLabels,
  listLabels,
  replaceLinks,
  writeLabel,
  writePriority,
} from './store.ts';

// Labels of projects and groups, and what carries them. A feature whose things carry labels
//   - presents them by `labelsOf(platform, 'MergeRequest', ids)`,
//   - writes `labels`, `add_labels` and `remove_labels` by `changeLabels(platform, { type, id, home }, wish, …)`, inside its transaction,
//   - filters lists by `requestedLabels(params.labels)` and `labelledSql('MergeRequest', 'mr.id', …)`,
//   - adds a trigger in the step of its table that deletes the links of what is deleted (as `issues_after_delete` does).

export { labelBasic } from './responses.ts';
export { presentLabelBasic } from './present.ts';
export { labelledSql } from './filters.ts';
export { type LabelInput, requestedLabels, type RequestedLabels } from './rules.ts';
export type { LabelContainer, LabelTarget } from './store.ts';

export type Label = LabelRow;

/** What a label has that comes to be because something was given its name. */
const DEFAULT_COLOR = '#6699cc';

/** A label by number or title among those of a project or group, and with `withAncestors` of the groups around it. Throws 404. */
export function findLabel(platform: Platform, container: LabelContainer, named: string, withAncestors: boolean): Label {
  const among = (more: Pick<LabelFilter, 'id' | 'titles'>): Label | undefined =>
    listLabels(platform.store, { container, withAncestors, ...more }, 1, 0)[0];
  const byNumber = /^\d{1,15}$/.test(named) ? among({ id: Number(named) }) : undefined;
  const label = byNumber ?? among({ titles: [named] });
  if (label === undefined) throw notFound('Label');
  return label;
}

export interface NewLabel {
  readonly title: string;
  readonly color: string;
  readonly description?: string | undefined;
  /** Of projects only. */
  readonly priority?: number | undefined;
}

/** Makes a label. Throws 409 when the project or group, or a group around it, has one of this title, and 400 for what is wrong with it. */
export function createLabel(platform: Platform, container: LabelContainer, input: NewLabel): Label {
  const { store } = platform;
  const title = input.title.trim();
  return store.transaction(() => {
    const [taken] = listLabels(store, { container, withAncestors: true, titles: [title] }, 1, 0);
    if (taken !== undefined) throw conflict('Label already exists');
    const values = { title, description: input.description ?? null, color: checked(title, input.color, input.priority) };
    const id = insertLabel(store, container, values, platform.clock.now());
    if (container.kind === 'project' && input.priority !== undefined) writePriority(store, container.id, id, input.priority);
    return mustFind(platform, id, container);
  });
}

export interface LabelChange {
  readonly title?: string | undefined;
  readonly color?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | null | undefined;
}

/** Changes a label; what is left out stays. A priority of null takes it away. Throws 400. */
export function updateLabel(platform: Platform, container: LabelContainer, label: Label, input: LabelChange): Label {
  const { store } = platform;
  const title = input.title === undefined ? label.title : input.title.trim();
  return store.transaction(() => {
    const color = checked(title, input.color ?? label.color, input.priority ?? undefined);
    const [taken] = listLabels(store, { container, withAncestors: false, titles: [title] }, 1, 0);
    if (taken !== undefined && taken.id !== label.id) throw invalidRecord({ title: ['has already been taken'] });
    writeLabel(store, label.id, { title, description: input.description ?? label.description, color }, platform.clock.now());
    if (container.kind === 'project' && input.priority !== undefined)
      writePriority(store, container.id, label.id, input.priority);
    return mustFind(platform, label.id, container);
  });
}

/** Deletes a label, also from everything that carries it. */
export function deleteLabel(platform: Platform, label: Label): void {
  deleteLabelRow(platform.store, label.id);
}

/** Makes a project's label one of the group, and with it all of this title in the projects of the group. */
export function promoteLabel(platform: Platform, groupId: number, label: Label): Label {
  const { store } = platform;
  const container: LabelContainer = { kind: 'group', id: groupId };
  return store.transaction(() => {
    const [there] = listLabels(store, { container, withAncestors: false, titles: [label.title] }, 1, 0);
    const id = there?.id ?? insertLabel(store, container, label, platform.clock.now());
    absorbLabels(store, groupId, id, label.title);
    return mustFind(platform, id, container);
  });
}

/** The labels of some things of one type, by title. */
export function labelsOf(
  platform: Platform,
  type: LabelTarget,
  ids: readonly number[],
): ReadonlyMap<number, readonly Omit<Label, 'priority'>[]> {
  return Map.groupBy(linkedLabels(platform.store, type, ids), (row) => row.target_id);
}

/**
 * Changes the labels of one thing. Titles are looked for in its project or group and in the groups around it; one that is nowhere becomes a
 * label of the project or group when the person may make labels (from reporter on), and is ignored otherwise. Answers whether anything
 * changed. Throws 400 for a title that no label can have, and for more labels than one thing carries.
 */
export function changeLabels(
  platform: Platform,
  target: { readonly type: LabelTarget; readonly id: number; readonly container: LabelContainer },
  input: LabelInput,
  { mayCreate }: { readonly mayCreate: boolean },
): boolean {
  const { store } = platform;
  if (input.labels === undefined && input.add === undefined && input.remove === undefined) return false;
  const before = linkedLabels(store, target.type, [target.id]);
  const titles = changedLabels(
    before.map(({ title }) => title),
    input,
  );
  if (titles.length > MAX_LABELS) throw invalidRecord({ labels: [`are too many (maximum is ${MAX_LABELS} labels)`] });
  const known = new Map(
    // Of each title one in the project and one in each of the groups around it, of which there are at most twenty.
    listLabels(store, { container: target.container, withAncestors: true, titles }, titles.length * 21, 0)
      .toReversed()
      .map(({ title, id }) => [title, id]),
  );
  for (const { title, id } of before) known.set(title, id);
  const ids = titles.flatMap((title) => {
    const id = known.get(title) ?? (mayCreate ? createForUse(platform, target.container, title) : undefined);
    return id === undefined ? [] : [id];
  });
  replaceLinks(store, target.type, target.id, ids);
  const after = new Set(ids);
  return after.size !== before.length || before.some(({ id }) => !after.has(id));
}

function createForUse(platform: Platform, container: LabelContainer, title: string): number {
  const color = checked(title, DEFAULT_COLOR, undefined);
  return insertLabel(platform.store, container, { title, description: null, color }, platform.clock.now());
}

/** The color as it is kept. Throws 400 for what is wrong. */
function checked(title: string, color: string, priority: number | undefined): string {
  const stored = readColor(color);
  const wrong = labelErrors(title);
  const validationErrors = {
    ...(wrong.length === 0 ? {} : { title: wrong }),
    ...(stored === undefined ? { color: ['must be a valid color code'] } : {}),
    ...(priority !== undefined && priority < 0 ? { priority: ['must be greater than or equal to 0'] } : {}),
    ...(priority !== undefined && priority > MAX_NUMBER ? { priority: [`must be less than or equal to ${MAX_NUMBER}`] } : {}),
  };
  if (stored === undefined || Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
  return stored;
}

function mustFind(platform: Platform, id: number, container: LabelContainer): Label {
  const label = labelById(platform.store, id, container.kind === 'project' ? container.id : 0);
  if (label === undefined) throw new Error(`label ${id} is not there`);
  return label;
}
