/** Returns the key under which the saved filters of an instance are stored. */
export function savedFiltersKey(instance: string): string {
  return `errorTracking.savedFilters/${instance}`;
}
