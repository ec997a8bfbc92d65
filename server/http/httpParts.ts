import type { DeprecationId } from '../../src/contract/deprecations.ts';
import type { Core } from '../core/core.ts';
import type { Emulation } from '../core/profile.ts';
import type { Authentication } from './authentication.ts';
import type { BodyBudget } from './bodyBudget.ts';
import type { Throttle } from './rateLimits.ts';
import type { Site } from './requestContext.ts';
import type { RequestLog } from './requestLog.ts';

/** A successful read that can be sent again: a GET request of the REST API, or a GraphQL query. */
export interface RecordedRead {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Query without the question mark. */
  readonly query: string;
  /** JSON of a GraphQL query; undefined for a GET request. */
  readonly body: string | undefined;
  /** Undefined for an anonymous read. */
  readonly userId: number | undefined;
  /** Scopes of the token that the read was sent with. */
  readonly scopes: readonly string[];
}

/** A call of a deprecated element of the API. */
export interface DeprecatedCall {
  readonly deprecation: DeprecationId;
  readonly at: number;
  /** Username of the caller; empty for an anonymous one. */
  readonly username: string;
  /** Product of the client, such as `python-gitlab/4.4.0`; empty if it did not send a `User-Agent`. */
  readonly userAgent: string;
  /** ID of the OAuth token, whose application is stored; undefined for another credential. */
  readonly oauthTokenId: number | undefined;
  /** Route or GraphQL operation of the call, such as `GET /api/v4/runners`. */
  readonly request: string;
}

/** Parts of the server that requests need. */
export interface HttpParts {
  readonly core: Core;
  readonly emulation: Emulation;
  readonly authentication: Authentication;
  readonly site: Site;
  readonly requestLog: RequestLog;
  readonly bodyBudget: BodyBudget;
  /** Returns the rate limits that are on. */
  readonly throttles: () => readonly Throttle[];
  /** Records reads. `maskedQuery` is the query as the request log has it. */
  readonly recordedReads: { add(read: RecordedRead, maskedQuery: string): void };
  readonly deprecatedCalls: { add(call: DeprecatedCall): void };
}
