// Loaded by --import into the extension host of VS Code: appends the name of every loaded bundle of this extension to MODULES_FILE.
import { appendFileSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';

const file = process.env.MODULES_FILE;
const { _load } = Module;

Module._load = function (request, parent, ...rest) {
  const exported = _load.call(this, request, parent, ...rest);
  const where = request.startsWith('.') ? path.resolve(path.dirname(parent?.filename ?? ''), request) : request;
  if (/[\\/]signalbox\.signalbox-[^\\/]*[\\/][^\\/]+$/.test(where)) appendFileSync(file, `${path.basename(where, '.js')}\n`);
  return exported;
};
