import type { Core } from '../core/core.ts';
import { isDamage } from '../store/damage.ts';
import { storageFailureOf } from '../store/storageFailure.ts';
import { databaseDamaged, serverError, storageFailed, type WireFailure } from './failures.ts';
import { type HttpResponse, type RequestContext, jsonResponse } from './requestContext.ts';
import type { Area } from './route.ts';

/** Error format and headers of an area. */
export interface AreaRules {
  refuse(failure: WireFailure, context: RequestContext): HttpResponse | Promise<HttpResponse>;
  readonly headers: Readonly<Record<string, string>>;
  /** True if reads with status 200 get a weak entity tag and support `If-None-Match`. */
  readonly conditional: boolean;
}

export type AreaTable = Readonly<Record<Area, AreaRules>>;

/** Returns a refusal of the REST API. Both of its error formats are created by failures.ts. */
export const plainRefusal = (failure: WireFailure): HttpResponse =>
  failure.status === 204 || failure.status === 304
    ? { status: failure.status, headers: failure.headers }
    : jsonResponse(failure.status, failure.body, failure.headers);

/** Returns the response to a refusal. It is plain text if the area cannot render its own, for example because the database failed. */
export async function refusalOf(
  rules: AreaRules,
  failure: WireFailure,
  context: RequestContext,
  log: Core['log'],
): Promise<HttpResponse> {
  try {
    return await rules.refuse(failure, context);
  } catch (error) {
    log.error(`request ${context.requestId} could not render its error response`, error);
    const { status, body, reason } = failure.status >= 500 ? failure : failureOf(error);
    const text: unknown = typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
    return { status, type: 'text/plain; charset=utf-8', body: `${typeof text === 'string' ? text : `${status} ${reason}`}\n` };
  }
}

export function failureOf(error: unknown): WireFailure {
  if (isDamage(error)) return databaseDamaged();
  const storage = storageFailureOf(error);
  return storage === undefined ? serverError() : storageFailed(storage);
}
