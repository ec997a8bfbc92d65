import type { Uri } from 'vscode';
import { filesOfFrame } from '../workspace/frameFiles.ts';
import type { FrameLocation } from '../workspace/frames.ts';
import { hasFileName, keyOfLocation } from './frames.ts';

/** Files of frames, each of which is searched once. */
export interface FileSearch {
  /** Returns the file of a frame; undefined if none or several match equally well. */
  readonly fileOf: (location: FrameLocation) => Promise<Uri | undefined>;
  /** Must be called when a file with this name may have been created or deleted; without a name, when any may have been. */
  readonly forget: (name?: string) => void;
}

export function createFileSearch(): FileSearch {
  const known = new Map<string, { readonly location: FrameLocation; readonly file: Promise<Uri | undefined> }>();
  return {
    fileOf: (location) => {
      const key = keyOfLocation(location);
      const search = known.get(key) ?? { location, file: onlyFile(location) };
      known.set(key, search);
      return search.file;
    },
    forget: (name) => {
      for (const [key, { location }] of known) if (name === undefined || hasFileName(location, name)) known.delete(key);
    },
  };
}

async function onlyFile(location: FrameLocation): Promise<Uri | undefined> {
  const [file, ...others] = await filesOfFrame(location);
  return others.length === 0 ? file : undefined;
}
