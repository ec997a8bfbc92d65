/** Value of a git configuration. */
export interface ConfigurationEntry {
  /** Name as git prints it, such as `remote.origin.url`: section and variable in lowercase, the subsection as it was written. */
  readonly key: string;
  readonly value: string;
}

/** Reads a file of git's configuration (git-config(1), "Syntax"). Variables without a value are left out, as are lines without sense. */
export function readConfiguration(text: string): readonly ConfigurationEntry[] {
  const entries: ConfigurationEntry[] = [];
  let section = '';
  let rest = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  while (rest !== '') {
    const header = /^\s*\[\s*([\w.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?\s*\]/.exec(rest);
    if (header !== null) {
      const [whole, name = '', subsection] = header;
      section = name.toLowerCase() + (subsection === undefined ? '' : `.${subsection.replace(/\\(.)/g, '$1')}`);
      rest = rest.slice(whole.length);
      continue;
    }
    const variable = /^\s*([A-Za-z][\w-]*)[ \t]*=/.exec(rest);
    if (variable !== null) {
      const [whole, name = ''] = variable;
      const { value, length } = readValue(rest.slice(whole.length));
      if (section !== '') entries.push({ key: `${section}.${name.toLowerCase()}`, value });
      rest = rest.slice(whole.length + length);
      continue;
    }
    const line = rest.indexOf('\n');
    rest = line < 0 ? '' : rest.slice(line + 1);
  }
  return entries;
}

/** Characters of a value: an escape, a quoted part's quotation mark, the beginning of a comment, the end of the line, or text. */
const TOKEN = /\\\n|\\[\s\S]|"|[#;]|\n|[^\\"#;\n]+|[\s\S]/g;

const ESCAPES: Readonly<Record<string, string>> = { '\\\n': '', '\\n': '\n', '\\t': '\t', '\\b': '\b' };

/** Reads the value at the beginning of a text. `length` is that of what was read. */
function readValue(text: string): { readonly value: string; readonly length: number } {
  let value = '';
  /** Length of the value up to which white space at its end is part of it. */
  let fixed = 0;
  let isQuoted = false;
  const start = /^[ \t]*/.exec(text)?.[0].length ?? 0;
  for (const { 0: token, index } of text.slice(start).matchAll(TOKEN)) {
    if (token === '\n' || (!isQuoted && /^[#;]$/.test(token))) {
      const end = text.indexOf('\n', start + index);
      return { value: value.slice(0, fixed) + value.slice(fixed).trimEnd(), length: end < 0 ? text.length : end + 1 };
    }
    if (token === '"') isQuoted = !isQuoted;
    else value += ESCAPES[token] ?? (token.startsWith('\\') ? token.slice(1) : token);
    if (isQuoted || token === '"' || (token.startsWith('\\') && token !== '\\\n')) fixed = value.length;
  }
  return { value: value.slice(0, fixed) + value.slice(fixed).trimEnd(), length: text.length };
}

/** Reads the output of `git config --null --show-origin`. `files` are the absolute paths of the files that have the values. */
export function readPrintedConfiguration(output: string): {
  readonly entries: readonly ConfigurationEntry[];
  readonly files: readonly string[];
} {
  const fields = output.split('\0');
  const entries: ConfigurationEntry[] = [];
  const files = new Set<string>();
  // Each value has two fields: its origin, and its name and value on two lines.
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const file = /^file:((?:\/|[A-Za-z]:[\\/]).*)$/s.exec(fields[at] ?? '')?.[1];
    if (file !== undefined) files.add(file);
    const [, key = '', value = ''] = /^([^\n]*)\n?(.*)$/s.exec(fields[at + 1] ?? '') ?? [];
    entries.push({ key, value });
  }
  return { entries, files: [...files] };
}
