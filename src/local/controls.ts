import { isOwnWord } from '../api/failures.ts';
import type { Send } from '../api/transport.ts';
import { isLocalKey } from '../instances/accountKey.ts';
import type { Instances } from '../instances/instances.ts';
import type { Log } from '../support/log.ts';
import type { ConnectedServers } from './connectedServers.ts';
import { createLocalControl, type LoadLocalControl } from './control.ts';
import type { Supervisor } from './supervisor.ts';

export interface ControlsSettings {
  readonly supervisor: Pick<Supervisor, 'origin'>;
  /** Returns the admin token of the extension's own server. */
  readonly adminToken: () => Promise<string>;
  readonly connected: ConnectedServers;
  readonly instances: Pick<Instances, 'current' | 'local'>;
  readonly send: Send;
  readonly log: Log;
}

export function createControls({ supervisor, adminToken, connected, instances, send, log }: ControlsSettings): LoadLocalControl {
  /** Sends requests to a connected server, which is forgotten when it rejects the token: it was started again with another one. */
  const sendTo =
    (address: string): Send =>
    async (request, signal) => {
      const response = await send(request, signal);
      if (response.status === 401 && isOwnWord(response)) {
        log.warn(`${address} rejects its admin token. Connect to it again.`);
        await connected.disconnect(address);
      }
      return response;
    };

  return async (key = instances.current().isConnected === true ? instances.current().key : instances.local().key) => {
    const token = connected.token(key);
    if (token !== undefined) return createLocalControl(key, token, sendTo(key), Date.now);
    const origin = supervisor.origin();
    if (!isLocalKey(key) || origin === undefined) return undefined;
    return createLocalControl(origin, await adminToken(), send, Date.now);
  };
}
