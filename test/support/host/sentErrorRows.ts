// Errors that a test sends, and the rows of the view Tracked Errors that show them: by clicks or inside the extension host.
import { sendError } from '../sentErrors.ts';
import { until } from '../until.ts';

interface ErrorRow {
  readonly label: string;
  readonly description: string;
}

/** The view Tracked Errors. */
interface ErrorsView {
  readonly rows: () => Promise<readonly ErrorRow[]>;
  readonly selectRows: (...labels: readonly string[]) => Promise<void>;
}

interface Window {
  readonly run: (title: string) => Promise<void>;
  readonly clear: () => Promise<void>;
  readonly untilToast: (accept: (toast: { readonly message: string }) => boolean, what: string) => Promise<unknown>;
}

/** Errors of types that no other test sends. */
export interface SentErrors {
  /** Sends an error of this type from a place of its own. */
  readonly send: (type: string, times?: number) => Promise<void>;
  /** Waits until exactly these of the errors are shown, with their numbers of events. */
  readonly untilShown: (expected: Readonly<Record<string, number>>) => Promise<void>;
  /** Resolves the errors that are still shown, and forgets all. */
  readonly resolveAll: () => Promise<void>;
}

export function createSentErrors(workbench: Window, view: ErrorsView, dsn: string): SentErrors {
  let sent = new Set<string>();
  return {
    send: async (type, times = 1) => {
      sent.add(type);
      const frame = { filename: `src/${type}.js`, function: `sail${type}`, lineno: 7, colno: 3, in_app: true };
      const exception = { type, value: 'at berth 7', stacktrace: { frames: [frame] } };
      for (let n = 0; n < times; n += 1) await sendError(dsn, exception);
    },
    untilShown: async (expected) => {
      const text = sorted(expected);
      await until(
        async () => {
          const own = (await view.rows()).filter(({ label }) => sent.has(label));
          return sorted(Object.fromEntries(own.map((row) => [row.label, eventsOf(row)])));
        },
        (shown) => shown === text,
        'rows of errors',
      );
    },
    resolveAll: async () => {
      const left = (await view.rows()).map(({ label }) => label).filter((label) => sent.has(label));
      sent = new Set();
      if (left.length === 0) return;
      await view.selectRows(...left);
      await workbench.run('Signalbox: Resolve Error');
      await workbench.untilToast(({ message }) => message.startsWith('Resolved: '), 'resolved');
      await workbench.clear();
    },
  };
}

/** Returns the title of a sent error. */
export function sentTitle(type: string): string {
  return `${type}: at berth 7`;
}

function eventsOf({ description }: ErrorRow): number {
  return Number(/(\d+) events? · /.exec(description)?.[1]);
}

function sorted(counts: Readonly<Record<string, number>>): string {
  return JSON.stringify(Object.entries(counts).toSorted(([one], [other]) => one.localeCompare(other)));
}
