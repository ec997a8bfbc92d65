// What explanations of mails say. A separate bundle, loaded when the first one is opened.
import type { Client } from '../api/client.ts';
import { useTranslations } from '../support/translations.ts';
import { explain, type Explanation } from './load.ts';
import type { MailQuestion } from './question.ts';

/** Explains why the user was mailed or would be. Rejects with an `ApiFailure`. */
export function explainMail(client: Client, question: MailQuestion, userId: number, locale: string): Promise<Explanation> {
  useTranslations();
  return explain(client, question, userId, locale);
}
