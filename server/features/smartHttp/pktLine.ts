/** Formats a packet of the git protocol (gitprotocol-common(5)): four hexadecimal digits with the length, then the data. */
export function pktLine(data: string | Buffer): Buffer {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

/** The packet that ends a section. */
export const FLUSH = Buffer.from('0000');
