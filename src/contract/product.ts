/** Name of the product as shown to users. */
export const PRODUCT = 'Signalbox';

/**
 * `client_id` of the public OAuth application that is built into every local server, so that the extension can sign in on a new server
 * without a registration. It is an identifier, not a secret.
 */
export const EXTENSION_CLIENT_ID = '8f2b6a7c41d95e03b1c8f4e29a6d70537e1c94b82fd3650a9c7be4160f58d23a';

/** Name of that application on the consent page. */
export const EXTENSION_CLIENT_NAME = 'Signalbox for VS Code';

/** Path to which the browser returns after the authorization page, for `vscode://` addresses and for the listener on 127.0.0.1. */
export const REDIRECT_PATH = '/oauth/callback';

/**
 * Redirect URIs of the built-in application: a listener on any port of this machine (RFC 8252 §7.3), and the schemes of known desktop
 * editors. OAuth applications for the extension on other instances need the URIs of the editors in use.
 */
export const EXTENSION_REDIRECT_URIS: readonly string[] = [
  `http://127.0.0.1${REDIRECT_PATH}`,
  ...['vscode', 'vscode-insiders', 'vscodium'].map((scheme) => `${scheme}://signalbox.signalbox${REDIRECT_PATH}`),
];
