import type { RequestContext } from '../../../http/requestContext.ts';
import type { Core } from '../../../core/core.ts';
import { bodyLimits, checkDecodable, decodeFirstLine } from '../body/decodeBody.ts';
import { envelopeLimits } from '../body/envelope.ts';
import { IngestFailure } from '../body/ingestFailure.ts';
import { readPayload } from '../body/storePayload.ts';
import { scrubsSecrets, tracksErrors } from '../settings/errorTrackingSettings.ts';
import type { Ingestion } from './ingestion.ts';
import { IngestRefusal, type RefusalCode } from './ingestRefusal.ts';
import { demandLocal, streamProject } from './localStream.ts';
import { type OfferedKey, offeredKeys } from './offeredKeys.ts';
import type { Sender, SenderRefusal } from './senders.ts';

/** Kind of request: an envelope or an event with a client key, or an envelope from this machine without one. */
export type Endpoint = 'envelope' | 'store' | 'stream';

/**
 * Number of received bytes that are searched for the first line of an envelope. Most formats need less to produce 8 KB. zstd
 * needs the most, with blocks of up to 128 KB (RFC 8878 §3.1.1.2.4).
 */
const ENVELOPE_START = 160 * 1024;

/**
 * Returns the sender of a request. Requests without a key are refused before the body is decompressed, unless the key may be in the
 * body.
 */
export async function senderOfRequest(
  { core, findSender }: Ingestion,
  context: RequestContext,
  endpoint: Endpoint,
): Promise<Sender> {
  if (endpoint === 'stream') return localSender(core, context);
  const projectId = projectIdOf(context);
  const offered = offeredKeys(context);
  return senderOf(
    findSender,
    projectId,
    offered.length > 0 ? offered : await keysInBody(context, endpoint, context.headers['content-encoding']),
  );
}

/** Returns the sender of requests to `/stream`, which need no key. */
function localSender(core: Core, context: RequestContext): Sender {
  demandLocal(context);
  const projectId = streamProject(core);
  const scrub = projectId === undefined ? undefined : scrubsSecrets(core, projectId);
  if (projectId === undefined || scrub === undefined || !tracksErrors(core, projectId)) {
    throw new IngestRefusal('tracking_off', 'error tracking is off');
  }
  return { projectId, keyId: 0, scrub };
}

function projectIdOf(context: RequestContext): number {
  const text = context.pathParameters['project_id'] ?? '';
  if (!/^\d{1,15}$/.test(text)) throw new IngestRefusal('no_project', 'the project ID in the path is not a number');
  return Number(text);
}

const refusalCodes: Readonly<Record<SenderRefusal, RefusalCode>> = {
  'no such project': 'no_project',
  'error tracking is off': 'tracking_off',
  'no such key': 'unknown_key',
  'the key is inactive': 'inactive_key',
  'the key belongs to another project': 'foreign_key',
};

/**
 * Returns the sender of the first valid key. Throws 404 for all reasons alike, as GitLab does
 * (docs/interface.md#error-ingestion).
 */
function senderOf(findSender: Ingestion['findSender'], projectId: number, offered: readonly OfferedKey[]): Sender {
  let refused: SenderRefusal | undefined;
  for (const { key } of offered) {
    const found = findSender(projectId, key);
    if (!('refused' in found)) return found;
    refused ??= found.refused;
  }
  if (refused === undefined)
    throw new IngestRefusal('no_key', 'the request names no client key: neither in its query, its headers nor its envelope');
  throw new IngestRefusal(refusalCodes[refused], refused);
}

/**
 * Returns the keys in the body. Only the first line of an envelope is decompressed. Events in the store format contain no key.
 */
async function keysInBody(
  context: RequestContext,
  form: 'envelope' | 'store',
  contentEncoding: string | undefined,
): Promise<readonly OfferedKey[]> {
  if (form === 'store') {
    checkDecodable((await context.bodyStart(1, bodyLimits.received)).bytes, contentEncoding);
    return [];
  }
  const start = await context.bodyStart(ENVELOPE_START, bodyLimits.received);
  const line = await decodeFirstLine(start, contentEncoding, envelopeLimits.header, context.reserveMemory);
  if (line === undefined) return [];
  try {
    return offeredKeys({ query: '', headers: {}, envelopeHeader: readPayload(line) });
  } catch (error) {
    if (error instanceof IngestFailure) return [];
    throw error;
  }
}
