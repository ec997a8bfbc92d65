import type { Store } from '../store/open.ts';

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

/** Returns the value of a setting that is a text, or undefined if it was never set. */
export function storedText(store: Store, name: string): string | undefined {
  return store.get<{ value: string }>('SELECT value FROM instance_texts WHERE name = $name', { name })?.value;
}

export function storeText(store: Store, name: string, value: string): void {
  store.run('INSERT INTO instance_texts (name, value) VALUES ($name, $value) ON CONFLICT (name) DO UPDATE SET value = $value', {
    name,
    value,
  });
}
