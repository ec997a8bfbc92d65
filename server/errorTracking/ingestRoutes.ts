import * as z from 'zod';
import { named } from '../http/answers.ts';
import { type Answer, jsonAnswer } from '../http/exchange.ts';
import type { WireFailure } from '../http/failures.ts';
import type { Route } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import { noteEvents } from './errorStates.ts';
import { createIngest } from './ingest.ts';
import { IngestRefusal } from './ingestRefusal.ts';
import { createWriter } from './writer.ts';

/** In front of `/api/:project_id/…`: of both generations of addresses, and of none (decisions.md §5). */
const PREFIXES = ['/api/v4/error_tracking/collector', '/errortracking/api/v1/projects', ''];
const LIMITED = 'error;transaction;session;default:key:local_quota';

const accepted = named('AcceptedEvent', () => z.strictObject({ id: z.string().optional() }));

/** Where SDKs send errors: with and without a trailing slash, which is not looked at, and never with a redirect. */
export function ingestRoutes(platform: Platform): Route[] {
  const ingest = createIngest(
    platform,
    createWriter(platform, (happened) => noteEvents(platform, happened)),
  );
  return PREFIXES.flatMap((prefix) =>
    (['envelope', 'store'] as const).map(
      (form): Route => ({
        area: 'ingest',
        method: 'POST',
        path: `${prefix}/api/:project_id/${form}`,
        clause: prefix.startsWith('/api/v4') ? 'Error ingestion' : 'decisions 5, ingestion paths',
        status: prefix.startsWith('/api/v4') ? 'stated' : 'inferred',
        scopes: [],
        role: 'client key',
        answer: 200,
        body: accepted,
        handle: async (exchange) => {
          try {
            return jsonAnswer(200, await ingest(exchange, form));
          } catch (error) {
            if (!(error instanceof IngestRefusal)) throw error;
            exchange.noteRefusal(`ingest.${error.status}`, error.reason);
            return refusal(error);
          }
        },
      }),
    ),
  );
}

const phrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Request Entity Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

/** Both shapes that are printed somewhere: the platform's own and that of SDKs (errors.md §1.6). */
function refusal({ status, reason, retryAfter }: IngestRefusal, more: Readonly<Record<string, string>> = {}): Answer {
  // Why there is nothing is nobody's business who has no key.
  const detail = status === 404 ? 'no active client key of a project with error tracking' : reason;
  const message = `${status} ${phrases[status] ?? 'Error'}`;
  return jsonAnswer(
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

/** What is refused before a route is reached, or by it in other words. */
export function ingestRefusal(failure: WireFailure): Answer {
  return refusal(new IngestRefusal(failure.status, failure.reason), failure.headers);
}
