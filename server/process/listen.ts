import type { Server } from 'node:http';
import type { ServeCommand } from './command.ts';
import { Fatal } from '../core/fatal.ts';
import { healthOf } from './folderLock.ts';

/** Starts listening and resolves to the origin. Throws Fatal if the address is unavailable. */
export function listen(server: Server, command: ServeCommand): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') void portTaken(command).then(reject, reject);
      else
        reject(
          error.code === 'EACCES'
            ? new Fatal(
                'port_taken',
                `This program is not permitted to use port ${command.port} on ${command.host}.`,
                'Choose another --port, or 0 for a free port.',
              )
            : new Fatal(
                'address_unavailable',
                `Cannot listen on ${command.host} (${error.code ?? error.message}).`,
                'Choose another --host.',
              ),
        );
    });
    server.listen(command.port, command.host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new Error('no address after listening'));
      const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      resolve(`http://${host}:${address.port}`);
    });
  });
}

/** Returns the failure for a port in use: by another Signalbox server with other data, or by another program. */
async function portTaken({ host, port }: ServeCommand): Promise<Fatal> {
  const health = await healthOf(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  return typeof health === 'object'
    ? new Fatal(
        'port_of_signalbox',
        `Port ${port} on ${host} is in use by another Signalbox server with other data.`,
        'Stop that server, or choose another --port, or 0 for a free port.',
      )
    : new Fatal(
        'port_taken',
        `Port ${port} on ${host} is in use by another program.`,
        'Stop that program, or choose another --port, or 0 for a free port.',
      );
}
