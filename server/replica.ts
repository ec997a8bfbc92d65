import { request, type Server } from 'node:http';
import { createPlatform, endPlatform } from './createPlatform.ts';
import type { Replica, ReplicaRequest, ReplicaResponse } from './features/deprecations/deprecations.ts';
import { unprocessable } from './core/errors.ts';
import type { Platform } from './platform.ts';
import { storeValues } from './features/settings/settings.ts';
import { connectTo } from './support/inProcess.ts';

/** Maximum size of a database that is copied, in bytes. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Copies a server. The copy has its own database in memory and reads the repositories of the original. Its clock stands still, it has no
 * scheduled work, no rate limits and no data folder, and it sends no mail.
 *
 * @throws {Refused} If the database is too large.
 */
export function openReplica(
  original: Platform,
  serve: (platform: Platform, publicUrl: string) => Server,
  baseUrl: string,
): Replica {
  const store = original.store.copyInMemory(MAX_BYTES);
  if (store === undefined) {
    const limit = MAX_BYTES / 1024 / 1024;
    throw unprocessable(`The database of this server is larger than ${limit} MiB and cannot be copied into memory`);
  }
  const platform = createPlatform({
    store,
    profile: original.profile,
    log: original.log,
    version: original.version,
    mediaDir: original.mediaDir,
    git: { program: '', env: {} },
    // They belong to the original, run its git program, and stay open.
    repositories: { ...original.repositories, stop: () => undefined },
  });
  // Nothing is due in the copy, and nothing is delivered while it has no address and no live updates.
  platform.schedule.stop();
  platform.live.end();
  platform.clock.freeze(original.clock.now());
  storeValues(platform, { throttle_authenticated_api_enabled: false, throttle_unauthenticated_api_enabled: false });
  const server = serve(platform, baseUrl);
  const { host } = new URL(baseUrl);
  return {
    core: platform,
    emulation: platform.emulation,
    send: (sent) => sendTo(server, host, sent),
    [Symbol.dispose]: () => endPlatform(platform),
  };
}

/** Sends a request to a server that does not listen. */
function sendTo(server: Server, host: string, { method, path, token, body }: ReplicaRequest): Promise<ReplicaResponse> {
  const near = connectTo(server);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        createConnection: () => near,
        method,
        path,
        headers: {
          Host: host,
          Connection: 'close',
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          near.destroy();
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          });
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}
