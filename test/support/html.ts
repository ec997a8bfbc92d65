// Forms and texts of web pages.

/** A form as a browser would send it: its action and its field values. */
export interface Form {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Returns the forms of a page with their field values, without buttons and unchecked boxes. */
export function formsOf(html: string): readonly Form[] {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, head = '', inside = '']) => ({
    action: attribute(head, 'action'),
    fields: Object.fromEntries(
      [...inside.matchAll(/<input\b([^>]*)>/g)]
        .filter(([, input = '']) => !/type="(?:checkbox|radio)"/.test(input) || /\schecked\b/.test(input))
        .map(([, input = '']) => [attribute(input, 'name'), attribute(input, 'value')]),
    ),
  }));
}

/** Returns the text of a page without tags. */
export function textOf(html: string): string {
  const body = /<main\b.*<\/main>/s.exec(html)?.[0] ?? html;
  return unescaped(body.replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function attribute(tag: string, name: string): string {
  return unescaped(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
