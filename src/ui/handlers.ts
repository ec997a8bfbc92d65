import type { commands } from '../ids.ts';

export type CommandId = (typeof commands)[keyof typeof commands];

/** A method, so that a handler may say which arguments the menus and links of package.json give it. */
interface Command {
  run(...args: unknown[]): unknown;
}

/** What a command does; a promise is awaited. */
export type Handler = Command['run'];

/** What each command of a feature does. */
export type Handlers<Id extends CommandId = CommandId> = Readonly<Record<Id, Handler>>;
