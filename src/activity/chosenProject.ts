import type { Memento } from 'vscode';
import { integerMember, isJsonObject, stringMember } from '../contract/json.ts';

/** The project of the project view. */
export interface ChosenProject {
  /** Undefined while only the path is known; the API takes either. */
  readonly id: number | undefined;
  readonly path: string;
}

/** Remembers one project per instance for this workspace. */
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

/** Projects that an account keeps at hand in every workspace, in the order they were pinned. */
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
