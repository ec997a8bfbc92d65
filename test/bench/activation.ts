import { prepare } from '../../scripts/vscode-host.ts';
import { openEditor } from '../support/host/vscode.ts';
import { type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';
import { median, type Ratio, ratio, rounded } from './harness.ts';

const ROUNDS = 9;
const EXTENSION = 'signalbox.signalbox';
/** A small extension of VS Code's own that is activated at the same time, to tell how busy the machine is. */
const CONTROL = 'vscode.merge-conflict';

/**
 * What the extension itself costs a window that opens: the time of its `activate`, in milliseconds, as the extension host of a real VS
 * Code measures it, over windows that are loaded anew. Loading its code is told beside it, and what the host's other extensions take.
 */
export async function activation(): Promise<Ratio> {
  prepare('current', console.log);
  const editor = await openEditor();
  const { workbench, context } = editor;
  try {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const rounds: Activation[] = [];
    const control: Activation[] = [];
    for (let round = -1; round < ROUNDS; round += 1) {
      await workbench.reload();
      const times = await activations(workbench);
      const own = times.get(EXTENSION);
      if (own === undefined) throw new Error(`not activated: ${[...times.keys()].join(', ')}`);
      // The first one only warms the file system.
      if (round < 0) continue;
      rounds.push(own);
      control.push(times.get(CONTROL) ?? { load: Number.NaN, call: Number.NaN });
    }
    return ratio(
      'activation',
      'milliseconds of the extension’s own activate call, in a real VS Code',
      rounds.map(({ call }) => call),
      { atMost: 20 },
      {
        loadCodeMilliseconds: rounded(median(rounds.map(({ load }) => load))),
        controlCallMilliseconds: rounded(median(control.map(({ call }) => call))),
        controlLoadCodeMilliseconds: rounded(median(control.map(({ load }) => load))),
      },
    );
  } finally {
    await editor.close();
  }
}

interface Activation {
  /** Milliseconds for reading and running the module. */
  readonly load: number;
  /** Milliseconds of the call. */
  readonly call: number;
}

/** The table of VS Code's own report on how it started: extension → times. */
async function activations({ run, page, clipboard }: Workbench): Promise<ReadonlyMap<string, Activation>> {
  return until(
    async () => {
      await run('Developer: Startup Performance');
      await page.locator('.editor-instance .view-lines').first().click();
      await page.keyboard.press('Control+A');
      await page.keyboard.press('Control+C');
      const report = await clipboard();
      await run('View: Close All Editors');
      return timesOf(report);
    },
    (times) => times.has(EXTENSION),
    'report on the start of VS Code',
  );
}

/** Rows are `| id | eager | load code | call activate | finish activate | event | by |`. */
function timesOf(report: string): ReadonlyMap<string, Activation> {
  return new Map(
    report.split('\n').flatMap((line) => {
      const [id = '', , load, call] = line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1);
      return /^\d+$/.test(load ?? '') && /^\d+$/.test(call ?? '')
        ? [[id, { load: Number(load), call: Number(call) }] as const]
        : [];
    }),
  );
}
