// Import rules of the project, as a plugin of oxlint (.oxlintrc.json, jsPlugins). They depend on the folder that a path resolves to, while
// oxlint's no-restricted-imports sees only the text of the path.
import { builtinModules } from 'node:module';
import path from 'node:path';
import { forbiddenImport } from './serverFolders.ts';

/** The members of an ESTree node that the rules use. */
interface Node {
  readonly type: string;
  readonly source?: Node | null;
  readonly value?: unknown;
  readonly body?: readonly Node[];
  readonly callee?: Node;
  readonly object?: Node;
  readonly property?: Node;
  readonly name?: string;
  readonly arguments?: readonly Node[];
}

interface Context {
  readonly filename: string;
  readonly cwd: string;
  report(problem: { node: Node; message: string }): void;
}

/** Target of an import: a file or a package. */
interface Import {
  /** Path of the importing file relative to the root, with `/`: `server/features/issues/store.ts`. */
  readonly from: string;
  /** Path of an imported file of the project, otherwise undefined. */
  readonly file: string | undefined;
  /** Name of a package or a Node module, otherwise undefined. */
  readonly package: string | undefined;
}

/** Rules. Each returns the message for a forbidden import. */
const roomRules: readonly ((target: Import) => string | undefined)[] = [
  function contract({ from, file }) {
    if (!from.startsWith('src/contract/') || file?.startsWith('src/contract/') === true) return undefined;
    return 'src/contract imports only itself.';
  },
  function serverWithoutVscode(target) {
    return target.from.startsWith('server/') && target.package === 'vscode' ? 'server/ must run without VS Code.' : undefined;
  },
  function serverOfExtension({ from, file }) {
    if (!from.startsWith('server/') || file?.startsWith('src/') !== true || file.startsWith('src/contract/')) return undefined;
    return 'server/ may import src/contract and nothing else of src/.';
  },
  function extensionOfServer({ from, file }) {
    return from.startsWith('src/') && file?.startsWith('server/') === true
      ? 'src/ talks to the server over HTTP only.'
      : undefined;
  },
  function privateFile({ from, file }) {
    return file === undefined ? undefined : forbiddenImport(from, file);
  },
  function restErrors({ from, file }) {
    if (file !== 'server/http/failures.ts' || /^(server\/http|test)\//.test(from)) return undefined;
    return 'Only server/http knows the errors of the REST API: throw an error of server/core/errors.ts.';
  },
  function driver(target) {
    if (target.package !== 'better-sqlite3' || /^(server\/store|test)\//.test(target.from)) return undefined;
    return 'Only server/store names better-sqlite3.';
  },
  function transport(target) {
    if (target.package !== 'undici' || /^(src\/api|test)\//.test(target.from)) return undefined;
    return 'Only src/api names undici.';
  },
  function browser(target) {
    if (!target.from.endsWith('.web.ts') || target.package === undefined) return undefined;
    const isHost = target.package === 'vscode' || builtinModules.includes(target.package);
    return isHost ? 'A *.web.ts runs in a browser: neither vscode nor a module of Node.' : undefined;
  },
];

const rooms = {
  create(context: Context) {
    const from = fromRoot(context);
    const check = (node: Node) => {
      if (node.source?.type !== 'Literal' || typeof node.source.value !== 'string') return;
      const target = importOf(from, node.source.value);
      for (const rule of roomRules) {
        const message = rule(target);
        if (message !== undefined) context.report({ node: node.source, message });
      }
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
      ExportAllDeclaration: check,
      ExportNamedDeclaration: check,
    };
  },
};

const barrels = {
  create(context: Context) {
    // The entry of a feature names what others may use of it.
    const isEntry = /^server\/features\/(\w+)\/\1\.ts$/.test(fromRoot(context));
    return {
      Program({ body = [] }: Node) {
        const reexports = body.filter(
          ({ type, source }) =>
            type === 'ExportAllDeclaration' || (type === 'ExportNamedDeclaration' && source?.type === 'Literal'),
        );
        const others = body.filter((node) => node.type !== 'ImportDeclaration' && !reexports.includes(node));
        for (const node of reexports) {
          if (node.type === 'ExportAllDeclaration' || (others.length === 0 && !isEntry)) {
            context.report({ node, message: 'No barrels: import a thing from the file that holds it.' });
          }
        }
      },
    };
  },
};

const systemTime = {
  create(context: Context) {
    const from = fromRoot(context);
    if (!from.startsWith('server/') || from === 'server/core/clock.ts') return {};
    const message = 'Time in server/ comes from server/core/clock.ts, which can be moved.';
    return {
      // Any use of Date.now, so that it cannot be passed as a function either.
      MemberExpression(node: Node) {
        const member = node.property?.name ?? node.property?.value;
        if (node.object?.type === 'Identifier' && node.object.name === 'Date' && member === 'now')
          context.report({ node, message });
      },
      NewExpression(node: Node) {
        if (isDate(node.callee) && node.arguments?.length === 0) context.report({ node, message });
      },
      CallExpression(node: Node) {
        if (isDate(node.callee)) context.report({ node, message });
      },
    };
  },
};

function isDate(callee: Node | undefined): boolean {
  return callee?.type === 'Identifier' && callee.name === 'Date';
}

function fromRoot({ cwd, filename }: Context): string {
  return path.relative(cwd, filename).replaceAll(path.sep, '/');
}

function importOf(from: string, specifier: string): Import {
  if (/^\.{1,2}(\/|$)/.test(specifier)) {
    return { from, file: path.posix.join(path.posix.dirname(from), specifier), package: undefined };
  }
  const [first = '', second = ''] = specifier.replace(/^node:/, '').split('/');
  return { from, file: undefined, package: first.startsWith('@') ? `${first}/${second}` : first };
}

// oxlint requires a default export.
export default {
  meta: { name: 'signalbox' },
  rules: { rooms, 'no-barrels': barrels, 'system-time': systemTime },
};
