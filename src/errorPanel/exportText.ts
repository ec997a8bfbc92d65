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

/** Returns an error and an event as Markdown, for example for an issue or a chat. */
export function errorMarkdown(error: ErrorDetail, event: ErrorEvent): string {
  const rows: readonly (readonly [name: string, value: string | null | undefined])[] = [
    ['Occurred', new Date(event.occurredAt).toISOString()],
    ['Release', event.release],
    ['Environment', event.environment],
    ['Level', event.level],
    ['Events', String(error.count)],
    ['Users', String(error.user_count)],
    ['First release', error.firstRelease?.version],
  ];
  const url = browserUrl(error.webUrl ?? undefined);
  const table = [
    ...rows.flatMap(([name, value]) => (value === null || value === undefined ? [] : [`- **${name}**: ${plain(value)}`])),
    // Escaped signs would become part of the address.
    ...(url === undefined ? [] : [`- **Page**: <${url}>`]),
  ];
  const { data } = event;
  return [
    `# ${plain(error.title)}`,
    table.join('\n'),
    ...(stackText(event) === '' ? [] : ['## Stack trace', fenced(stackText(event))]),
    ...(data === null ? [] : codeSections(data)),
    ...(data === null || data.tags.length === 0
      ? []
      : ['## Tags', data.tags.map(({ name, value }) => `- ${plain(name)}: ${plain(value)}`).join('\n')]),
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
  return [`## ${plain(frame.filename ?? frame.module ?? 'Code')}`, fenced(lines.join('\n'))];
}

function nameOf({ type, value }: ShownException): string {
  return [type, value].filter((part) => part !== null && part !== '').join(': ');
}

/** Returns a frame as in stack traces of JavaScript. */
export function frameText(frame: ShownFrame): string {
  const { function: name, filename, absPath, module, line, column } = frame;
  const path = filename ?? absPath ?? module ?? frame.package ?? '?';
  const location = [path, line, column].filter((part) => part !== null).join(':');
  return name === null || name === '' ? location : `${name} (${location})`;
}

/** Returns a code block that no line of the text can end. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** Returns one line of Markdown that is shown as it is. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|]/g, '\\$&');
}
