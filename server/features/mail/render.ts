import { html, raw } from 'hono/html';
import { isJsonObject, parseJson } from '../../../src/contract/json.ts';
import { PRODUCT } from '../../../src/contract/product.ts';
import type { Core } from '../../core/core.ts';
import { addressPath } from '../../web/addresses.ts';
import type { Markup } from '../../web/layout.ts';
import { type LinkResolver, markdown, markdownBudget } from '../../web/markdown.ts';
import { confirmationPath } from './confirmationToken.ts';
import type { MailBlock, MailContent } from './content.ts';
import type { MailRow } from './store.ts';
import { unsubscribePath } from './unsubscribeToken.ts';

// Turns stored mails into what recipients get: header fields, plain text and HTML (docs/interface.md#local-mailbox).

/** Page on which users change what they are mailed about. */
const SETTINGS_PATH = '/-/profile/notifications';

/** A mail with all header fields, for an address of this server. */
export interface Message {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly subject: string;
  /** In milliseconds since the epoch. */
  readonly date: number;
  /** IDs of messages, without angle brackets. */
  readonly messageId: string;
  readonly references: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Parts of the address of this server that mails contain. */
export interface Sender {
  /** `http://host:port` */
  readonly origin: string;
  /** Address of the sender; one of the host of the origin by default. */
  readonly address?: string | undefined;
}

export function contentOfMail(row: Pick<MailRow, 'data'>): MailContent {
  const content = parseJson(row.data);
  if (!isContent(content)) throw new Error('the stored content of a mail is invalid');
  return content;
}

/** Checks what distinguishes contents from other values. Only `storeContent` writes them. */
function isContent(value: unknown): value is MailContent {
  return (
    isJsonObject(value) && typeof value.subject === 'string' && Array.isArray(value.blocks) && Array.isArray(value.references)
  );
}

/** Returns the header fields of a mail. */
export function messageOf(core: Core, row: MailRow, sender: Sender): Message {
  const content = contentOfMail(row);
  const host = hostOf(sender.origin);
  const { list } = content;
  return {
    from: { name: oneLine(content.from), address: senderAddress(sender) },
    to: oneLine(row.address),
    subject: oneLine(content.subject),
    date: row.created_at,
    messageId: messageIdOf(row, sender.origin),
    references: content.references.map((id) => `${id}@${host}`),
    headers: {
      ...Object.fromEntries(Object.entries(content.headers).map(([name, value]) => [name, oneLine(value)])),
      ...(row.reason === null ? {} : { 'X-GitLab-NotificationReason': oneLine(row.reason) }),
      ...(list === undefined
        ? {}
        : { 'List-Id': `${oneLine(list.name)} <${oneLine(list.id)}.${host.replaceAll(/[[\]:]+/g, '')}>` }),
      ...unsubscribeHeaders(core, row, content, sender),
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
    },
  };
}

export function senderAddress({ origin, address }: Sender): string {
  return address ?? `${PRODUCT.toLowerCase()}@${hostOf(origin)}`;
}

/** Returns the ID of a message without angle brackets, such as `issue_41@127.0.0.1`. */
export function messageIdOf(row: Pick<MailRow, 'message_id'>, origin: string): string {
  return `${row.message_id}@${hostOf(origin)}`;
}

function hostOf(origin: string): string {
  const host = URL.parse(origin)?.hostname ?? '';
  return host === '' ? 'localhost' : host;
}

/** Returns the header fields for unsubscribing with one click (RFC 8058 §3.1). */
function unsubscribeHeaders(
  core: Core,
  row: MailRow,
  content: MailContent,
  { origin }: Sender,
): Readonly<Record<string, string>> {
  const path = unsubscribePath(core, row, content);
  return path === undefined
    ? {}
    : { 'List-Unsubscribe': `<${origin}${path}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/** Returns the plain text of a mail. */
export function textOfMail(core: Core, row: MailRow, { origin }: Sender): string {
  const content = contentOfMail(row);
  const parts = content.blocks.map((block) => textOfBlock(core, block, row, origin));
  const footer = [
    ...footerSentences(row, content),
    ...footerLinks(core, row, content).map(({ text, path }) => `${text}: ${origin}${path}`),
  ];
  return `${[...parts, ...(footer.length === 0 ? [] : [`-- \n${footer.join('\n')}`])].join('\n\n')}\n`;
}

function textOfBlock(core: Core, block: MailBlock, row: MailRow, origin: string): string {
  switch (block.kind) {
    case 'sentence':
    case 'markdown':
      return block.text;
    case 'list':
      return block.items.map((item) => `* ${item}`).join('\n');
    case 'link':
      return `${block.text}: ${origin}${block.path}`;
    case 'confirmation':
      return `${block.text}: ${origin}${confirmationPath(core, block.emailId, row.address)}`;
  }
}

/** Returns the HTML document of a mail. In a frame, its links open new windows. */
export async function htmlOfMail(
  core: Core,
  row: MailRow,
  { origin }: Sender,
  { isFramed = false }: { readonly isFramed?: boolean } = {},
): Promise<string> {
  const content = contentOfMail(row);
  const budget = markdownBudget();
  const resolver = resolverOf(content, origin);
  const blocks: Markup[] = [];
  for (const block of content.blocks) {
    if (block.kind === 'markdown') {
      const text = await markdown(block.text, resolver, 2, { isForJson: true, keepsLines: true, budget });
      blocks.push(await html`<div class="text">${text}</div>`);
    } else blocks.push(await htmlOfBlock(core, block, row, origin));
  }
  const links = footerLinks(core, row, content);
  const sentences = footerSentences(row, content);
  const footer =
    links.length === 0 && sentences.length === 0
      ? ''
      : html`<div class="foot">${sentences.map(
          (text) => html`<p>${text}</p>
`,
        )}${
          links.length === 0
            ? ''
            : html`<p>${links.map(({ text, path }, index) => html`${index === 0 ? '' : ' · '}<a href="${origin}${path}">${text}</a>`)}</p>`
        }</div>`;
  const document = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${oneLine(content.subject)}</title>
${isFramed ? raw('<base target="_blank">\n') : ''}<style>${raw(STYLE)}</style>
</head>
<body>
<div class="mail">
${blocks}
${footer}
</div>
</body>
</html>
`;
  return document.toString();
}

async function htmlOfBlock(
  core: Core,
  block: Exclude<MailBlock, { readonly kind: 'markdown' }>,
  row: MailRow,
  origin: string,
): Promise<Markup> {
  switch (block.kind) {
    case 'sentence':
      return html`<p>${block.text}</p>
`;
    case 'list':
      return html`<ul>${block.items.map((item) => html`<li>${item}</li>`)}</ul>
`;
    case 'link':
      return html`<p><a class="button" href="${origin}${block.path}">${block.text}</a></p>
`;
    case 'confirmation':
      return html`<p><a class="button" href="${origin}${confirmationPath(core, block.emailId, row.address)}">${block.text}</a></p>
`;
  }
}

/** Colors and spaces of mails. Clients that ignore it show plain paragraphs. */
const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; padding: 16px; background: #ffffff; color: #1f1e24; font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; }
.mail { max-width: 40em; overflow-wrap: anywhere; }
p, ul, .text { margin: 0 0 12px; }
ul { padding-left: 20px; }
a { color: #0b5cad; }
.text { padding-left: 12px; border-left: 3px solid #dcdcde; }
.text > :last-child { margin-bottom: 0; }
.text table { border-collapse: collapse; display: block; overflow-x: auto; }
.text th, .text td { padding: 4px 8px; border: 1px solid #dcdcde; }
pre, code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 13px; background: #f3f3f5; border-radius: 4px; }
code { padding: 1px 4px; }
pre { padding: 8px 12px; overflow-x: auto; }
pre code { padding: 0; }
blockquote { margin: 0 0 12px; padding-left: 12px; border-left: 3px solid #dcdcde; color: #626168; }
.button { display: inline-block; padding: 7px 14px; border-radius: 6px; background: #0b5cad; color: #ffffff; text-decoration: none; font-weight: 600; }
.foot { margin-top: 24px; padding-top: 12px; border-top: 1px solid #dcdcde; color: #626168; font-size: 13px; }
.foot p { margin: 0 0 4px; }
@media (prefers-color-scheme: dark) {
body { background: #18171d; color: #ececef; }
a { color: #79b8ff; }
.text, blockquote, .foot, .text th, .text td { border-color: #434248; }
pre, code { background: #28272d; }
blockquote, .foot { color: #a4a3a8; }
.button { background: #79b8ff; color: #10151c; }
}
`;

/** Resolves references to issues, merge requests and users without checking that they exist, because that would reveal what is hidden. */
function resolverOf({ target }: MailContent, origin: string): LinkResolver {
  const project = target === null || target.projectId === null ? undefined : `${origin}/${addressPath(target.fullPath)}`;
  return {
    link: () => undefined,
    image: () => undefined,
    reference: (mark, name) => {
      if (mark === '@') return `${origin}/${encodeURIComponent(name)}`;
      return project === undefined ? undefined : `${project}/-/${mark === '#' ? 'issues' : 'merge_requests'}/${name}`;
    },
  };
}

const reasons: Readonly<Record<string, string>> = {
  own_activity: 'You get this mail because you asked for mails about your own activity.',
  assigned: 'You get this mail because you are an assignee.',
  review_requested: 'You get this mail because your review was requested.',
  mentioned: 'You get this mail because you were mentioned.',
  subscribed: 'You get this mail because you subscribed.',
};

/** Returns why the recipient gets the mail. Mails that are no notifications do not say it. */
function footerSentences({ reason }: MailRow, { target }: MailContent): readonly string[] {
  if (target === null) return [];
  const where = target.fullPath === '' ? '' : ` for ${target.fullPath}`;
  return [reasons[reason ?? ''] ?? `You get this mail because of your notification settings${where}.`];
}

function footerLinks(
  core: Core,
  row: MailRow,
  content: MailContent,
): readonly { readonly text: string; readonly path: string }[] {
  if (content.target === null) return [];
  const unsubscribe = unsubscribePath(core, row, content);
  return [
    ...(unsubscribe === undefined ? [] : [{ text: 'Unsubscribe from this thread', path: unsubscribe }]),
    { text: 'Notification settings', path: SETTINGS_PATH },
  ];
}

/** Replaces line breaks and other control characters, so that a text fits into a header field. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** Returns the path of the page that a mail is about, which is its last link. */
export function pathOfMail(content: MailContent): string | null {
  const link = content.blocks.findLast((block) => block.kind === 'link');
  return link?.kind === 'link' ? link.path : null;
}
