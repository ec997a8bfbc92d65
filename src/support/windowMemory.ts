import type { Memento } from 'vscode';

/**
 * Returns a memento with separate values per window. A new window starts with the latest values of any window; afterwards only its own
 * values apply, also after it is reopened.
 */
export function createWindowMemory(window: Memento, shared: Memento): Memento {
  const held = new Map<string, unknown>();

  function get<T>(key: string): T | undefined;
  function get<T>(key: string, fallback: T): T;
  function get(key: string, fallback?: unknown): unknown {
    // Read once, because other windows change the shared state.
    if (!held.has(key)) held.set(key, window.get(key) ?? shared.get(key));
    return held.get(key) ?? fallback;
  }

  return {
    keys: () => [...new Set([...window.keys(), ...shared.keys()])],
    get,
    update: async (key, value: unknown) => {
      held.set(key, value);
      await Promise.all([window.update(key, value), shared.update(key, value)]);
    },
  };
}
