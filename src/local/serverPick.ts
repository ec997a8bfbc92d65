import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type Instance, type Instances, isLocalServer } from '../instances/instances.ts';
import type { Supervisor } from './supervisor.ts';

interface ServerItem extends vscode.QuickPickItem {
  readonly server: Instance;
}

/**
 * Returns the server that a command acts on: the one with the key, which a menu passes, or else the one on screen. If none is on screen, the user
 * selects one unless there is only one. With `running`, servers that are stopped are not offered. Returns undefined if the user cancels.
 */
export type PickServer = (title: string, key: unknown, which: 'running' | 'any') => Promise<Instance | undefined>;

export function createServerPick(instances: Instances, supervisor: Pick<Supervisor, 'origin'>): PickServer {
  return async (title, key, which) => {
    const servers = instances.all().filter(isLocalServer);
    const current = instances.current();
    const known = servers.find((server) => server.key === key) ?? (isLocalServer(current) ? current : undefined);
    if (known !== undefined) return known;
    const usable = servers.filter(
      ({ isConnected }) => isConnected === true || which === 'any' || supervisor.origin() !== undefined,
    );
    if (usable.length <= 1) return usable[0] ?? instances.local();
    const items = usable.map(
      (server): ServerItem => ({
        label: server.label,
        description: server.isConnected === true ? l10n.t('connected') : '',
        iconPath: new vscode.ThemeIcon('vm'),
        server,
      }),
    );
    const placeHolder = l10n.t('Select the server');
    return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.server;
  };
}
