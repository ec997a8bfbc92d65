import type { Memento } from 'vscode';
import type { ChosenProject } from '../activity/chosenProject.ts';
import type { CurrentProject } from '../activity/currentProject.ts';
import { integerMember, isJsonObject, listOf, stringMember } from '../contract/json.ts';
import type { Connection } from '../instances/connection.ts';

const PREFIX = 'errorTracking.projects/';
/** Maximum number of projects that the view shows; each takes a request whenever the view is loaded. */
export const MAX_PROJECTS = 10;

/** Projects whose errors the view shows. Those besides the current one are remembered per workspace and instance. */
export interface ShownProjects {
  /** The current project first. */
  readonly get: () => readonly ChosenProject[];
  /** Sets the projects besides the current one. */
  readonly setOthers: (projects: readonly ChosenProject[]) => Promise<void>;
}

export function createShownProjects(
  connection: Pick<Connection, 'state'>,
  current: Pick<CurrentProject, 'get'>,
  memory: Memento,
): ShownProjects {
  const key = (): string => `${PREFIX}${connection.state().instance.key}`;
  return {
    get: () => {
      const project = current.get();
      if (project === undefined) return [];
      const others = listOf(memory.get(key()), readProject).filter(({ path }) => path !== project.path);
      return [project, ...others].slice(0, MAX_PROJECTS);
    },
    setOthers: async (projects) => {
      await memory.update(key(), projects.length === 0 ? undefined : projects);
    },
  };
}

function readProject(value: unknown): ChosenProject | undefined {
  if (!isJsonObject(value)) return undefined;
  const path = stringMember(value, 'path');
  return path === undefined ? undefined : { id: integerMember(value, 'id'), path };
}
