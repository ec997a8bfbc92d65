/** Returns the text of a label without its icons, as it is painted. */
export function plainText(label: string): string {
  return label.replaceAll(/\$\([\w~-]+\)\s*/g, '').trim();
}

/** Returns a Markdown text without the escapes of single characters, so that it can be compared with what is shown. */
export function textOfMarkdown(markdown: { readonly value: string } | undefined): string {
  return (markdown?.value ?? '')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/\\(.)/g, '$1');
}
