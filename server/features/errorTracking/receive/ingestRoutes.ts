import type { TrackingCore } from '../trackingCore.ts';
import { type HttpResponse, type RequestContext, jsonResponse } from '../../../http/requestContext.ts';
import { headersOf, statusOf } from '../../../http/refusalStatus.ts';
import type { Refusal } from '../../../http/wireFailure.ts';
import type { Route } from '../../../http/route.ts';
import { offeredKeys } from './offeredKeys.ts';
import { acceptedEvent } from './ingestResponses.ts';
import { createIngest } from './ingestRequest.ts';
import type { Endpoint } from './requestSender.ts';
import { IngestRefusal, type RefusalCode } from './ingestRefusal.ts';
import { STREAM_PATH, streamProject } from './localStream.ts';

/** Prefixes of `/api/:project_id/…`: those of both generations of DSNs, and none (docs/interface.md#error-ingestion). */
const PREFIXES = ['/api/v4/error_tracking/collector', '/errortracking/api/v1/projects', ''];
const LIMITED = 'error;transaction;session;default:key:local_quota';

/** Routes of the ingestion endpoints. Trailing slashes are accepted without a redirect. */
export function ingestRoutes(core: TrackingCore): Route[] {
  const ingest = createIngest(core);
  const byKey = PREFIXES.flatMap((prefix) =>
    (['envelope', 'store'] as const).map(
      (form): Route => ({
        area: 'ingest',
        method: 'POST',
        path: `${prefix}/api/:project_id/${form}`,
        specRef: 'Error ingestion',
        status: prefix.startsWith('/api/v4') ? 'stated' : 'inferred',
        scopes: [],
        role: 'client key',
        successStatus: 200,
        body: acceptedEvent,
        handle: (context) => respond(core, ingest, context, form),
      }),
    ),
  );
  return [
    ...byKey,
    {
      area: 'ingest',
      method: 'POST',
      path: STREAM_PATH,
      specRef: 'Local stream of errors',
      status: 'local',
      scopes: [],
      role: 'anyone',
      successStatus: 200,
      body: acceptedEvent,
      isOn: () => streamProject(core) !== undefined,
      handle: (context) => respond(core, ingest, context, 'stream'),
    },
  ];
}

/** Responds to events with their ID, and to those that are refused with the reason. */
async function respond(
  core: TrackingCore,
  ingest: ReturnType<typeof createIngest>,
  context: RequestContext,
  endpoint: Endpoint,
): Promise<HttpResponse> {
  try {
    return jsonResponse(200, await ingest(context, endpoint));
  } catch (error) {
    if (!(error instanceof IngestRefusal)) throw error;
    context.noteRefusal(`ingest.${error.status}`, error.reason);
    recordRefusal(core, context, error);
    return refusal(error);
  }
}

/** Counts a refused request for the project in its path. */
function recordRefusal(core: TrackingCore, { path, query, headers, now }: RequestContext, refused: IngestRefusal): void {
  const [, id, form] = /\/(\d{1,15})\/(envelope|store)$/.exec(path) ?? [];
  const projectId = path === STREAM_PATH ? streamProject(core) : id === undefined ? undefined : Number(id);
  if (projectId === undefined) return;
  const endpoint = path === STREAM_PATH ? 'stream' : form === 'store' ? 'store' : 'envelope';
  const [offered] = offeredKeys({ query, headers });
  const { code, status, reason } = refused;
  core.ingestStats.refused(projectId, { at: now, code, status, reason, endpoint, offered });
}

const phrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Request Entity Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

/** Returns a refusal in both documented formats: that of the platform and that of SDKs (docs/interface.md#error-ingestion). */
function refusal(
  { status, reason, retryAfter }: Pick<IngestRefusal, 'status' | 'reason'> & { readonly retryAfter?: number | undefined },
  more: Readonly<Record<string, string>> = {},
): HttpResponse {
  // Callers without a key must not learn why the request was refused.
  const detail = status === 404 ? 'no active client key of a project with error tracking' : reason;
  const message = `${status} ${phrases[status] ?? 'Error'}`;
  return jsonResponse(
    status,
    { message: status === 404 ? message : `${message} - ${detail}`, detail, causes: [] },
    {
      'X-Sentry-Error': detail,
      ...(retryAfter === undefined
        ? {}
        : { 'Retry-After': String(retryAfter), 'X-Sentry-Rate-Limits': `${retryAfter}:${LIMITED}` }),
      ...more,
    },
  );
}

const EVENT_IN_QUERY = 'an event in the query (sentry_data) is not read; send it in the body of a POST request';

const wireCodes: Readonly<Record<number, RefusalCode>> = { 400: 'malformed', 405: 'method', 413: 'too_large', 503: 'busy' };

/** Converts failures from before the route, or from the HTTP layer, into refusals for SDKs. */
export function ingestRefusal(core: TrackingCore): (refusal: Refusal, context: RequestContext) => HttpResponse {
  return (raised, context) => {
    const status = statusOf(raised);
    const { reason } = raised;
    const code = wireCodes[status];
    // SDKs for browsers from before 2014 send events so, as the address of an image.
    const detail = code === 'method' && context.query.includes('sentry_data=') ? EVENT_IN_QUERY : reason;
    if (code !== undefined) recordRefusal(core, context, new IngestRefusal(code, detail));
    return refusal({ status, reason: detail }, headersOf(raised));
  };
}
