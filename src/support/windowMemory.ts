import type { Memento } from 'vscode';

/**
 * Choices of one window. A new window begins with what was chosen last in any window; from then on only its own choices count in it, also
 * when it is opened again.
 */
export function createWindowMemory(window: Memento, shared: Memento): Memento {
  const held = new Map<string, unknown>();

  function get<T>(key: string): T | undefined;
  function get<T>(key: string, fallback: T): T;
  function get(key: string, fallback?: unknown): unknown {
    // Read once: the shared state changes under an open window when another one chooses.
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
