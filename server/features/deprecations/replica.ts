import type { IncomingHttpHeaders } from 'node:http';
import type { Core } from '../../core/core.ts';
import type { Emulation } from '../../core/profile.ts';

export interface ReplicaRequest {
  readonly method: string;
  readonly path: string;
  readonly token: string | undefined;
  readonly body?: string | undefined;
}

export interface ReplicaResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A copy of a server in memory, to which requests are sent without a network. */
export interface Replica extends Disposable {
  readonly core: Core;
  readonly emulation: Emulation;
  send(request: ReplicaRequest): Promise<ReplicaResponse>;
}

/** Copies the server, as clients reach it at `baseUrl`. */
export type OpenReplica = (baseUrl: string) => Replica;
