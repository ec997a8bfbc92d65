import { maskPathTokens } from '../core/masking.ts';

const MASK = '[masked]';

/** Path with parameters of a route, and which of its segments are secrets. */
interface SecretPath {
  /** The path up to its first parameter, by which most other paths are told apart quickly. */
  readonly start: string;
  readonly segments: readonly string[];
  /** Indexes of the segments that are secrets. */
  readonly secrets: readonly number[];
}

/**
 * Returns a function that masks secrets in paths: the parameters that the definitions of routes name (`secrets`), whatever the method, and
 * texts that look like secrets. `secretsOfPaths` has the names of the secret parameters by path.
 */
export function createPathMask(secretsOfPaths: Readonly<Record<string, readonly string[]>>): (path: string) => string {
  const secretPaths = Object.entries(secretsOfPaths).map(([path, names]) => secretPathOf(path, names));
  return (path) => {
    for (const secretPath of secretPaths) {
      const masked = path.startsWith(secretPath.start) ? maskedBy(secretPath, path) : undefined;
      if (masked !== undefined) return maskPathTokens(masked);
    }
    return maskPathTokens(path);
  };
}

function secretPathOf(path: string, names: readonly string[]): SecretPath {
  const segments = path.split('/');
  const secrets = names.map((name) => segments.indexOf(`:${name}`));
  return { start: path.slice(0, path.indexOf(':')), segments, secrets };
}

/** Returns the masked path if it begins like a path with secrets. */
function maskedBy({ segments, secrets }: SecretPath, path: string): string | undefined {
  const sent = path.split('/');
  const isAlike = segments.every((segment, index) => segment.startsWith(':') || segment === sent[index]);
  if (!isAlike || sent.length < segments.length) return undefined;
  const masked = sent.map((segment, index) => (secrets.includes(index) ? MASK : segment));
  // Segments after a secret at the end of the path may be a part of the secret.
  return secrets.includes(segments.length - 1) ? masked.slice(0, segments.length).join('/') : masked.join('/');
}
