/** A part of the body of a mail. */
export type MailBlock =
  /** One sentence of plain text. */
  | { readonly kind: 'sentence'; readonly text: string }
  /** Markdown that a user wrote. */
  | { readonly kind: 'markdown'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  /** A link that confirms the address that the mail is sent to. Its code is computed when the mail is read or sent. */
  | { readonly kind: 'confirmation'; readonly text: string; readonly emailId: number }
  /** `path` is a path of this server, with query and fragment. */
  | { readonly kind: 'link'; readonly text: string; readonly path: string };

/** The object that a mail is about, so that clients can open it. */
export interface MailTarget {
  readonly type: string;
  readonly id: number;
  readonly iid: number | null;
  readonly projectId: number | null;
  readonly groupId: number | null;
  /** Full path of the project or group. */
  readonly fullPath: string;
  readonly noteId: number | null;
}

/**
 * The parts that the mails about one event have in common. Mails are rendered from it when somebody reads or sends them, with the address of the
 * server at that time. IDs of messages are their left parts: `issue_41`.
 */
export interface MailContent {
  readonly subject: string;
  /** Display name of the sender. */
  readonly from: string;
  readonly blocks: readonly MailBlock[];
  /** Header fields besides those that every mail has. */
  readonly headers: Readonly<Record<string, string>>;
  /** `group/project <id.project.group>`; the host is appended. */
  readonly list?: { readonly name: string; readonly id: string };
  /** Message that opens the thread, and the messages before this one, oldest first. */
  readonly references: readonly string[];
  /** ID of this message, if replies refer to it. Otherwise every message has a random one. */
  readonly messageId: string | null;
  /** Thread that recipients can unsubscribe from. */
  readonly thread: { readonly type: 'Issue' | 'MergeRequest' | 'Epic'; readonly id: number } | null;
  readonly target: MailTarget | null;
}
