import { randomBytes } from 'node:crypto';

function field(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Returns an SSH public key of a type with these fields. */
export function publicKeyOf(type: string, ...fields: readonly (Buffer | string)[]): string {
  return `${type} ${Buffer.concat([type, ...fields].map(field)).toString('base64')}`;
}

/** Returns a random public key, followed by a comment. */
export function freshPublicKey(comment = 'someone@example.com'): string {
  return `${publicKeyOf('ssh-ed25519', randomBytes(32))} ${comment}`;
}
