import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { programPath } from './environment.ts';

/**
 * Writes a program `git` to a folder, which never ends with the given commands: it starts another program, as git upload-pack starts git
 * pack-objects, and waits for it. It prints `output` before. Everything else is done by the real git. Returns the path of the program.
 */
export function writeSlowGit(folder: string, commands: readonly string[], output = ''): string {
  mkdirSync(folder, { recursive: true });
  const program = path.join(folder, 'git');
  const cases = commands.map((command) => `*" ${command} "*`).join('|');
  writeFileSync(
    program,
    `#!/bin/sh
case " $* " in
  ${cases}) printf '${output}'; (trap '' TERM; while :; do sleep 600; done) <&- >&- 2>&- & wait;;
  *) exec '${programPath('git') ?? 'git'}' "$@";;
esac
`,
    { mode: 0o755 },
  );
  return program;
}
