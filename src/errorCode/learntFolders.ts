import type { Memento } from 'vscode';
import { isJsonObject, listOf, stringMember } from '../contract/json.ts';
import type { LearntFolder } from '../workspace/frameMatch.ts';

/** Folder that the user has chosen for frames of a project. */
export interface ProjectFolder extends LearntFolder {
  /** Path of the project. */
  readonly project: string;
}

/** Folders that the user has chosen for stack frames that several files match. They are stored with the workspace. */
export interface LearntFolders {
  readonly all: () => readonly ProjectFolder[];
  /** Replaces what was chosen for the same frames before. */
  readonly add: (folder: ProjectFolder) => Promise<void>;
  readonly remove: (folders: readonly ProjectFolder[]) => Promise<void>;
}

const KEY = 'errorCode.folders';
/** Maximum number of choices to remember; the oldest ones are forgotten. */
const MAX_FOLDERS = 100;

export function createLearntFolders(memory: Memento): LearntFolders {
  const all = (): readonly ProjectFolder[] => listOf(memory.get<unknown>(KEY), readFolder);
  const without = (removed: readonly ProjectFolder[]): readonly ProjectFolder[] => {
    const keys = new Set(removed.map(keyOf));
    return all().filter((one) => !keys.has(keyOf(one)));
  };
  return {
    all,
    add: async (folder) => memory.update(KEY, [...without([folder]), folder].slice(-MAX_FOLDERS)),
    remove: async (folders) => memory.update(KEY, without(folders)),
  };
}

function keyOf({ project, from, isRooted }: ProjectFolder): string {
  return JSON.stringify([project, from, isRooted]);
}

function readFolder(value: unknown): ProjectFolder | undefined {
  if (!isJsonObject(value)) return undefined;
  const { from } = value;
  const [project, to] = [stringMember(value, 'project'), stringMember(value, 'to')];
  if (project === undefined || to === undefined || typeof from !== 'string') return undefined;
  return { project, from, to, isRooted: value.isRooted === true };
}
