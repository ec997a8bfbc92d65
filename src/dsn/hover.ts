import * as l10n from '@vscode/l10n';
import { type ClientKeyUse, nameOfProgram } from '../contract/clientKeyUse.ts';
import { formatAge } from '../support/ages.ts';
import { escapeMarkdown } from '../support/markdown.ts';
import type { DsnProblem } from './problems.ts';
import type { DsnState } from './states.ts';

interface HoverContents {
  readonly state: DsnState;
  readonly use: ClientKeyUse | undefined;
  readonly problems: readonly DsnProblem[];
  readonly now: number;
  readonly locale: string;
  /** Name of the current instance. */
  readonly instance: string;
}

/** Returns the paragraphs of the hover of a DSN as Markdown, without links. */
export function hoverLines({ state, use, problems, now, locale, instance }: HoverContents): readonly string[] {
  const warnings = problems.map(({ text }) => `$(warning) ${escapeMarkdown(text)}`);
  return [...stateLines(state, instance).map(escapeMarkdown), ...useLines(use, now, locale).map(escapeMarkdown), ...warnings];
}

function stateLines(state: DsnState, instance: string): readonly string[] {
  switch (state.kind) {
    case 'signedOut':
      return [l10n.t('Sign in to {0} to see what this DSN belongs to.', instance)];
    case 'otherInstance':
      return [l10n.t('This DSN belongs to {0}, which is not the current instance.', state.host)];
    case 'noProject':
      return [];
    case 'failed':
      return [state.failure.message];
    case 'hidden':
      return [l10n.t('This DSN belongs to {0}. Only maintainers can see the state of its client key.', state.project.path)];
    case 'noKey':
      return [l10n.t('This DSN belongs to {0}.', state.project.path)];
    case 'key':
      return [
        state.key.active
          ? l10n.t('DSN of client key {0} of {1}, which is active.', state.key.id, state.project.path)
          : l10n.t('DSN of client key {0} of {1}.', state.key.id, state.project.path),
      ];
  }
}

function useLines(use: ClientKeyUse | undefined, now: number, locale: string): readonly string[] {
  if (use === undefined) return [];
  const age = (at: number): string => formatAge(Math.max(0, now - at), locale);
  const [program] = use.programs;
  const lines: string[] = [];
  if (program !== undefined)
    lines.push(
      l10n.t('Last event: {0}, of {1}.', age(program.lastAt), nameOfProgram(program).join(' · ') || l10n.t('unnamed program')),
    );
  else if (use.lastUsedAt !== null) lines.push(l10n.t('Last used: {0}.', age(use.lastUsedAt)));
  else lines.push(l10n.t('The key was never used.'));
  const { lastRefused } = use;
  if (lastRefused !== null && lastRefused.at > (use.lastUsedAt ?? 0))
    lines.push(l10n.t('Last rejected: {0}, with status {1}: {2}.', age(lastRefused.at), lastRefused.status, lastRefused.words));
  return lines;
}
