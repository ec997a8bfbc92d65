import * as l10n from '@vscode/l10n';
import type { Flow, FlowStep } from '../contract/oauthFlows.ts';
import { formatClient, formatGrant, marks, formatOutcome } from './rows.ts';

/** Returns a flow as text for sharing. It contains no secrets, because the server returns none. */
export function textOfFlow(flow: Flow): string {
  const left = flow.steps_left_out > 0 ? [l10n.t('(omitted steps: {0})', flow.steps_left_out)] : [];
  return [
    [formatClient(flow), formatGrant(flow.grant), formatOutcome(flow.outcome)].join(' · '),
    [flow.started_at, ...(flow.person === null ? [] : [`@${flow.person}`])].join(' · '),
    ...left,
    ...flow.steps.map((step, index) => textOfStep(step, index + 1)),
    '',
  ].join('\n');
}

function textOfStep(step: FlowStep, number: number): string {
  const { refusal, difference } = step;
  const times = step.count > 1 ? ` · ${l10n.t('{0} times', step.count)}` : '';
  const metadata = [
    step.result,
    ...(refusal === null ? [] : [refusal.reason]),
    ...(difference === null ? [] : [l10n.t('Sent: {0}', difference.sent), l10n.t('Expected: {0}', difference.expected)]),
    ...step.warnings.map((warning) => `⚠ ${warning}`),
    ...step.checks.map(({ verdict, words }) => `${marks[verdict]} ${words}`),
    ...step.parameters.map(({ name, value }) => `  ${name}: ${value}`),
  ];
  const status = step.status === 0 ? '' : ` · ${step.status}`;
  return ['', `${number}. ${step.title}${times}`, `${step.at} · ${step.method} ${step.path}${status}`, ...metadata]
    .join('\n   ')
    .trimEnd();
}
