import path from 'node:path';
import { lockFolder } from '../store/open.ts';
import type { Log } from '../core/log.ts';
import type { Progress } from '../seeds/seeds.ts';
import { prepareDataFolder, readLocator } from './dataFolder.ts';
import { Fatal } from '../core/fatal.ts';
import { worded } from './startFailures.ts';

/** Another server uses the folder. */
export interface Busy {
  readonly kind: 'busy';
  readonly origin: string;
  readonly instanceId: string;
}

const LOCK = 'lock.sqlite';

/** Time until the holder of the folder must publish its address, in milliseconds. It may be writing demo data first, on a busy machine. */
const HOLDER_LIMIT = 60_000;
/** Maximum number of health requests without a response. Each takes one second. */
const MAX_TIMEOUTS = 3;

/**
 * Returns the lock of a folder, or the address of the server that holds it. A holder publishes its address soon after it takes the lock,
 * and may stop at any moment, so both are tried repeatedly.
 */
export async function ownFolder(
  folder: string,
  { nativeBinding, platform }: { readonly nativeBinding: string | undefined; readonly platform: string },
  log: Log,
  progress: Progress,
): Promise<{ release(): void } | Busy> {
  prepareDataFolder(folder, platform, log);
  const file = path.join(folder, LOCK);
  const deadline = performance.now() + HOLDER_LIMIT;
  let timeouts = 0;
  for (let attempt = 0; performance.now() < deadline && timeouts < MAX_TIMEOUTS; attempt += 1) {
    const lock = worded(() => lockFolder(file, nativeBinding), file);
    if (lock !== undefined) return lock;
    const locator = readLocator(folder);
    const health = locator === undefined ? 'absent' : await healthOf(locator.origin);
    if (locator !== undefined && typeof health === 'object' && health.instanceId === locator.instanceId)
      return { kind: 'busy', origin: locator.origin, instanceId: locator.instanceId };
    if (health === 'silent') timeouts += 1;
    if (attempt % 40 === 20) await progress('Waiting for the server that uses the data folder');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Fatal(
    'folder_held',
    `Another process uses the data folder ${folder}, but it does not respond.`,
    'End that process, or choose another folder with --data.',
  );
}

/**
 * Returns the instance ID of the Signalbox server at an origin; `silent` if something accepts the connection but does not respond within a
 * second.
 */
export async function healthOf(origin: string): Promise<{ readonly instanceId: string } | 'silent' | 'absent'> {
  try {
    const response = await fetch(`${origin}/_local/health`, { signal: AbortSignal.timeout(1000), redirect: 'manual' });
    const health: unknown = await response.json();
    const isOurs = typeof health === 'object' && health !== null && 'instance_id' in health;
    return isOurs && typeof health.instance_id === 'string' ? { instanceId: health.instance_id } : 'absent';
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'silent' : 'absent';
  }
}
