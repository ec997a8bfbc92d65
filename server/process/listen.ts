import type { Server } from 'node:http';
import type { ServeCommand } from './command.ts';
import { Fatal } from './fatal.ts';
import { healthOf } from './folderLock.ts';

/** Listens, and resolves to the origin. Throws Fatal when the address cannot be had. */
export function listen(server: Server, command: ServeCommand): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') void portTaken(command).then(reject, reject);
      else
        reject(
          error.code === 'EACCES'
            ? new Fatal(
                'port_taken',
                `Port ${command.port} of ${command.host} is not allowed to this program.`,
                'Choose another --port, or 0 for a free one.',
              )
            : new Fatal(
                'address_unavailable',
                `${command.host} cannot be listened on (${error.code ?? error.message}).`,
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

/** Who has the port: another server of ours, which serves other data, or a stranger. */
async function portTaken({ host, port }: ServeCommand): Promise<Fatal> {
  const health = await healthOf(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  return typeof health === 'object'
    ? new Fatal(
        'port_of_signalbox',
        `Port ${port} of ${host} belongs to another Signalbox server, which serves other data.`,
        'Stop that server, or choose another --port, or 0 for a free one.',
      )
    : new Fatal(
        'port_taken',
        `Port ${port} of ${host} is taken by another program.`,
        'End that program, or choose another --port, or 0 for a free one.',
      );
}
