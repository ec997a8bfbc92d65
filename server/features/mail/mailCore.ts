import type { LiveCore } from '../../core/live.ts';
import type { SmtpServer } from '../../support/smtpUrl.ts';

/** The core with what mails are made and sent with. */
export interface MailCore extends LiveCore {
  /** Address of the server for links in mails, such as `http://127.0.0.1:8080`. Empty until the server listens. */
  readonly origin: { readonly value: string };
  /** SMTP server of the command line. Undefined if mails only arrive in the local mailbox. */
  readonly smtp: SmtpServer | undefined;
}
