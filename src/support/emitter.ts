import type { Disposable, Event } from 'vscode';

/** The smallest thing that is a vscode `Event`, for parts that run without the editor. */
export interface Emitter<T> {
  readonly event: Event<T>;
  readonly fire: (value: T) => void;
}

export function createEmitter<T>(): Emitter<T> {
  const listeners = new Set<(value: T) => unknown>();
  return {
    event: (listener, thisArgs, disposables) => {
      const bound = thisArgs === undefined ? listener : listener.bind(thisArgs);
      // A wrapper each time, so that the same listener given twice is two subscriptions.
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
