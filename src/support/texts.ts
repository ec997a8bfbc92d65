import * as l10n from '@vscode/l10n';

declare const isTranslated: unique symbol;

/** English text of a table, which has a translation. */
export type Text = string & { readonly [isTranslated]: true };

interface Table {
  readonly [key: string]: string | readonly string[] | Table;
}

/** A table with the same keys, whose texts can be formatted. */
type Texts<T> = T extends string ? Text : { readonly [Key in keyof T]: Texts<T[Key]> };

/** Returns a table of English texts. All its values must be literals: the check of translations finds them by this call. */
export function texts<const T extends Table>(table: T): Texts<T>;
export function texts(table: unknown): unknown {
  return table;
}

/** Returns the translation of a text of a table, with `{0}` and the following placeholders replaced by the values. */
export function formatText(text: Text, ...values: readonly string[]): string {
  return l10n.t(text, ...values);
}
