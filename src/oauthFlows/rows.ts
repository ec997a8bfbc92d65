import * as l10n from '@vscode/l10n';
import type { FlowGrant, FlowOutcome, FlowStep, FlowSummary, FlowVerdict } from '../contract/oauthFlows.ts';
import { type RowLook, visibleRow } from '../ui/row.ts';
import type { FlowListState } from './model.ts';
import { formatRoundAge } from '../support/ages.ts';

/** Row of the view. Its id stays the same as long as the row represents the same flow or step. */
export interface FlowRow extends RowLook {
  readonly kind: 'flow' | 'step';
  readonly flowId: string;
  readonly rows: readonly FlowRow[];
}

export function flowRows(state: FlowListState, locale: string): readonly FlowRow[] {
  if (state.kind !== 'ready') return [];
  return state.flows.map((flow) => flowRow(flow, state.opened.get(flow.id)?.steps ?? [], locale));
}

function flowRow(flow: FlowSummary, steps: readonly FlowStep[], locale: string): FlowRow {
  const grant = formatGrant(flow.grant);
  const client = formatClient(flow);
  const outcome = formatOutcome(flow.outcome);
  const age = flow.age_seconds * 1000;
  // An age in seconds would repaint the row every second.
  const when = formatRoundAge(age, locale);
  return visibleRow({
    kind: 'flow',
    id: `flow/${flow.id}`,
    flowId: flow.id,
    label: grant,
    description: `${client} · ${when}`,
    tooltip: lines(
      [client, grant, outcome].join(' · '),
      flow.person === null ? undefined : l10n.t('User: @{0}', flow.person),
      flow.reason ?? undefined,
    ),
    spoken: [grant, client, outcome, when, flow.reason ?? ''].filter((text) => text !== '').join(', '),
    ...outcomeIcons[flow.outcome],
    rows: steps.map((step, index) => stepRow(flow, step, index)),
  });
}

function stepRow(flow: FlowSummary, step: FlowStep, index: number): FlowRow {
  const times = step.count > 1 ? l10n.t('{0} times', step.count) : '';
  const [warning] = step.warnings;
  const isWarned = step.verdict === 'passed' && warning !== undefined;
  const result = step.refusal?.reason ?? (isWarned ? warning : step.result);
  const verdict = isWarned ? l10n.t('warning') : formatVerdict(step.verdict);
  return visibleRow({
    kind: 'step',
    id: `flow/${flow.id}/${index}`,
    flowId: flow.id,
    label: step.title,
    description: [times, result].filter((text) => text !== '').join(' · '),
    tooltip: lines(
      `${step.method} ${step.path}`,
      step.result,
      step.refusal?.reason,
      ...step.warnings,
      ...(step.difference === null
        ? []
        : [l10n.t('Sent: {0}', step.difference.sent), l10n.t('Expected: {0}', step.difference.expected)]),
      step.checks.map((check) => `${marks[check.verdict]} ${check.words}`).join('\n'),
    ),
    spoken: [step.title, verdict, times, result].filter((text) => text !== '').join(', '),
    ...(isWarned ? warningIcon : verdictIcons[step.verdict]),
    rows: [],
  });
}

function lines(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n');
}

/** Symbols for a verdict in plain text. */
export const marks: Readonly<Record<FlowVerdict, string>> = { passed: '✓', waiting: '…', refused: '✗' };

const GOOD = 'charts.green';
const BAD = 'charts.red';

const outcomeIcons: Readonly<Record<FlowOutcome, { readonly icon: string; readonly color: string | undefined }>> = {
  waiting: { icon: 'clock', color: 'charts.blue' },
  completed: { icon: 'pass', color: GOOD },
  refused: { icon: 'error', color: BAD },
  denied: { icon: 'circle-slash', color: BAD },
  expired: { icon: 'history', color: undefined },
  revoked: { icon: 'debug-disconnect', color: undefined },
};

const warningIcon = { icon: 'warning', color: 'charts.yellow' };

const verdictIcons: Readonly<Record<FlowVerdict, { readonly icon: string; readonly color: string | undefined }>> = {
  passed: { icon: 'check', color: GOOD },
  waiting: { icon: 'clock', color: 'charts.blue' },
  refused: { icon: 'error', color: BAD },
};

export function formatClient({ application, client_id }: FlowSummary): string {
  if (application !== null) return application.name;
  return client_id === null ? l10n.t('No application') : l10n.t('Unknown client {0}', client_id);
}

export function formatGrant(grant: FlowGrant): string {
  switch (grant) {
    case 'authorization_code':
      return l10n.t('Authorization code');
    case 'authorization_code_pkce':
      return l10n.t('Authorization code with PKCE');
    case 'device_code':
      return l10n.t('Device code');
    case 'password':
      return l10n.t('Password');
    case 'client_credentials':
      return l10n.t('Client credentials');
    case 'refresh_token':
      return l10n.t('Refresh token');
    case 'unknown':
      return l10n.t('Unknown grant type');
  }
}

export function formatOutcome(outcome: FlowOutcome): string {
  switch (outcome) {
    case 'waiting':
      return l10n.t('waiting');
    case 'completed':
      return l10n.t('completed');
    case 'refused':
      return l10n.t('refused');
    case 'expired':
      return l10n.t('expired');
    case 'denied':
      return l10n.t('denied');
    case 'revoked':
      return l10n.t('revoked');
  }
}

function formatVerdict(verdict: FlowVerdict): string {
  switch (verdict) {
    case 'passed':
      return l10n.t('passed');
    case 'waiting':
      return l10n.t('waiting');
    case 'refused':
      return l10n.t('refused');
  }
}
