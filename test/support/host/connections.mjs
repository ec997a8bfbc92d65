// Loaded by --import into every Node process of a VS Code under test: records each connection that the extension host opens.
import { appendFileSync } from 'node:fs';
import net from 'node:net';

const file = process.env['CONNECTIONS_FILE'];
if (file !== undefined && process.argv.includes('--type=extensionHost')) {
  appendFileSync(file, 'extension host\n');
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function (...values) {
    // node:net calls itself with normalized arguments: [[options, callback]].
    const [first] = values.flat();
    const target = typeof first === 'object' && first !== null ? `${first.path ?? `${first.host}:${first.port}`}` : String(first);
    appendFileSync(file, `connect ${target}\n`);
    return Reflect.apply(connect, this, values);
  };
}
