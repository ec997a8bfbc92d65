import { STATUS_CODES } from 'node:http';
import * as z from 'zod';
import { boolean, declare, oneOf, type Parameter, type ParametersOf, string } from '../../http/params.ts';
import { lazy } from '../../support/lazy.ts';
import { filterStrategies } from './branchFilter.ts';
import type { HookInput, Pairs } from './manageHooks.ts';

/** Maximum number of pairs that are read; hooks have a smaller limit. */
const MAX_PAIRS = 100;

const pairs = lazy(() => z.array(z.object({ key: z.string(), value: z.string() })).max(MAX_PAIRS));

/** A list of keys with values: an array of objects or, in a form, members with indexes. */
function pairsParameter(): Parameter<Pairs | undefined> {
  const schema = z.unknown().transform((raw, context): Pairs | undefined => {
    if (raw === undefined || raw === null) return undefined;
    const isNumbered = typeof raw === 'object' && !Array.isArray(raw) && Object.keys(raw).every((key) => /^\d+$/.test(key));
    const list: unknown = raw === '' ? [] : isNumbered ? Object.values(raw) : raw;
    const read = pairs().safeParse(list);
    if (read.success) return Object.fromEntries(read.data.map(({ key, value }) => [key, value]));
    context.addIssue({ code: 'custom', message: 'is invalid' });
    return z.NEVER;
  });
  const members = { key: { kind: 'string', required: true }, value: { kind: 'string', required: true } } as const;
  return declare(schema, { kind: 'objects', required: false, members });
}

/** The parameters of a hook besides its URL. */
export const hookParameters = () => ({
  name: string(),
  description: string(),
  push_events: boolean(),
  tag_push_events: boolean(),
  issues_events: boolean(),
  confidential_issues_events: boolean(),
  note_events: boolean(),
  confidential_note_events: boolean(),
  merge_requests_events: boolean(),
  job_events: boolean(),
  pipeline_events: boolean(),
  releases_events: boolean(),
  wiki_page_events: boolean(),
  deployment_events: boolean(),
  feature_flag_events: boolean(),
  emoji_events: boolean(),
  resource_access_token_events: boolean(),
  repository_update_events: boolean(),
  push_events_branch_filter: string(),
  branch_filter_strategy: oneOf(filterStrategies)(),
  enable_ssl_verification: boolean(),
  token: string(),
  url_variables: pairsParameter(),
  custom_headers: pairsParameter(),
});

export function inputOf(params: ParametersOf<typeof hookParameters>): HookInput {
  return {
    name: params.name,
    description: params.description,
    events: params,
    branchFilter: params.push_events_branch_filter,
    branchFilterStrategy: params.branch_filter_strategy,
    verifiesCertificates: params.enable_ssl_verification,
    token: params.token,
    urlVariables: params.url_variables,
    customHeaders: params.custom_headers,
  };
}

const categories: ReadonlyMap<string, string> = new Map([
  ['successful', '2??'],
  ['client_failure', '4??'],
  ['server_failure', '5??'],
]);

/** A status of responses: a code such as `404`, or a category of codes. */
export function statusParameter(): Parameter<string | undefined> {
  return oneOf([...categories.keys(), ...Object.keys(STATUS_CODES)])();
}

/** Returns the pattern of the stored statuses that a filter selects. */
export function statusPattern(status: string): string {
  return categories.get(status) ?? status;
}
