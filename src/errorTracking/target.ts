import type { ChosenProject } from '../activity/chosenProject.ts';
import type { CurrentProject } from '../activity/currentProject.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
import type { ErrorProject } from './source.ts';

/** Argument of links in the view: the project that the view shows. */
const SHOWN = 'shown';

/** Argument that links and rows of the view pass to a command. Without it, the command asks for a project. */
export type CommandTarget = typeof SHOWN | { readonly project: TargetProject };

/** Project of a row or link, and the account that sees it there. Links of documents name no account. */
export interface TargetProject extends ChosenProject {
  readonly account?: string;
}

/** Returns the project of the argument, or undefined if the command has to ask. */
export function projectOf(target: CommandTarget | undefined, current: CurrentProject): TargetProject | undefined {
  return target === SHOWN ? current.get() : target?.project;
}

/** Argument of links outside of the view that name an error. */
export interface ErrorLink {
  readonly errorId: string;
  /** Account key of the project. */
  readonly account: string;
  /** Path of the project. */
  readonly path: string;
}

/** Returns the link to an error. */
export function linkTo({ error, project: { account, path } }: ErrorOfProject): ErrorLink {
  return { errorId: error.id, account, path };
}

/** Listed error, and the project that it belongs to. */
export interface ErrorOfProject {
  readonly error: TrackedError;
  readonly project: ErrorProject;
}
