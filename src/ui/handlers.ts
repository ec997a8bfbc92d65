import type { commands } from '../ids.ts';

export type CommandId = (typeof commands)[keyof typeof commands];

/** Declared as a method, so that handlers may declare the types of the arguments that menus and links pass to them. */
interface Command {
  run(...args: unknown[]): unknown;
}

/** Handler of a command; a returned promise is awaited. */
export type Handler = Command['run'];

/** Handlers of the commands of a feature. */
export type Handlers<Id extends CommandId = CommandId> = Readonly<Record<Id, Handler>>;
