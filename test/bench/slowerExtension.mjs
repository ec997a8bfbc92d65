// Loaded by --import into the extension host of VS Code, if a benchmark is to be seen to fail (`npm run bench -- --slow`): lets Signalbox
// compute after parts of its work. The file in the query of this module's address says how many milliseconds, as JSON, and can change:
//
//   rows    before a tree view receives rows
//   keys    after a key in a pick
//   edits   after each listener of edits
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';

const file = new URL(import.meta.url).searchParams.get('file');
const { _load } = Module;
let isWrapped = false;

Module._load = function (request, ...rest) {
  if (!isWrapped && path.isAbsolute(request) && nameOf(path.dirname(request)) === 'signalbox') {
    isWrapped = true;
    // VS Code gives each extension its own API.
    wrap(createRequire(path.join(path.dirname(request), 'package.json'))('vscode'));
  }
  return _load.call(this, request, ...rest);
};

function wrap({ window, workspace }) {
  const { createTreeView, createQuickPick } = window;
  const { onDidChangeTextDocument } = workspace;
  window.createTreeView = (id, options) => {
    const { treeDataProvider } = options;
    const getChildren = async (row) => {
      const rows = await treeDataProvider.getChildren(row);
      if (rows?.length > 0) compute('rows');
      return rows;
    };
    return createTreeView(id, { ...options, treeDataProvider: { ...treeDataProvider, getChildren } });
  };
  window.createQuickPick = () => {
    const pick = createQuickPick();
    pick.onDidChangeValue(() => compute('keys'));
    return pick;
  };
  workspace.onDidChangeTextDocument = (listener, ...rest) =>
    onDidChangeTextDocument(
      (change) => {
        listener.call(rest[0], change);
        compute('edits');
      },
      ...rest,
    );
}

function compute(part) {
  const { [part]: milliseconds = 0 } = JSON.parse(readFileSync(file, 'utf8'));
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

function nameOf(folder) {
  try {
    return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')).name;
  } catch {
    return '';
  }
}
