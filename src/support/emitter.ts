import type { Disposable, Event } from 'vscode';

/** Minimal emitter of a VS Code `Event`, for modules that run without VS Code. */
export interface Emitter<T> {
  readonly event: Event<T>;
  readonly fire: (value: T) => void;
}

export function createEmitter<T>(): Emitter<T> {
  const listeners = new Set<(value: T) => unknown>();
  return {
    event: (listener, thisArgs, disposables) => {
      const bound = thisArgs === undefined ? listener : listener.bind(thisArgs);
      // A new wrapper per call, so that adding a listener twice creates two subscriptions.
      const entry = (value: T): unknown => bound(value);
      listeners.add(entry);
      const subscription: Disposable = { dispose: () => listeners.delete(entry) };
      disposables?.push(subscription);
      return subscription;
    },
    fire: (value) => {
      for (const listener of [...listeners]) listener(value);
    },
  };
}
