import type { EventCount } from '../contract/trackedErrors.ts';

const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** Returns a chart of one character an hour. The lowest block is an hour without events. */
export function sparkline(hours: readonly EventCount[]): string {
  const most = Math.max(1, ...hours.map(({ count }) => count));
  return hours.map(({ count }) => BLOCKS[count === 0 ? 0 : Math.max(1, Math.round((count / most) * 7))] ?? BLOCKS[0]).join('');
}
