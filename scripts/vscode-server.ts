// Runs VS Code's server (`node vscode-server.ts <server-main.js> <key file> <its arguments>…`) and adds the one page that embedders must
// provide: `/mint-key` returns the workbench's half of the key that encrypts its secrets. Without it, reloading the page loses all secrets
// (microsoft/vscode#317329).
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { pathToFileURL } from 'node:url';

const [node, , serverMain, keyFile, ...serverArguments] = process.argv;
if (node === undefined || serverMain === undefined || keyFile === undefined)
  throw new Error('vscode-server.ts: arguments missing');
if (!existsSync(keyFile)) writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
const key = readFileSync(keyFile);

const emit = http.Server.prototype.emit;
http.Server.prototype.emit = function (this: http.Server, event: string | symbol, ...values: unknown[]): boolean {
  const [request, response] = values;
  const isKey = event === 'request' && request instanceof http.IncomingMessage && request.url === '/mint-key';
  if (!isKey || !(response instanceof http.ServerResponse)) return Reflect.apply(emit, this, [event, ...values]);
  response.writeHead(request.method === 'POST' ? 200 : 405, { 'content-type': 'application/octet-stream' });
  response.end(request.method === 'POST' ? key : '');
  return true;
};

process.argv = [node, serverMain, ...serverArguments];
await import(pathToFileURL(serverMain).href);
