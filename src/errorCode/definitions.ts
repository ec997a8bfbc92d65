/** Words before the name of a function or class in languages that have such a word. */
const KEYWORDS =
  'function|def|defp|defn|fn|func|fun|sub|proc|procedure|method|class|struct|interface|trait|object|module|impl|enum|record|protocol|extension|actor|type';

/** Words of languages and of stack traces, which are in nearly every file or in none. */
const WORDS: ReadonlySet<string> = new Set([
  ...[
    'if',
    'else',
    'elif',
    'for',
    'foreach',
    'while',
    'until',
    'unless',
    'switch',
    'match',
    'case',
    'when',
    'catch',
    'with',
    'using',
  ],
  ...[
    'lock',
    'synchronized',
    'return',
    'throw',
    'await',
    'async',
    'yield',
    'new',
    'do',
    'try',
    'in',
    'of',
    'and',
    'or',
    'not',
    'block',
  ],
  ...[
    'function',
    'def',
    'class',
    'func',
    'const',
    'let',
    'var',
    'import',
    'export',
    'from',
    'get',
    'set',
    'static',
    'public',
    'private',
  ],
  ...[
    'anonymous',
    'lambda',
    'locals',
    'closure',
    'global',
    'top',
    'required',
    'eval',
    'Object',
    'Function',
    'Array',
    'Promise',
    'Module',
  ],
  ...[
    'init',
    'clinit',
    'invoke',
    'MoveNext',
    'genexpr',
    'listcomp',
    'dictcomp',
    'setcomp',
    'ensure',
    'rescue',
    'levels',
    'self',
    'this',
  ],
]);

/** Maximum number of characters of a name that an event sends. */
const MAX_NAME = 200;

export interface NamedFrame {
  readonly function: string | null;
  /** Class in Java, package in Go. */
  readonly module: string | null;
}

/** Returns the names of the function of a frame and of its class. An event chooses them, so it must not get to try many. */
function namesOf({ function: name, module }: NamedFrame): readonly string[] {
  const ofFunction = identifiersOf((name ?? '').replace(/\([^()*]*\)$/, '')).slice(-2);
  return [...new Set([...ofFunction, ...identifiersOf(module ?? '').slice(-1)])];
}

function identifiersOf(text: string): readonly string[] {
  const all = text.slice(0, MAX_NAME).match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? [];
  // Go counts closures: `Load.func1`.
  return all.filter((one) => one.length > 1 && !WORDS.has(one) && !/^func\d+$/.test(one));
}

/** Returns true if a text has the definition of the function or class of a frame. */
export function definesFrame(text: string, frame: NamedFrame): boolean {
  return namesOf(frame).some((name) => definitionsOf(name).some((definition) => definition.test(text)));
}

function definitionsOf(name: string): readonly RegExp[] {
  const [start, end] = ['(?<![\\p{L}\\p{N}_$])', '(?![\\p{L}\\p{N}_$])'];
  const parameters = '\\([^();]{0,300}(?:\\([^();]{0,100}\\)[^();]{0,300}){0,5}\\)';
  const after = '(?:\\s*(?::|->|throws\\b|const\\b|noexcept\\b|override\\b|where\\b)[^{};()=]{0,200})?';
  return [
    // `def load`, `func (s *Store) Load`, `fun Store.load`, `class Store`
    new RegExp(
      `^[^/'"\`#*\\n]{0,200}${start}(?:${KEYWORDS})\\*?\\s+(?:\\([^()\\n]{0,100}\\)\\s*)?(?:[\\p{L}\\p{N}_:<>]{1,100}[.:])?${name}${end}`,
      'mu',
    ),
    // `const load = async () =>`, `load: function`
    new RegExp(
      `${start}${name}\\s*(?::[^=\\n]{0,100})?[=:]\\s*(?:async\\b\\s*)?(?:function\\b|(?:\\([^()\\n]{0,200}\\)|[\\p{L}\\p{N}_$]{1,100})[^=\\n;]{0,100}=>)`,
      'u',
    ),
    // `public Store load(int id) throws Failure {`
    new RegExp(
      `^[ \\t]*(?:[^\\s(){};=]{1,100}[ \\t]+){0,8}[*&#~]?(?:[\\p{L}\\p{N}_]{1,100}::)*${name}\\s*(?:<[^>\\n]{0,100}>)?\\s*${parameters}${after}\\s*\\{`,
      'mu',
    ),
  ];
}
