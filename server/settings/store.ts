import type { Store } from '../store/open.ts';

/** What was set, as a number; undefined for a setting that nobody has touched. */
export function storedSetting(store: Store, name: string): number | undefined {
  return store.get<{ value: number }>('SELECT value FROM instance_settings WHERE name = $name', { name })?.value;
}

export function storeSetting(store: Store, name: string, value: number): void {
  store.run(
    'INSERT INTO instance_settings (name, value) VALUES ($name, $value) ON CONFLICT (name) DO UPDATE SET value = $value',
    {
      name,
      value,
    },
  );
}
