import { conflict, invalidRecord, notFound } from '../../core/errors.ts';
import { MAX_NUMBER } from '../../support/maxNumber.ts';
import type { Core } from '../../core/core.ts';
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

// Labels of projects and groups. A feature whose resources have labels
//   - presents them with `labelsOf(platform, 'MergeRequest', ids)`,
//   - writes `labels`, `add_labels` and `remove_labels` with `changeLabels(platform, { type, id, container }, input, …)` in its transaction,
//   - filters lists with `requestedLabels(params.labels)` and `labelledSql('MergeRequest', 'mr.id', …)`,
//   - adds a trigger to the migration of its table that deletes the links of deleted rows (like `issues_after_delete`).

export type Label = LabelRow;

/** A label of a resource. Priorities belong to projects, so it has none. */
export type LinkedLabel = Omit<Label, 'priority'>;

/** Color of labels that are created by adding an unknown title to a resource. */
const DEFAULT_COLOR = '#6699cc';

/**
 * Finds a label of a project or group by ID or title, with `withAncestors` also labels of the ancestor groups.
 *
 * @throws {NotFound} if there is none.
 */
export function findLabel(core: Core, container: LabelContainer, named: string, withAncestors: boolean): Label {
  const among = (more: Pick<LabelFilter, 'id' | 'titles'>): Label | undefined =>
    listLabels(core.store, { container, withAncestors, ...more }, 1, 0)[0];
  const byNumber = /^\d{1,15}$/.test(named) ? among({ id: Number(named) }) : undefined;
  const label = byNumber ?? among({ titles: [named] });
  if (label === undefined) throw notFound('Label');
  return label;
}

export interface NewLabel {
  readonly title: string;
  readonly color: string;
  readonly description?: string | undefined;
  /** For projects only. */
  readonly priority?: number | undefined;
}

/**
 * Creates a label.
 *
 * @throws {Refused} if the project or group or one of its ancestors has a label with this title, `Invalid` for validation errors.
 */
export function createLabel(core: Core, container: LabelContainer, input: NewLabel): Label {
  const { store } = core;
  const title = input.title.trim();
  return store.transaction(() => {
    const [taken] = listLabels(store, { container, withAncestors: true, titles: [title] }, 1, 0);
    if (taken !== undefined) throw conflict('Label already exists');
    const values = { title, description: input.description ?? null, color: validColor(title, input.color, input.priority) };
    const id = insertLabel(store, container, values, core.clock.now());
    if (container.kind === 'project' && input.priority !== undefined) writePriority(store, container.id, id, input.priority);
    return mustFind(core, id, container);
  });
}

export interface LabelChange {
  readonly title?: string | undefined;
  readonly color?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | null | undefined;
}

/**
 * Changes the given attributes of a label. A priority of null removes the priority.
 *
 * @throws {Invalid} for validation errors.
 */
export function updateLabel(core: Core, container: LabelContainer, label: Label, input: LabelChange): Label {
  const { store } = core;
  const title = input.title === undefined ? label.title : input.title.trim();
  return store.transaction(() => {
    const color = validColor(title, input.color ?? label.color, input.priority ?? undefined);
    const [taken] = listLabels(store, { container, withAncestors: false, titles: [title] }, 1, 0);
    if (taken !== undefined && taken.id !== label.id) throw invalidRecord({ title: ['has already been taken'] });
    writeLabel(store, label.id, { title, description: input.description ?? label.description, color }, core.clock.now());
    if (container.kind === 'project' && input.priority !== undefined)
      writePriority(store, container.id, label.id, input.priority);
    return mustFind(core, label.id, container);
  });
}

/** Deletes a label and removes it from all resources. */
export function deleteLabel(core: Core, label: Label): void {
  deleteLabelRow(core.store, label.id);
}

/** Turns a project label into a group label, together with all labels of the same title in the projects of the group. */
export function promoteLabel(core: Core, groupId: number, label: Label): Label {
  const { store } = core;
  const container: LabelContainer = { kind: 'group', id: groupId };
  return store.transaction(() => {
    const [there] = listLabels(store, { container, withAncestors: false, titles: [label.title] }, 1, 0);
    const id = there?.id ?? insertLabel(store, container, label, core.clock.now());
    absorbLabels(store, groupId, id, label.title);
    return mustFind(core, id, container);
  });
}

/** Returns the labels of some resources of one type, sorted by title. */
export function labelsOf(core: Core, type: LabelTarget, ids: readonly number[]): ReadonlyMap<number, readonly LinkedLabel[]> {
  return Map.groupBy(linkedLabels(core.store, type, ids), (row) => row.target_id);
}

/**
 * Changes the labels of a resource. Titles are looked up in its project or group and the ancestor groups. An unknown title creates a label
 * if the caller can create labels (at least reporter) and is ignored otherwise. Returns true if anything changed.
 *
 * @throws {Invalid} for an invalid title or too many labels.
 */
export function changeLabels(
  core: Core,
  target: { readonly type: LabelTarget; readonly id: number; readonly container: LabelContainer },
  input: LabelInput,
  { mayCreate }: { readonly mayCreate: boolean },
): boolean {
  const { store } = core;
  if (input.labels === undefined && input.add === undefined && input.remove === undefined) return false;
  const before = linkedLabels(store, target.type, [target.id]);
  const titles = changedLabels(
    before.map(({ title }) => title),
    input,
  );
  if (titles.length > MAX_LABELS) throw invalidRecord({ labels: [`are too many (maximum is ${MAX_LABELS} labels)`] });
  const known = new Map(
    // Each title exists at most once in the project and once in each of the up to twenty ancestors.
    listLabels(store, { container: target.container, withAncestors: true, titles }, titles.length * 21, 0)
      .toReversed()
      .map(({ title, id }) => [title, id]),
  );
  for (const { title, id } of before) known.set(title, id);
  const ids = titles.flatMap((title) => {
    const id = known.get(title) ?? (mayCreate ? createForUse(core, target.container, title) : undefined);
    return id === undefined ? [] : [id];
  });
  replaceLinks(store, target.type, target.id, ids);
  const after = new Set(ids);
  return after.size !== before.length || before.some(({ id }) => !after.has(id));
}

function createForUse(core: Core, container: LabelContainer, title: string): number {
  const color = validColor(title, DEFAULT_COLOR, undefined);
  return insertLabel(core.store, container, { title, description: null, color }, core.clock.now());
}

/**
 * Returns the color in its stored form.
 *
 * @throws {Invalid} for an invalid title, color or priority.
 */
function validColor(title: string, color: string, priority: number | undefined): string {
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

function mustFind(core: Core, id: number, container: LabelContainer): Label {
  const label = labelById(core.store, id, container.kind === 'project' ? container.id : 0);
  if (label === undefined) throw new Error(`label ${id} does not exist`);
  return label;
}
