import type { ChosenProject } from '../activity/chosenProject.ts';
import type { CurrentProject } from '../activity/currentProject.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
import type { ErrorProject } from './source.ts';

/** Argument of links in the view: the project that the view shows. */
const SHOWN = 'shown';

/** Argument that links and rows of the view pass to a command. Without it, the command asks for a project. */
export type CommandTarget = typeof SHOWN | { readonly project: ChosenProject };

/** Returns the project of the argument, or undefined if the command has to ask. */
export function projectOf(target: CommandTarget | undefined, current: CurrentProject): ChosenProject | undefined {
  return target === SHOWN ? current.get() : target?.project;
}

/** Argument of links outside of the view that name a listed error of the current project. */
export interface ErrorLink {
  readonly errorId: string;
}

/** Listed error, and the project that it belongs to. */
export interface ErrorOfProject {
  readonly error: TrackedError;
  readonly project: ErrorProject;
}
