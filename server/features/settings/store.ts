import type { Store } from '../../store/open.ts';

/** Returns the stored value of a setting as a number, or undefined if it was never changed. */
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
