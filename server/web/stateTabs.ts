import { html } from 'hono/html';
import type { Markup } from './layout.ts';

/** A state in which the rows of a list can be. */
export interface ListState {
  readonly name: string;
  /** Text of an empty list. */
  readonly empty: string;
}

/** Returns the state that a page was asked for. The first one is the default, also for unknown texts. */
export function requestedState<State extends string>(
  states: Readonly<Record<State, ListState>>,
  query: URLSearchParams,
  fallback: NoInfer<State>,
): State {
  const requested = query.get('state') ?? '';
  return isState(states, requested) ? requested : fallback;
}

function isState<State extends string>(states: Readonly<Record<State, ListState>>, text: string): text is State {
  return Object.hasOwn(states, text);
}

/** Returns the tabs of a list for the states of its rows. The address of the first one has no query. */
export function stateTabs(states: Readonly<Record<string, ListState>>, address: string, current: string): Markup {
  return html`<nav class="tabs" aria-label="State">${Object.entries(states).map(
    ([state, { name }], index) =>
      html`<a href="${address}${index === 0 ? '' : `?state=${state}`}" ${state === current ? html`aria-current="page"` : ''}>${name}</a>
`,
  )}</nav>`;
}
