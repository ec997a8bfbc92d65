import type { MailCore } from './mailCore.ts';
import type { Core } from '../../core/core.ts';
import { seal, unseal } from '../../core/sealing.ts';
import { parseSmtpUrl, type SmtpServer } from '../../support/smtpUrl.ts';
import { storedText, storeText } from './store.ts';

const PASSWORD_CONTEXT = 'instance setting smtp_password';

/** The configured servers, because each mail asks for them. */
const servers = new WeakMap<Core, { readonly server: SmtpServer | undefined }>();

/**
 * Returns the server that mails are sent to: that of the instance settings, or the one of the command line. Undefined if mails only arrive
 * in the local mailbox.
 */
export function smtpServer(core: MailCore): SmtpServer | undefined {
  const known = servers.get(core) ?? { server: configuredServer(core) };
  servers.set(core, known);
  return known.server;
}

function configuredServer(core: MailCore): SmtpServer | undefined {
  const text = storedText(core.store, 'smtp_url') ?? '';
  if (text === '') return core.smtp;
  const parsed = parseSmtpUrl(text);
  if (typeof parsed === 'string') return core.smtp;
  const sealed = storedText(core.store, 'smtp_password') ?? '';
  return { ...parsed, password: sealed === '' ? undefined : unseal(core, PASSWORD_CONTEXT, sealed) };
}

/** Returns the URL of the instance settings; empty if there is none. */
export function smtpUrl({ store }: Pick<Core, 'store'>): string {
  return storedText(store, 'smtp_url') ?? '';
}

/** Stores the settings of the SMTP server. An empty text removes a setting. */
export function storeSmtp(
  core: Core,
  { url, password }: { readonly url?: string | undefined; readonly password?: string | undefined },
): void {
  if (url !== undefined) storeText(core.store, 'smtp_url', url);
  if (password !== undefined) {
    storeText(core.store, 'smtp_password', password === '' ? '' : seal(core, PASSWORD_CONTEXT, password));
  }
  servers.delete(core);
  // The transaction may be rolled back after somebody has read the new settings.
  setImmediate(() => servers.delete(core));
}

const MAX_URL_LENGTH = 1000;

/** Returns why a text cannot be the URL of an SMTP server; undefined if it can, or if it is empty or missing. */
export function smtpUrlProblem(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (text.length > MAX_URL_LENGTH) return `is too long (maximum is ${MAX_URL_LENGTH} characters)`;
  const parsed = parseSmtpUrl(text);
  return typeof parsed === 'string' ? parsed : undefined;
}
