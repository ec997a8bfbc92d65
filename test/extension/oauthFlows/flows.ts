import type { Flow, FlowStep, FlowSummary } from '../../../src/contract/oauthFlows.ts';

/** Flow in a response of the local server. */
export function summary(changed: Partial<FlowSummary> = {}): FlowSummary {
  return {
    id: '0a1b2c3d',
    application: { name: 'Harbour lamps', client_id: 'f'.repeat(64) },
    client_id: 'f'.repeat(64),
    grant: 'authorization_code_pkce',
    person: 'ada',
    outcome: 'completed',
    reason: null,
    requests: 2,
    started_at: '2030-01-01T12:00:00.000Z',
    updated_at: '2030-01-01T12:00:01.000Z',
    age_seconds: 125,
    ...changed,
  };
}

export function step(changed: Partial<FlowStep> = {}): FlowStep {
  return {
    title: 'Code exchange',
    method: 'POST',
    path: '/oauth/token',
    status: 200,
    at: '2030-01-01T12:00:01.000Z',
    last_at: '2030-01-01T12:00:01.000Z',
    count: 1,
    intervals: null,
    verdict: 'passed',
    result: 'Issued: access_token.',
    parameters: [{ name: 'code', value: '64 characters' }],
    checks: [{ verdict: 'passed', words: 'the code was issued by this server' }],
    refusal: null,
    difference: null,
    warnings: [],
    ...changed,
  };
}

export const refused = step({
  status: 400,
  verdict: 'refused',
  result: 'Refused with 400 invalid_grant.',
  checks: [
    { verdict: 'passed', words: 'the code was issued by this server' },
    { verdict: 'refused', words: 'redirect_uri matches the authorization request' },
  ],
  refusal: { rule: 'redirect_uri', reason: 'redirect_uri differs at character 3' },
  difference: { sent: 'a:x', expected: 'a:y', at: 3 },
});

export function flow(steps: readonly FlowStep[], changed: Partial<Flow> = {}): Flow {
  return { ...summary(), steps, steps_left_out: 0, ...changed };
}
