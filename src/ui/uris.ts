import type { Disposable, Uri } from 'vscode';

export type UriRoute = (uri: Pick<Uri, 'path' | 'query'>) => Promise<void>;

/** The addresses that other programs hand to the editor, by what their paths begin with: an extension may have one handler only. */
export interface Uris {
  /** Everything at and below `/<head>`. */
  readonly register: (head: string, route: UriRoute) => Disposable;
  /** Says that an address means nothing here. */
  readonly unknown: () => void;
  readonly handleUri: UriRoute;
}

export function createUris(unknown: () => void): Uris {
  const routes = new Map<string, UriRoute>();
  return {
    register: (head, route) => {
      if (routes.has(head)) throw new Error(`the addresses below /${head} are taken`);
      routes.set(head, route);
      return { dispose: () => void routes.delete(head) };
    },
    unknown,
    handleUri: async (uri) => {
      const route = routes.get(uri.path.split('/', 2)[1] ?? '');
      if (route === undefined) unknown();
      else await route(uri);
    },
  };
}
