/** Returns the text of a label without its icons, as it is painted. */
export function plainText(label: string): string {
  return label.replaceAll(/\$\([\w~-]+\)\s*/g, '').trim();
}
