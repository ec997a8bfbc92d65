import type { Disposable, Uri } from 'vscode';

export type UriRoute = (uri: Pick<Uri, 'path' | 'query'>) => Promise<void>;

/** Routes `vscode://` URIs by the first segment of their path, because an extension can have only one URI handler. */
export interface Uris {
  /** Registers a handler for `/<head>` and all paths below it. */
  readonly register: (head: string, route: UriRoute) => Disposable;
  /** Reports an unknown URI to the user. */
  readonly unknown: () => void;
  readonly handleUri: UriRoute;
}

export function createUris(unknown: () => void): Uris {
  const routes = new Map<string, UriRoute>();
  return {
    register: (head, route) => {
      if (routes.has(head)) throw new Error(`the URIs below /${head} already have a handler`);
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
