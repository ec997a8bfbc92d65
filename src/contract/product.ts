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
