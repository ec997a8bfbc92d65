/** Name of the product as shown to people. */
export const PRODUCT = 'Signalbox';

/**
 * `client_id` of the public OAuth application that every local server has built in, so that the extension can sign in on a
 * fresh server without anybody registering an application first. It is an identifier, not a secret.
 */
export const EXTENSION_CLIENT_ID = '8f2b6a7c41d95e03b1c8f4e29a6d70537e1c94b82fd3650a9c7be4160f58d23a';

/** Name under which that application is shown on the consent page. */
export const EXTENSION_CLIENT_NAME = 'Signalbox for VS Code';

/** Scopes that the built-in application may ask for. */
export const EXTENSION_SCOPES = ['api', 'read_api', 'read_user'] as const;

/** Where the browser comes back to after the authorization page: the path of the extension's own addresses and of its listener. */
export const REDIRECT_PATH = '/oauth/callback';

/**
 * Redirect URIs of the built-in application: a listener on any port of this machine (RFC 8252 §7.3), and the desktop editors whose
 * scheme is known. Whoever registers an application for the extension elsewhere gives it those that they use.
 */
export const EXTENSION_REDIRECT_URIS: readonly string[] = [
  `http://127.0.0.1${REDIRECT_PATH}`,
  ...['vscode', 'vscode-insiders', 'vscodium'].map((scheme) => `${scheme}://signalbox.signalbox${REDIRECT_PATH}`),
];
