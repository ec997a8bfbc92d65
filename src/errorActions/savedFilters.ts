import type { Memento } from 'vscode';
import { isJsonObject, listOf, stringMember } from '../contract/json.ts';
import { type ErrorFilter, readErrorFilter } from '../errorTracking/filter.ts';
import { savedFiltersKey } from '../errorTracking/savedFiltersKey.ts';

export interface SavedFilter {
  readonly name: string;
  readonly filter: ErrorFilter;
}

/** Filters of errors that the user has saved for an instance, by name. */
export interface SavedFilters {
  readonly list: () => readonly SavedFilter[];
  /** Replaces a filter with the same name. */
  readonly save: (name: string, filter: ErrorFilter) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
}

/** Maximum number of filters per instance. Further ones replace the oldest. */
const MAX_FILTERS = 50;

export function createSavedFilters(memory: Memento, instance: string): SavedFilters {
  const key = savedFiltersKey(instance);
  const stored = (): readonly SavedFilter[] => listOf(memory.get(key), readSavedFilter);
  return {
    list: () => stored().toSorted((one, other) => one.name.localeCompare(other.name)),
    save: async (name, filter) => {
      const others = stored().filter((one) => one.name !== name);
      await memory.update(key, [...others, { name, filter }].slice(-MAX_FILTERS));
    },
    remove: async (name) => {
      const rest = stored().filter((one) => one.name !== name);
      await memory.update(key, rest.length === 0 ? undefined : rest);
    },
  };
}

function readSavedFilter(value: unknown): SavedFilter | undefined {
  if (!isJsonObject(value)) return undefined;
  const name = stringMember(value, 'name');
  return name === undefined ? undefined : { name, filter: readErrorFilter(value.filter) };
}
