/** Lines of an editor (0-based) for which marks are painted. */
export interface LineWindow {
  readonly first: number;
  /** The line after the last one. */
  readonly end: number;
}

/** Minimum number of lines above and below the visible ones for which marks are painted, so that most scrolling finds them painted. */
const MARGIN = 100;
/** Windows start and end at multiples of this, so that scrolling rarely changes them. */
const STEP = 200;

/** Returns the lines around the visible ones. Painting all marks of a long file would delay typing. */
export function windowAround(visible: readonly { readonly start: number; readonly end: number }[]): LineWindow {
  if (visible.length === 0) return { first: 0, end: 0 };
  const first = Math.min(...visible.map(({ start }) => start));
  const last = Math.max(...visible.map(({ end }) => end));
  return { first: Math.max(0, Math.floor((first - MARGIN) / STEP) * STEP), end: Math.ceil((last + 1 + MARGIN) / STEP) * STEP };
}

export function isInWindow({ first, end }: LineWindow, line: number): boolean {
  return line >= first && line < end;
}
