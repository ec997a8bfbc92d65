import * as l10n from '@vscode/l10n';
import type { ErrorDetail, ErrorEvent } from '../contract/errorDetail.ts';
import type { RepositoryFile, RunGit } from '../workspace/runGit.ts';
import type { CommitOfRelease, EventRelease } from './releaseCommits.ts';
import { releaseOf } from './releaseOf.ts';
import { findSuspect, tagBefore } from './suspect.ts';
import type { Suspect } from './suspectCommit.ts';

export interface SuspectSettings {
  readonly git: RunGit;
  readonly commitOf: (root: string, release: EventRelease) => Promise<CommitOfRelease | 'failed'>;
  /** Returns the releases that reported before the first one with the error, the newest first. */
  readonly releasesBefore: (version: string) => Promise<readonly string[]>;
}

/** Line of the program in the stack of an event. */
export interface StackLine {
  readonly file: RepositoryFile;
  /** 1-based. */
  readonly line: number;
  /** Code that the event reports. */
  readonly code?: string | undefined;
}

/** Searches the commit that has probably caused an error. Rejects if git or a request fails. */
export async function suspectOf(
  settings: SuspectSettings,
  detail: ErrorDetail,
  event: ErrorEvent,
  lines: readonly StackLine[],
  signal: AbortSignal,
): Promise<Suspect> {
  const [first] = lines;
  if (first === undefined)
    return none(l10n.t('No suspect commit: no frame of the program is in a Git repository that VS Code has opened.'));
  const { root } = first.file;
  const badRelease = detail.firstRelease;
  if (badRelease === null) return none(l10n.t('No suspect commit: the first event names no release.'));
  const { version } = badRelease;
  const bad = await settings.commitOf(root, { version, commit: badRelease.commit?.id });
  if (bad === 'failed') throw new Error(`the commit of ${version} could not be found`);
  if (bad.kind === 'unknownRelease')
    return none(l10n.t('No suspect commit: release {0} is neither a commit nor a tag of the repository.', version));
  if (bad.kind !== 'found')
    return none(l10n.t('No suspect commit: the local repository does not have the commit of release {0}. Fetch it.', version));
  const good = await goodRelease(settings, root, version, bad.commit, signal);
  if (good === undefined) return none(l10n.t('No suspect commit: no release before {0} is known.', version));
  const release = releaseOf(detail, event);
  const ofEvent = release === undefined ? bad : await settings.commitOf(root, release);
  const found = await findSuspect(
    settings.git,
    {
      ...{ root, good: good.commit, bad: bad.commit },
      event: ofEvent !== 'failed' && ofEvent.kind === 'found' ? ofEvent.commit : bad.commit,
      lines: lines.filter(({ file }) => file.root === root).map(({ file, line, code }) => ({ path: file.path, line, code })),
    },
    signal,
  );
  if (found === 'noLines') return none(l10n.t('No suspect commit: release {0} does not have the files of the stack.', version));
  if (found === 'unchanged')
    return none(
      l10n.t('No suspect commit: no commit between {0} and {1} changed the files of the stack.', good.version, version),
    );
  const { hash, title, author, at, path, line } = found;
  const text =
    line === null
      ? l10n.t('It changed {0}. Release {1} has it, {2} does not.', path, version, good.version)
      : l10n.t('It wrote line {0} of {1}. Release {2} has it, {3} does not.', line, path, version, good.version);
  return { commit: { hash, title, author, at }, text };
}

/** Returns the last release without the error: one that has reported, otherwise the tag before. */
async function goodRelease(
  { git, commitOf, releasesBefore }: SuspectSettings,
  root: string,
  badVersion: string,
  bad: string,
  signal: AbortSignal,
): Promise<{ readonly version: string; readonly commit: string } | undefined> {
  for (const version of await releasesBefore(badVersion)) {
    const found = await commitOf(root, { version, commit: undefined });
    if (found !== 'failed' && found.kind === 'found' && found.commit !== bad) return { version, commit: found.commit };
  }
  const tag = await tagBefore(git, root, bad, signal);
  if (tag === undefined) return undefined;
  const found = await commitOf(root, { version: tag, commit: undefined });
  return found !== 'failed' && found.kind === 'found' ? { version: tag, commit: found.commit } : undefined;
}

function none(text: string): Suspect {
  return { commit: null, text };
}
