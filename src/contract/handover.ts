import { isJsonObject, stringMember } from './json.ts';

/**
 * File in the extension's global storage with which a program on this machine hands its server to the extension, such as `npm start`. Only
 * the user may read it. The extension deletes it on first sight.
 */
export const HANDOVER_FILE = 'connect.json';

export interface Handover {
  /** Address of the server. */
  readonly url: string;
  readonly adminToken: string;
}

export function readHandover(value: unknown): Handover | undefined {
  if (!isJsonObject(value)) return undefined;
  const [url, adminToken] = [stringMember(value, 'url'), stringMember(value, 'adminToken')];
  return url === undefined || adminToken === undefined ? undefined : { url, adminToken };
}
