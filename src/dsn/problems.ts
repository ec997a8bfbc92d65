import * as l10n from '@vscode/l10n';
import type { Range } from 'vscode';
import type { FoundDsn } from './find.ts';
import type { DsnState } from './states.ts';

export type ProblemKind = 'deleted' | 'inactive' | 'noProject' | 'otherProject' | 'otherInstance' | 'public';

export interface DsnProblem {
  readonly kind: ProblemKind;
  readonly text: string;
  /** True if error reports with the DSN are rejected. */
  readonly isBroken: boolean;
}

/** The place of a DSN. */
export interface DsnPlace {
  /** Path of the project of which the folder is a clone; undefined if it is of none. */
  readonly workspaceProject: string | undefined;
  /** Name of the current instance. */
  readonly instance: string;
  /** True if git tracks the file. */
  readonly isTracked: boolean;
}

/** Returns what is wrong with a DSN at a place. */
export function problemsOf(state: DsnState, { workspaceProject, instance, isTracked }: DsnPlace): readonly DsnProblem[] {
  const problems: DsnProblem[] = [];
  const add = (kind: ProblemKind, isBroken: boolean, text: string): void => {
    problems.push({ kind, isBroken, text });
  };
  switch (state.kind) {
    case 'signedOut':
    case 'failed':
      return [];
    case 'otherInstance':
      // A folder that is no clone from the current instance has nothing to do with it.
      if (workspaceProject !== undefined)
        add('otherInstance', false, l10n.t('This DSN is of {0}, but this folder is a clone from {1}.', state.host, instance));
      return problems;
    case 'noProject':
      add(
        'noProject',
        true,
        l10n.t('{0} has no project {1}, or you cannot see it. Error reports with this DSN may be rejected.', instance, state.id),
      );
      return problems;
    case 'noKey':
      add(
        'deleted',
        true,
        l10n.t('{0} has no such client key any more. Error reports with this DSN are rejected.', state.project.path),
      );
      break;
    case 'key':
      if (!state.key.active)
        add(
          'inactive',
          true,
          l10n.t(
            'Client key {0} of {1} is inactive. Error reports with this DSN are rejected.',
            state.key.id,
            state.project.path,
          ),
        );
      break;
    case 'hidden':
      break;
  }
  const { path, isPublic } = state.project;
  if (workspaceProject !== undefined && path.toLowerCase() !== workspaceProject.toLowerCase())
    add('otherProject', false, l10n.t('This DSN is of {0}, but this folder is a clone of {1}.', path, workspaceProject));
  // A key that no longer exists needs no protection.
  if (isTracked && isPublic && state.kind !== 'noKey')
    add(
      'public',
      false,
      l10n.t('Git tracks this file, and {0} is public: everybody can read this DSN and send errors with it.', path),
    );
  return problems;
}

/** A DSN of a document, with what is known of it. */
export interface ExplainedDsn {
  readonly found: FoundDsn;
  readonly range: Range;
  readonly state: DsnState;
  readonly problems: readonly DsnProblem[];
}
