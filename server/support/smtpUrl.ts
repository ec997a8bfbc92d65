/** Server that delivers mails outside of the local mailbox. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** True for TLS from the beginning. Otherwise the connection is upgraded if the server offers it. */
  readonly secure: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Address of the sender. */
  readonly from: string | undefined;
}

/** Ports of message submission without and with TLS from the beginning (RFC 6409, RFC 8314). */
const SUBMISSION = 587;
const SUBMISSIONS = 465;

/**
 * Parses the URL of an SMTP server: `smtp://user@host:port?from=address` or `smtps://…`. Returns an explanation if it is invalid. A password
 * in it is refused, because URLs end up in lists of processes and in logs.
 */
export function parseSmtpUrl(text: string): Omit<SmtpServer, 'password'> | string {
  const url = URL.parse(text);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return 'is no URL such as smtp://user@host:587';
  if (url.password !== '') return 'must not contain a password';
  if (!/^\/?$/.test(url.pathname) || url.hash !== '') return 'must not contain a path';
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'from');
  if (unknown !== undefined) return `contains the unknown parameter ${unknown}`;
  const from = url.searchParams.get('from') ?? undefined;
  if (from !== undefined && !isAddress(from)) return 'contains no valid address in from';
  const secure = url.protocol === 'smtps:';
  const user = decoded(url.username);
  if (user === undefined) return 'contains an invalid user name';
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (secure ? SUBMISSIONS : SUBMISSION) : Number(url.port),
    secure,
    user: user === '' ? undefined : user,
    from,
  };
}

/** Returns true if a text can be the address of a sender. */
export function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>",;:\\()[\]\p{Cc}]+@[^\s@<>",;\\()\p{Cc}]+$/u.test(text);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
