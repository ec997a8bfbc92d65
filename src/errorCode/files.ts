import type { Memento, Uri } from 'vscode';
import { decodedPath } from '../contract/decodedPath.ts';
import { type FrameMatch, type GoModule, learnFolder } from '../workspace/frameMatch.ts';
import type { FrameLocation } from '../workspace/frames.ts';
import type { ErrorProject } from '../errorTracking/source.ts';
import type { FolderOwners } from '../workspaceProjects/workspaceProjects.ts';
import { fileOfFrame, findGoModules, sourceOf } from './frameFiles.ts';
import { createLearntFolders, type ProjectFolder } from './learntFolders.ts';

/** Frame with its position. */
export interface LocatedFrame {
  readonly location: FrameLocation;
  /** 1-based. */
  readonly line: number;
  readonly column: number | null;
}

/** Line of a file in the open folders. */
export interface FileLine {
  readonly uri: Uri;
  /** 1-based. */
  readonly line: number;
  /** True if a source map led to it, so that the code in the event is other code. */
  readonly isOriginal: boolean;
}

/** Files of frames, each of which is searched once. */
export interface FrameFiles {
  /** Returns the file of a frame of a project. */
  readonly match: (project: ErrorProject, location: FrameLocation) => Promise<FrameMatch<Uri>>;
  /** Returns the line of a frame of a project: in the file of the frame, or in the source that this file was compiled from. */
  readonly locate: (project: ErrorProject, frame: LocatedFrame) => Promise<FrameMatch<FileLine>>;
  /** Remembers what the user has chosen for a frame and those with the same folder. Returns it; undefined if it says nothing about others. */
  readonly learn: (project: string, location: FrameLocation, file: Uri) => Promise<ProjectFolder | undefined>;
  readonly learnt: () => readonly ProjectFolder[];
  readonly forgetLearnt: (folders: readonly ProjectFolder[]) => Promise<void>;
  /** Must be called when a file with this name may have been created or deleted; without a name, when any may have been. */
  readonly refresh: (name?: string) => void;
}

/** Files that can have a source map. */
const COMPILED = /\.[cm]?jsx?$/;

export function createFrameFiles(memory: Memento, owners: FolderOwners): FrameFiles {
  const folders = createLearntFolders(memory);
  const known = new Map<string, { readonly name: string; readonly match: Promise<FrameMatch<Uri>> }>();
  const originals = new Map<string, ReturnType<typeof sourceOf>>();
  let modules: Promise<readonly GoModule[]> | undefined;

  /** Returns a function that returns true for files that can be of a project. A project without folders can have any files. */
  function isOwnOf(project: ErrorProject): (file: Uri) => boolean {
    const roots = owners.rootsOf(project);
    return (file) => roots.length === 0 || roots.includes(owners.rootOf(file) ?? '');
  }

  function match(project: ErrorProject, location: FrameLocation): Promise<FrameMatch<Uri>> {
    const { filename, absPath, module = null } = location;
    const roots = owners.rootsOf(project);
    const key = JSON.stringify([project.account, project.path, roots, filename, absPath, module]);
    const search = known.get(key) ?? {
      name: nameOf(filename ?? absPath ?? ''),
      match: fileOfFrame(
        location,
        folders.all().filter((one) => one.project === project.path),
        () => (modules ??= findGoModules()),
        isOwnOf(project),
      ),
    };
    known.set(key, search);
    return search.match;
  }

  async function originalOf(project: ErrorProject, file: Uri, { line, column }: LocatedFrame): Promise<FileLine | undefined> {
    const key = JSON.stringify([owners.rootsOf(project), file.toString(), line, column]);
    const original = originals.get(key) ?? sourceOf(file, line, column, isOwnOf(project));
    originals.set(key, original);
    const found = await original;
    return found && { uri: found.file, line: found.line, isOriginal: true };
  }

  return {
    match,
    locate: async (project, frame) => {
      const found = await match(project, frame.location);
      const { line } = frame;
      if (found.kind === 'none') return found;
      if (found.kind === 'ambiguous')
        return { kind: 'ambiguous', files: found.files.map((uri) => ({ uri, line, isOriginal: false })) };
      const original = COMPILED.test(found.file.path) ? await originalOf(project, found.file, frame) : undefined;
      return { kind: 'file', file: original ?? { uri: found.file, line, isOriginal: false } };
    },
    learn: async (project, location, file) => {
      const folder = learnFolder(location, file.path);
      if (folder === undefined) return undefined;
      await folders.add({ project, ...folder });
      known.clear();
      return { project, ...folder };
    },
    learnt: folders.all,
    forgetLearnt: async (forgotten) => {
      await folders.remove(forgotten);
      known.clear();
    },
    refresh: (name) => {
      originals.clear();
      if (name === undefined || name === 'go.mod') {
        modules = undefined;
        known.clear();
      } else for (const [key, search] of known) if (search.name === nameOf(name)) known.delete(key);
    },
  };
}

function nameOf(path: string): string {
  const name = path
    .replace(/[?#].*$/s, '')
    .split(/[\\/]/)
    .at(-1);
  return decodedPath(name ?? '').toLowerCase();
}
