import * as l10n from '@vscode/l10n';

/** Error codes of Node.js for certificates with an unknown issuer. */
const UNKNOWN_ISSUER: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Appends advice to the message of an error if the issuer of the instance's certificate is unknown. */
export function withAdviceOnCertificates(text: string, error: unknown): string {
  if (!hasUnknownIssuer(error)) return text;
  return l10n.t(
    '{0}. If the instance uses its own certificate authority, set the property ca in the setting signalbox.instances to the path of its certificate file.',
    text,
  );
}

/** Searches the chain of `cause`, in which fetch wraps the reason. */
function hasUnknownIssuer(error: unknown): boolean {
  for (let level: unknown = error, depth = 0; level instanceof Error && depth < 5; depth += 1) {
    if ('code' in level && typeof level.code === 'string' && UNKNOWN_ISSUER.has(level.code)) return true;
    level = level.cause;
  }
  return false;
}
