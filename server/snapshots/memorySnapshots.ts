import type { Store } from '../store/open.ts';
import { freeName, oldestOf, type Snapshot, type Snapshots, type Trigger } from './snapshots.ts';

/** Snapshots of a server without data folder. They end with its process. */
export interface MemorySnapshots {
  /** Returns the snapshots, with new ones taken of this database. */
  of(store: Store, systemNow: () => number): Snapshots;
  /** Returns the content of the database in a snapshot. */
  content(name: string): Buffer | undefined;
  /** Keeps a database before it is replaced. `spared` is the name of a snapshot that is never removed. Returns the name. */
  keep(trigger: Trigger, content: Buffer, systemNow: number, spared?: string): string;
}

export function createMemorySnapshots(): MemorySnapshots {
  const contents = new Map<string, Snapshot & { readonly content: Buffer }>();
  const isFree = (name: string): boolean => [...contents.keys()].every((other) => other.toLowerCase() !== name.toLowerCase());
  const add = (name: string, content: Buffer, createdAt: number): Snapshot => {
    const snapshot = { name, size: content.length, createdAt };
    contents.set(name, { ...snapshot, content });
    return snapshot;
  };
  return {
    of: (store, systemNow) => ({
      list: () => [...contents.values()].toReversed(),
      take: async (wanted) => {
        const name = wanted ?? freeName(systemNow(), isFree);
        return isFree(name) ? add(name, store.content(), systemNow()) : 'taken';
      },
    }),
    content: (name) => contents.get(name)?.content,
    keep: (trigger, content, systemNow, spared) => {
      const name = freeName(systemNow, isFree, `before-${trigger}-`);
      add(name, content, systemNow);
      for (const old of oldestOf([...contents.keys()])) if (old !== name && old !== spared) contents.delete(old);
      return name;
    },
  };
}
