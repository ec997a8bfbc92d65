import highlighter from 'highlight.js/lib/core';
import csharp from 'highlight.js/lib/languages/csharp';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import typescript from 'highlight.js/lib/languages/typescript';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';

const languages = { csharp, go, java, javascript, php, python, ruby, rust, typescript };
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language);

const byExtension: Readonly<Record<string, keyof typeof languages>> = {
  ...{ cjs: 'javascript', js: 'javascript', jsx: 'javascript', mjs: 'javascript', vue: 'javascript' },
  ...{ cts: 'typescript', mts: 'typescript', ts: 'typescript', tsx: 'typescript' },
  ...{ cs: 'csharp', go: 'go', java: 'java', kt: 'java', php: 'php', py: 'python', rb: 'ruby', rs: 'rust' },
};

const byPlatform: Readonly<Record<string, keyof typeof languages>> = {
  ...{ csharp: 'csharp', go: 'go', java: 'java', javascript: 'javascript', node: 'javascript', php: 'php' },
  ...{ python: 'python', ruby: 'ruby', rust: 'rust' },
};

/** Returns code with colors of its language, or unchanged if the language is unknown. Each line is colored alone. */
export function highlighted(code: string, path: string | null, platform: string): unknown {
  const extension = /\.(\w+)$/.exec(path ?? '')?.[1]?.toLowerCase() ?? '';
  const language = byExtension[extension] ?? byPlatform[platform];
  if (language === undefined) return code;
  // The highlighter escapes the code.
  return unsafeHTML(highlighter.highlight(code, { language, ignoreIllegals: true }).value);
}
