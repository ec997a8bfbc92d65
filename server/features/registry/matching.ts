import vm from 'node:vm';

/** Maximum time for matching names, in milliseconds; it blocks the event loop. */
const MATCH_TIMEOUT = 500;

/** Runs with the names and the expression as data. */
const script = `JSON.stringify(JSON.parse(names).filter((name) => new RegExp(pattern, flags).test(name)))`;

/**
 * A regular expression of a request in RE2 syntax: JavaScript syntax without lookaround and back references, which can take
 * exponential time. It must match the whole name.
 */
export class NamePattern {
  readonly #source: string;
  readonly #flags: string;

  /** Throws SyntaxError for an invalid expression. */
  constructor(text: string) {
    const [, flags = '', source = ''] = /^(?:\(\?([i]+)\))?(.*)$/s.exec(text) ?? [];
    if (/\(\?(?:[=!]|<[=!])|\\(?:[1-9]|k<)/.test(source))
      throw new SyntaxError('look-around and back references are not allowed');
    this.#source = `^(?:${source.replaceAll('\\A', '^').replaceAll('\\z', '$')})$`;
    this.#flags = flags === '' ? '' : 'i';
    // Compiles the expression to validate it.
    void new RegExp(this.#source, this.#flags);
  }

  /** Returns the matching names; undefined if matching takes too long. */
  of(names: readonly string[]): ReadonlySet<string> | undefined {
    const data = { names: JSON.stringify(names), pattern: this.#source, flags: this.#flags };
    try {
      const found: unknown = JSON.parse(String(vm.runInNewContext(script, data, { timeout: MATCH_TIMEOUT })));
      return new Set(Array.isArray(found) ? found.map(String) : []);
    } catch (error) {
      // The error comes from another context, so `instanceof` does not recognize it.
      const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
      if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
      throw error;
    }
  }
}
