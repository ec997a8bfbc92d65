import type { Memento } from 'vscode';
import { integerMember, isJsonObject, stringMember } from '../contract/json.ts';

/** Project that the project views show. */
export interface ChosenProject {
  /** Undefined if only the path is known; the API accepts either. */
  readonly id: number | undefined;
  readonly path: string;
}

/** Selected project of each instance, per workspace. */
export interface ProjectChoice {
  readonly get: (instance: string) => ChosenProject | undefined;
  readonly set: (instance: string, project: ChosenProject) => PromiseLike<void>;
}

export function createProjectChoice(memory: Memento): ProjectChoice {
  const keyOf = (instance: string): string => `activity.project/${instance}`;
  return {
    get: (instance) => readProject(memory.get(keyOf(instance))),
    set: (instance, project) => memory.update(keyOf(instance), project),
  };
}

/** Pinned projects of an account in all workspaces, in the order in which they were pinned. */
export interface Pins {
  readonly list: (account: string) => readonly ChosenProject[];
  readonly pin: (account: string, project: ChosenProject) => PromiseLike<void>;
  readonly unpin: (account: string, project: ChosenProject) => PromiseLike<void>;
}

export function createPins(memory: Memento): Pins {
  const keyOf = (account: string): string => `activity.pins/${account}`;
  const list = (account: string): readonly ChosenProject[] => {
    const stored: unknown = memory.get(keyOf(account));
    return Array.isArray(stored) ? stored.map(readProject).filter((project) => project !== undefined) : [];
  };
  const without = (account: string, { path }: ChosenProject): readonly ChosenProject[] =>
    list(account).filter((project) => project.path !== path);
  return {
    list,
    pin: (account, project) => memory.update(keyOf(account), [...without(account, project), project]),
    unpin: (account, project) => {
      const rest = without(account, project);
      return memory.update(keyOf(account), rest.length === 0 ? undefined : rest);
    },
  };
}

function readProject(value: unknown): ChosenProject | undefined {
  if (!isJsonObject(value)) return undefined;
  const path = stringMember(value, 'path');
  return path === undefined ? undefined : { id: integerMember(value, 'id'), path };
}
