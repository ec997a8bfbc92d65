// Evaluates `when` and `enablement` clauses of package.json like VS Code, as far as this extension uses the language.
// https://code.visualstudio.com/api/references/when-clause-contexts

/** Values of context keys; missing keys are unset. */
export type Context = Readonly<Record<string, string | boolean>>;

export interface WhenClause {
  readonly keys: readonly string[];
  readonly holds: (context: Context) => boolean;
}

const TOKEN = /\s*(&&|\|\||==|!=|=~|!|\(|\)|\/(?:[^/\\]|\\.)*\/[a-z]*|'[^']*'|[\w.:-]+)/y;

export function parseWhen(clause: string): WhenClause {
  const tokens = tokensOf(clause);
  const keys: string[] = [];
  let at = 0;

  function take(): string {
    const token = tokens[at];
    if (token === undefined) throw new Error(`“${clause}” ends unexpectedly`);
    at += 1;
    return token;
  }

  function takeIf(token: string): boolean {
    if (tokens[at] !== token) return false;
    at += 1;
    return true;
  }

  type Holds = WhenClause['holds'];

  function either(): Holds {
    const parts = [both()];
    while (takeIf('||')) parts.push(both());
    return (context) => parts.some((holds) => holds(context));
  }

  function both(): Holds {
    const parts = [term()];
    while (takeIf('&&')) parts.push(term());
    return (context) => parts.every((holds) => holds(context));
  }

  function term(): Holds {
    if (takeIf('!')) {
      const inner = term();
      return (context) => !inner(context);
    }
    if (takeIf('(')) {
      const inner = either();
      if (!takeIf(')')) throw new Error(`“${clause}” is missing a closing parenthesis`);
      return inner;
    }
    const key = take();
    if (key === 'true' || key === 'false') return () => key === 'true';
    keys.push(key);
    if (takeIf('==')) return equal(key, take(), true);
    if (takeIf('!=')) return equal(key, take(), false);
    if (takeIf('=~')) {
      const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/.exec(take()) ?? [];
      const form = new RegExp(source, flags);
      return (context) => context[key] !== undefined && form.test(String(context[key]));
    }
    return (context) => context[key] !== undefined && context[key] !== false && context[key] !== '';
  }

  const holds = either();
  if (at !== tokens.length) throw new Error(`“${clause}” has trailing text`);
  return { keys, holds };
}

function equal(key: string, quoted: string, expected: boolean): WhenClause['holds'] {
  const value = quoted.replace(/^'(.*)'$/, '$1');
  return (context) => (String(context[key] ?? '') === value) === expected;
}

function tokensOf(clause: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < clause.trimEnd().length) {
    const token = TOKEN.exec(clause)?.[1];
    if (token === undefined) throw new Error(`“${clause}” is invalid`);
    tokens.push(token);
  }
  return tokens;
}
