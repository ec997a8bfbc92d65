import { createHash } from 'node:crypto';

/** SSH public key in the form of OpenSSH: type, content in base64, comment. */
export interface PublicKey {
  /** The key as sent, without surrounding spaces. */
  readonly text: string;
  /** MD5 of the content, as pairs of hex digits. */
  readonly fingerprint: string;
  /** SHA-256 of the content, such as `SHA256:Jrs3LD…`. */
  readonly fingerprintSha256: string;
}

const MAX_LENGTH = 5000;
const MIN_RSA_BITS = 1024;
const MAX_RSA_BITS = 16_384;

/** Lengths of the fields after the type of a key. */
const fieldLengths: Readonly<Record<string, readonly (readonly number[])[]>> = {
  'ssh-ed25519': [[32]],
  'ecdsa-sha2-nistp256': [[8], [65]],
  'ecdsa-sha2-nistp384': [[8], [97]],
  'ecdsa-sha2-nistp521': [[8], [133]],
  'sk-ssh-ed25519@openssh.com': [[32], []],
  'sk-ecdsa-sha2-nistp256@openssh.com': [[8], [65], []],
};

/** Reads a public key (RFC 4253 §6.6, RFC 5656 §3.1, RFC 8709 §4). Returns undefined for anything else, such as private keys and DSA keys. */
export function readPublicKey(sent: string): PublicKey | undefined {
  const text = sent.trim();
  const [type = '', base64 = ''] = text.split(/[ \t]+/, 2);
  if (text.length > MAX_LENGTH || /[\r\n\0]/.test(text) || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const content = Buffer.from(base64, 'base64');
  const [name, ...fields] = fieldsOf(content) ?? [];
  if (name?.toString('latin1') !== type || !isComplete(type, fields)) return undefined;
  const md5 = createHash('md5').update(content).digest('hex');
  const sha256 = createHash('sha256').update(content).digest('base64').replace(/=+$/, '');
  return { text, fingerprint: (md5.match(/../g) ?? []).join(':'), fingerprintSha256: `SHA256:${sha256}` };
}

/** Reads a fingerprint in one of its forms. Returns the form in which it is stored, or undefined for anything else. */
export function readFingerprint(sent: string): string | undefined {
  const text = sent.trim();
  const [, md5] = /^(?:MD5:)?((?:[0-9a-f]{2}:){15}[0-9a-f]{2})$/i.exec(text) ?? [];
  if (md5 !== undefined) return md5.toLowerCase();
  return /^SHA256:[A-Za-z0-9+/]{43}$/.test(text) ? text : undefined;
}

/** Splits the content of a key into its fields, each preceded by its length in four bytes. */
function fieldsOf(content: Buffer): readonly Buffer[] | undefined {
  const fields: Buffer[] = [];
  let position = 0;
  while (position < content.length) {
    if (position + 4 > content.length) return undefined;
    const end = position + 4 + content.readUInt32BE(position);
    if (end > content.length) return undefined;
    fields.push(content.subarray(position + 4, end));
    position = end;
  }
  return fields;
}

function isComplete(type: string, fields: readonly Buffer[]): boolean {
  if (type === 'ssh-rsa') {
    const [exponent, modulus, ...others] = fields;
    if (exponent === undefined || exponent.length === 0 || modulus === undefined || others.length > 0) return false;
    // The first byte of the modulus is zero if the next one would look like a sign.
    const bits = (modulus.length - (modulus[0] === 0 ? 1 : 0)) * 8;
    return bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS;
  }
  const lengths = Object.hasOwn(fieldLengths, type) ? fieldLengths[type] : undefined;
  return (
    lengths?.length === fields.length &&
    lengths.every((accepted, index) => accepted.length === 0 || accepted.includes(fields[index]?.length ?? -1))
  );
}
