import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A message as an SMTP server received it. */
export interface ReceivedMessage {
  readonly from: string;
  readonly to: readonly string[];
  readonly source: string;
  readonly parsed: Email;
}

/** An SMTP server that collects messages. */
export interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly messages: readonly ReceivedMessage[];
  /** Number of connections so far. */
  readonly connections: number;
  /** Resolves when there are at least so many messages. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

export interface MailServerOptions extends SMTPServerOptions {
  readonly at?: number;
  /** Called with each message before it is accepted. An error refuses it, and `responseCode` is the status. */
  readonly onMessage?: (message: ReceivedMessage) => Promise<void> | void;
}

export async function startMailServer({ at = 0, onMessage, ...options }: MailServerOptions = {}): Promise<MailServer> {
  const messages: ReceivedMessage[] = [];
  let connections = 0;
  const waiting = new Set<() => void>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    closeTimeout: 100,
    disableReverseLookup: true,
    onConnect: (_session, done) => {
      connections += 1;
      done();
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const source = Buffer.concat(chunks).toString('utf8');
        const { mailFrom, rcptTo } = session.envelope;
        const accept = async (): Promise<void> => {
          const parsed = await PostalMime.parse(source);
          const message = {
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            source,
            parsed,
          };
          await onMessage?.(message);
          messages.push(message);
        };
        accept().then(
          () => {
            done();
            for (const wake of [...waiting]) wake();
          },
          (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
        );
      });
    },
    ...options,
  });
  // A client that is killed resets its connection.
  server.on('error', () => undefined);
  server.listen(at, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  return {
    port,
    messages,
    get connections() {
      return connections;
    },
    received: async (count) => {
      while (messages.length < count) {
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
      assert.ok(messages.length >= count);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns an error with which a mail server refuses a message. */
export function smtpRefusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
