import type { Core } from '../core/core.ts';
import { isDamage } from '../store/damage.ts';
import { storageFailureOf } from '../store/storageFailure.ts';
import { storageFailed } from '../core/errors.ts';
import { restFailure, serverError } from './failures.ts';
import { statusOf, textOf } from './refusalStatus.ts';
import type { Refusal } from './wireFailure.ts';
import { type HttpResponse, type RequestContext, jsonResponse } from './requestContext.ts';
import type { Area } from './route.ts';

/** Error format and headers of an area. */
export interface AreaRules {
  refuse(refusal: Refusal, context: RequestContext): HttpResponse | Promise<HttpResponse>;
  readonly headers: Readonly<Record<string, string>>;
  /** True if reads with status 200 get a weak entity tag and support `If-None-Match`. */
  readonly conditional: boolean;
}

export type AreaTable = Readonly<Record<Area, AreaRules>>;

/** Returns the response of the REST API to a refusal. */
export function plainRefusal(refusal: Refusal): HttpResponse {
  const { status, body, headers } = restFailure(refusal);
  return status === 204 || status === 304 ? { status, headers } : jsonResponse(status, body, headers);
}

/** Returns the response to a refusal. It is plain text if the area cannot render its own, for example because the database failed. */
export async function refusalOf(
  rules: AreaRules,
  refusal: Refusal,
  context: RequestContext,
  log: Core['log'],
): Promise<HttpResponse> {
  try {
    return await rules.refuse(refusal, context);
  } catch (error) {
    log.error(`request ${context.requestId} could not render its error response`, error);
    const known = statusOf(refusal) >= 500 ? refusal : refusalOfFailure(error);
    const status = statusOf(known);
    return { status, type: 'text/plain; charset=utf-8', body: `${textOf(known) ?? `${status} ${known.reason}`}\n` };
  }
}

/** Returns the refusal for an error that nothing has foreseen. */
export function refusalOfFailure(error: unknown): Refusal {
  if (isDamage(error)) return storageFailed('damaged');
  const storage = storageFailureOf(error);
  return storage === undefined ? serverError() : storageFailed(storage);
}
