import type { ProjectAddress } from '../errorTracking/source.ts';

/** What a folder says about one of its projects. */
export interface ProjectReference {
  /** URI of the folder. */
  readonly root: string;
  /** Address of the instance, in the form in which instances are compared. */
  readonly address: string;
  /** Path, which a git remote has, or ID, which a DSN has. */
  readonly project: string | number;
  /** False for the further remotes of a folder, such as that of the project it was forked from. */
  readonly isFirst: boolean;
}

/** Maximum number of projects that the open folders have. Each takes requests. */
export const MAX_PROJECTS = 20;

/** Returns the references to the first projects: the first project of each folder, then the second one of each, and so on. */
export function firstReferences(ofFolders: readonly (readonly ProjectReference[])[]): readonly ProjectReference[] {
  const all = ofFolders.flatMap((references) => references.map((reference, rank) => ({ reference, rank })));
  const ordered = all.toSorted((one, other) => one.rank - other.rank).map(({ reference }) => reference);
  const keys = new Set([...new Set(ordered.map(keyOfReference))].slice(0, MAX_PROJECTS));
  return ordered.filter((reference) => keys.has(keyOfReference(reference)));
}

/** Returns a text that is the same for references to the same project. Paths are case-insensitive. */
export function keyOfReference({ address, project }: Pick<ProjectReference, 'address' | 'project'>): string {
  return JSON.stringify([address, typeof project === 'string' ? project.toLowerCase() : project]);
}

/** Returns the folders of a project by the references to it. A further remote counts only if no folder is of that project in the first place. */
export function rootsIn(references: readonly ProjectReference[]): readonly string[] {
  const first = references.filter(({ isFirst }) => isFirst);
  return [...new Set((first.length > 0 ? first : references).map(({ root }) => root))];
}

/** Returns true if two addresses of projects of an instance are of the same project. */
export function isSameProject(one: ProjectAddress, other: ProjectAddress): boolean {
  return one.id === other.id || one.path.toLowerCase() === other.path.toLowerCase();
}

/** Returns the innermost of the folders that a file is in. Both are URIs. */
export function rootOf(roots: readonly string[], file: string): string | undefined {
  return roots
    .filter((root) => file.startsWith(root.endsWith('/') ? root : `${root}/`))
    .toSorted((one, other) => other.length - one.length)[0];
}
