import { PassThrough } from 'node:stream';
import { eventStream } from '../http/answers.ts';
import { findCredential } from '../http/credentials.ts';
import type { Exchange } from '../http/exchange.ts';
import { forbidden, unauthorized, WireFailure } from '../http/failures.ts';
import { isForeignOrigin } from '../http/hostGuard.ts';
import type { Route } from '../http/route.ts';
import { authenticate, type Caller } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { findProject, holdsRole } from '../projects/projects.ts';
import type { NumberedOccurrence } from './live.ts';

const SCOPES = ['api', 'read_api', 'read_user'];
/** So many may listen at once. */
const MOST_LISTENERS = 100;
/** A comment goes out so often, so that both sides notice when the other is gone. */
const HEARTBEAT = 15_000;
/** Bytes that wait for somebody who does not read; then the stream ends, and who comes back is told what was missed. */
const MOST_WAITING = 256 * 1024;

/**
 * Server-sent events (HTML standard, Server-sent events) of activity, and of errors that appear, come back or are changed by somebody, for
 * whoever sees the project.
 * They say where to look. `Last-Event-ID` gets what came since; where that is not known any more the first event is `reset`.
 */
export function streamRoutes(platform: Platform): Route[] {
  const { live } = platform;
  const identify = (exchange: Exchange): Caller => {
    const credential = findCredential(exchange.headers, {});
    if (credential === undefined) throw unauthorized('the stream needs a token: PRIVATE-TOKEN or Authorization: Bearer');
    return authenticate(
      platform,
      credential,
      { scopes: SCOPES, said: SCOPES },
      { now: platform.clock.now(), baseUrl: exchange.baseUrl },
    );
  };
  const hears = (caller: Caller, { projectId, role }: NumberedOccurrence): boolean => {
    const found = findProject(platform, projectId, caller);
    return found !== undefined && (role === undefined || holdsRole(found.standing, role));
  };

  return [
    {
      area: 'control',
      method: 'GET',
      path: '/_local/stream',
      body: eventStream,
      clause: 'decisions 7',
      status: 'local',
      scopes: SCOPES,
      role: 'user',
      answer: 200,
      handle: async (exchange) => {
        if (isForeignOrigin(exchange, exchange.baseUrl)) {
          throw forbidden(undefined, 'pages of other sites may not listen to this server', 'origin');
        }
        const caller = identify(exchange);
        exchange.noteUser(caller.user.username);
        if (!/\btext\/event-stream\b/.test(exchange.headers.accept ?? '')) {
          throw refusal(406, 'Accept must name text/event-stream', 'stream.accept');
        }
        if (live.listeners >= MOST_LISTENERS) throw refusal(503, `${MOST_LISTENERS} listen already`, 'stream.listeners');
        const stream = new PassThrough();
        const last = exchange.headers['last-event-id'];
        if (typeof last === 'string' && last !== '') {
          const missed = live.since(last);
          if (missed === undefined) stream.write('event: reset\ndata: {}\n\n');
          for (const occurrence of missed ?? []) if (hears(caller, occurrence)) stream.write(textOf(occurrence));
        }
        // So that whoever listens knows that from here on nothing is missed.
        stream.write(': listening\n\n');
        const stop = live.follow({
          next: (occurrence) => {
            if (stream.writableLength > MOST_WAITING) stream.end();
            else if (hears(caller, occurrence)) stream.write(textOf(occurrence));
          },
          end: () => stream.end(),
        });
        const heartbeat = setInterval(() => {
          try {
            // A token that was revoked or has expired hears nothing more.
            identify(exchange);
            stream.write(':\n\n');
          } catch {
            stream.end();
          }
        }, HEARTBEAT);
        stream.once('close', () => {
          stop();
          clearInterval(heartbeat);
        });
        return { status: 200, type: 'text/event-stream', headers: { 'Cache-Control': 'no-store' }, stream };
      },
    },
  ];
}

function textOf({ id, event, data }: NumberedOccurrence): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function refusal(status: number, reason: string, rule: string): WireFailure {
  return new WireFailure(status, { message: `${status} ${reason}` }, { rule, reason });
}
