import type { ErrorDetail, ErrorEvent, EventData, ShownException, ShownFrame } from '../contract/errorDetail.ts';
import type { ExceptionRelation } from '../contract/exceptionTree.ts';
import { browserUrl } from '../support/markdown.ts';

/** Returns the stack trace of an event as plain text: each exception with its frames, the innermost first. */
export function stackText(event: ErrorEvent): string {
  const { data } = event;
  if (data === null) return '';
  const exceptions = data.exceptions.map((exception, index) => {
    const indent = '  '.repeat(exception.inTree?.depth ?? 0);
    const prefix = prefixes[exception.inTree?.relation ?? (index === 0 ? 'caught' : 'cause')];
    const lines = [`${prefix}${nameOf(exception)}`, ...exception.frames.map((frame) => `    at ${frameText(frame)}`)];
    return lines.map((line) => `${indent}${line}`).join('\n');
  });
  const threads = data.threads.map(({ name, frames }) =>
    [name === '' ? 'Stack' : `Thread ${name}`, ...frames.map((frame) => `    at ${frameText(frame)}`)].join('\n'),
  );
  const message = data.message === null || exceptions.length > 0 ? [] : [data.message];
  return [...message, ...exceptions, ...(exceptions.length > 0 ? [] : threads)].join('\n');
}

const prefixes: Readonly<Record<ExceptionRelation, string>> = {
  caught: '',
  cause: 'Caused by: ',
  member: 'Member: ',
  suppressed: 'Suppressed: ',
};

/**
 * Returns an error and an event as Markdown, for example for an issue or a chat. Whoever has the public client key chooses the texts of an
 * event, and platforms act on mentions, references and addresses in Markdown, but not in code. So all texts of an event are code.
 */
export function errorMarkdown(error: ErrorDetail, event: ErrorEvent): string {
  const rows: readonly (readonly [name: string, value: string])[] = [
    ['Occurred', new Date(event.occurredAt).toISOString()],
    ['Release', code(event.release)],
    ['Environment', code(event.environment)],
    ['Level', code(event.level)],
    ['Events', String(error.count)],
    ['Users', String(error.user_count)],
    ['First release', code(error.firstRelease?.version)],
  ];
  const url = browserUrl(error.webUrl ?? undefined);
  const table = [
    ...rows.flatMap(([name, value]) => (value === '' ? [] : [`- **${name}**: ${value}`])),
    // Escaped signs would become part of the address.
    ...(url === undefined ? [] : [`- **Page**: <${url}>`]),
  ];
  const { data } = event;
  return [
    `# ${code(error.title)}`,
    table.join('\n'),
    ...(stackText(event) === '' ? [] : ['## Stack trace', fenced(stackText(event))]),
    ...(data === null ? [] : codeSections(data)),
    ...(data === null || data.tags.length === 0
      ? []
      : ['## Tags', data.tags.map(({ name, value }) => `- ${code(name)}: ${code(value)}`).join('\n')]),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Returns the code around the innermost frame of the program. */
function codeSections({ exceptions }: EventData): readonly string[] {
  const frames = exceptions[0]?.frames ?? [];
  const frame = frames.find(({ inApp, code }) => inApp !== false && code.length > 0);
  if (frame === undefined) return [];
  const lines = frame.code.map(({ line, text }) => `${line === frame.line ? '>' : ' '} ${line} ${text}`);
  return [`## ${code(frame.filename ?? frame.module) || 'Code'}`, fenced(lines.join('\n'))];
}

function nameOf({ type, value }: ShownException): string {
  return [type, value].filter((part) => part !== null && part !== '').join(': ');
}

/** Returns a frame as in stack traces of JavaScript. */
export function frameText(frame: ShownFrame): string {
  const { filename, absPath, module, line, column } = frame;
  const name = frame.function ?? frame.address ?? '';
  const path = filename ?? absPath ?? module ?? frame.package ?? '?';
  const location = [path, line, column].filter((part) => part !== null).join(':');
  return name === '' ? location : `${name} (${location})`;
}

/** Returns a code block that no line of the text can end. */
function fenced(text: string): string {
  const fence = fenceFor(text, 3);
  return `${fence}\n${text}\n${fence}`;
}

/** Returns one line as a code span that nothing in the text can end. Empty if there is no text. */
function code(text: string | null | undefined): string {
  const line = (text ?? '').replace(/\s+/g, ' ').trim();
  if (line === '') return '';
  const fence = fenceFor(line, 1);
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/** Returns a run of at least `least` backticks that is longer than any in the text. */
function fenceFor(text: string, least: number): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length + 1);
  return '`'.repeat(runs.reduce((longest, length) => Math.max(longest, length), least));
}
