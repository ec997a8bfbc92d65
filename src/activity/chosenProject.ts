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
    get: (instance) => {
      const stored: unknown = memory.get(keyOf(instance));
      if (!isJsonObject(stored)) return undefined;
      const id = integerMember(stored, 'id');
      const path = stringMember(stored, 'path');
      return id === undefined || path === undefined ? undefined : { id, path };
    },
    set: (instance, project) => memory.update(keyOf(instance), project),
  };
}
