// The code that errors happened in, the marks at its lines, and what git says of remotes. A separate bundle, loaded when an editor can be
// marked, a frame is opened, or an open folder is in a git repository.
import { createErrorCode, type ErrorCode, type ErrorCodeSettings } from '../errorCode/code.ts';
import { runExtensionGit } from '../workspace/gitRepositories.ts';
import { type ResolvedRemotes, resolveRemotes, runSsh } from '../workspace/resolvedRemotes.ts';
import { useTranslations } from '../support/translations.ts';
import { createProjects, type WorkspaceProjects, type WorkspaceProjectSettings } from '../workspaceProjects/workspaceProjects.ts';
import { createMarks, type ErrorMarks, type ErrorMarkSettings } from './view.ts';

/** Marks lines until it is disposed. */
export function createErrorMarks(settings: ErrorMarkSettings): ErrorMarks {
  useTranslations();
  return createMarks(settings);
}

/** Asks git and ssh where the remotes of the repository that a folder is in lead. Rejects if they cannot say. */
export function remotesOfFolder(folder: string): Promise<ResolvedRemotes> {
  return resolveRemotes(runExtensionGit, runSsh, folder);
}

/** Finds the projects of the open folders until it is disposed. */
export function createWorkspaceProjects(settings: WorkspaceProjectSettings): WorkspaceProjects {
  return createProjects(settings);
}

/** Finds code until it is disposed. */
export function createCode(settings: ErrorCodeSettings): ErrorCode {
  useTranslations();
  return createErrorCode(settings);
}
