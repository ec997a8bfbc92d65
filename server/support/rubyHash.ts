/** Formats validation errors like a Ruby hash, as some error messages of GitLab do: `{:title=>["can't be blank"]}`. */
export function inspected(fields: Readonly<Record<string, readonly string[]>>): string {
  const parts = Object.entries(fields).map(([field, texts]) => `:${field}=>${JSON.stringify(texts).replaceAll('","', '", "')}`);
  return `{${parts.join(', ')}}`;
}
