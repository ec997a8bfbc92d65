/**
 * Returns a path in the form in which paths are compared: percent-decoded (RFC 3986 §2.1), and with composed characters (Unicode NFC). What
 * would become a separator or a control character stays, as do sequences that are not UTF-8.
 */
export function decodedPath(path: string): string {
  const decoded = path.includes('%') ? path.replace(/(?:%[0-9a-f]{2})+/gi, decode) : path;
  return /[^\0-\x7f]/.test(decoded) ? decoded.normalize('NFC') : decoded;
}

function decode(coded: string): string {
  try {
    return decodeURIComponent(coded.replace(/%(?=2f|5c|[01][0-9a-f]|7f)/gi, '%25'));
  } catch {
    return coded;
  }
}
