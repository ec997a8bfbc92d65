import vm from 'node:vm';

/** For how many milliseconds names are compared with an expression at most; nothing else happens meanwhile. */
const MAX_LENGTH = 500;

/** Runs with the names and the expression as data. */
const script = `JSON.stringify(JSON.parse(names).filter((name) => new RegExp(pattern, flags).test(name)))`;

/**
 * A regular expression of a request, in the syntax of RE2, which is that of here without what may take exponential time to look back or
 * ahead. It has to match whole names.
 */
export class NamePattern {
  readonly #source: string;
  readonly #flags: string;

  /** Throws SyntaxError for what is no such expression. */
  constructor(text: string) {
    const [, flags = '', source = ''] = /^(?:\(\?([i]+)\))?(.*)$/s.exec(text) ?? [];
    if (/\(\?(?:[=!]|<[=!])|\\(?:[1-9]|k<)/.test(source))
      throw new SyntaxError('look-around and back references are not allowed');
    this.#source = `^(?:${source.replaceAll('\\A', '^').replaceAll('\\z', '$')})$`;
    this.#flags = flags === '' ? '' : 'i';
    // Compiled to see whether it can be.
    void new RegExp(this.#source, this.#flags);
  }

  /** Those of some names that match; undefined when that takes too long. */
  of(names: readonly string[]): ReadonlySet<string> | undefined {
    const data = { names: JSON.stringify(names), pattern: this.#source, flags: this.#flags };
    try {
      const found: unknown = JSON.parse(String(vm.runInNewContext(script, data, { timeout: MAX_LENGTH })));
      return new Set(Array.isArray(found) ? found.map(String) : []);
    } catch (error) {
      // The error is one of the other context, so `instanceof` does not know it.
      const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
      if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
      throw error;
    }
  }
}
