import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Send } from '../api/transport.ts';
import { HANDOVER_FILE, readHandover } from '../contract/handover.ts';
import { parseJson } from '../contract/json.ts';
import { type Log, type Mask, messageOf } from '../support/log.ts';
import { checkAdminToken, type ConnectedServers, isLocalAddress } from './connectedServers.ts';

export interface HandoverSettings {
  /** Folder of the extension's global storage. */
  readonly folder: string;
  readonly connected: ConnectedServers;
  readonly send: Send;
  readonly mask: Mask;
  readonly log: Log;
}

/** Connects the server that a program on this machine has handed over, and deletes the file with its token. Never rejects. */
export async function takeHandover({ folder, connected, send, mask, log }: HandoverSettings): Promise<void> {
  const file = path.join(folder, HANDOVER_FILE);
  try {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) return;
    await rm(file, { force: true });
    const handover = readHandover(parseJson(text));
    if (handover === undefined || !isLocalAddress(handover.url)) {
      log.warn(`${HANDOVER_FILE} was ignored: it names no server on this machine`);
      return;
    }
    const { url, adminToken } = handover;
    mask.hide(adminToken);
    const verdict = await checkAdminToken(url, adminToken, send);
    if (verdict === 'accepted') await connected.connect(url, adminToken);
    else log.warn(`${url} was not connected: ${verdict}`);
  } catch (error) {
    log.warn(`The server of ${HANDOVER_FILE} was not connected: ${messageOf(error)}`);
  }
}
