import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Message } from './render.ts';
import type { SmtpServer } from '../../support/smtpUrl.ts';

// The only file that imports nodemailer. It is a separate bundle, loaded when a message is first read or sent.

/**
 * Returns the source of a message (RFC 5322), which is the same for each call. `boundary` distinguishes the parts from the text.
 */
export function compose(
  message: Message,
  parts: { readonly text: string; readonly html: string; readonly boundary: string },
): Promise<Buffer> {
  const { from, to, subject, date, messageId, references, headers } = message;
  return new MailComposer({
    from,
    to: { name: '', address: to },
    subject,
    date: new Date(date),
    messageId: `<${messageId}>`,
    ...(references.length === 0 ? {} : { inReplyTo: `<${references.at(-1)}>`, references: references.map((id) => `<${id}>`) }),
    headers: { ...headers },
    text: parts.text,
    html: parts.html,
    textEncoding: 'quoted-printable',
    baseBoundary: parts.boundary,
    newline: '\r\n',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}

/** Result of an attempt to send a message. `failed` is final; after `deferred` it can be tried again. */
export type SendResult = { readonly kind: 'sent' } | { readonly kind: 'failed' | 'deferred'; readonly error: string };

/** Time limits in milliseconds: to connect and be greeted, and of silence after that. */
const CONNECT_LIMIT = 15_000;
const SILENCE_LIMIT = 60_000;

/** Commands that concern only this message. Refusals of others, such as the sign-in, are problems of the server or the settings. */
const OF_MESSAGE = new Set(['MAIL FROM', 'RCPT TO', 'DATA']);

/** Sends a message to the SMTP server. The signal closes the connection at once. */
export function send(
  server: SmtpServer,
  envelope: { readonly from: string; readonly to: string; readonly clientName: string },
  source: Buffer,
  signal: AbortSignal,
): Promise<SendResult> {
  const { host, port, secure, user, password } = server;
  const isLocal = isLoopback(host);
  const connection = new SMTPConnection({
    host,
    port,
    secure,
    name: envelope.clientName,
    connectionTimeout: CONNECT_LIMIT,
    greetingTimeout: CONNECT_LIMIT,
    dnsTimeout: CONNECT_LIMIT,
    socketTimeout: SILENCE_LIMIT,
    // On this machine, servers for tests have certificates that nobody signed. Elsewhere, passwords are sent with TLS only.
    requireTLS: user !== undefined && !isLocal,
    ...(isLocal ? { tls: { rejectUnauthorized: false } } : {}),
  });
  return new Promise((resolve) => {
    const end = (result: SendResult): void => {
      signal.removeEventListener('abort', abort);
      if (result.kind === 'sent') connection.quit();
      else connection.close();
      resolve(result);
    };
    const abort = (): void => end({ kind: 'deferred', error: 'the server was stopped' });
    const fail = (error: unknown): void => end(resultOf(error));
    const transmit = (): void => {
      connection.send({ from: envelope.from, to: [envelope.to] }, source, (error) => {
        if (error) fail(error);
        else end({ kind: 'sent' });
      });
    };
    signal.addEventListener('abort', abort);
    if (signal.aborted) return abort();
    connection.on('error', fail);
    // An error, which says more, can be passed on after the connection has ended.
    connection.once('end', () => setImmediate(() => end({ kind: 'deferred', error: 'the connection was closed' })));
    connection.connect((error) => {
      if (error) return fail(error);
      if (user === undefined) return transmit();
      connection.login({ credentials: { user, pass: password ?? '' } }, (refusal) => (refusal ? fail(refusal) : transmit()));
    });
  });
}

function resultOf(error: unknown): SendResult {
  const text = error instanceof Error ? error.message : String(error);
  const { responseCode, command } = membersOf(error);
  const isFinal =
    typeof responseCode === 'number' && responseCode >= 500 && typeof command === 'string' && OF_MESSAGE.has(command);
  return { kind: isFinal ? 'failed' : 'deferred', error: text };
}

function membersOf(error: unknown): { readonly responseCode?: unknown; readonly command?: unknown } {
  return typeof error === 'object' && error !== null ? error : {};
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
