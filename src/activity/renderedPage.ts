// Page with a rendered document. A separate bundle, loaded on first use.
import Renderer, { type MarkdownIt } from 'markdown-it';

export interface RenderedPage {
  /** Markdown. HTML in it is shown as text. */
  readonly text: string;
  readonly language: string;
  /** Zero-based line of the text to which the page scrolls when it is loaded for the first time. */
  readonly line: number | undefined;
  /** Identifies the request to scroll. A page that is loaded again for the same one stays where the reader is. */
  readonly visit: number;
}

/** Returns a complete HTML page without external resources. `nonce` must be new for each page. */
export function renderedPage({ text, language, line, visit }: RenderedPage, nonce: string): string {
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(titleOf(text))}</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body data-visit="${visit}"${line === undefined ? '' : ` data-start="${line}"`}>
<main>
${createRenderer().render(text)}</main>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`;
}

/** Returns the text of the heading with which every document begins. */
function titleOf(text: string): string {
  const [first = ''] = text.split('\n', 1);
  return first.replace(/^#+ /, '');
}

function createRenderer(): MarkdownIt {
  const renderer = new Renderer({ html: false, linkify: true });
  renderer.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  renderer.validateLink = (address) => /^https?:/i.test(address);
  renderer.core.ruler.push('lines', ({ tokens }) => {
    for (const token of tokens) if (token.map !== null && token.nesting === 1) token.attrSet('data-line', String(token.map[0]));
  });
  // A webview has no status bar that shows where a link leads.
  renderer.renderer.rules['link_open'] = (tokens, index, options, _environment, self) => {
    const [token] = tokens.slice(index);
    token?.attrSet('title', String(token.attrGet('href') ?? ''));
    return self.renderToken(tokens, index, options);
  };
  // Images would tell other servers that the document was read.
  renderer.renderer.rules['image'] = (tokens, index) => {
    const [token] = tokens.slice(index);
    const address = String(token?.attrGet('src') ?? '');
    const label = token?.content === undefined || token.content === '' ? address : token.content;
    return `<a href="${escaped(address)}" title="${escaped(address)}">${escaped(label)}</a>`;
  };
  renderer.renderer.rules['fence'] = (tokens, index) => {
    const [token] = tokens.slice(index);
    const content = token?.content ?? '';
    const body =
      token?.info.trim() === 'diff' ? content.replace(/\n$/, '').split('\n').map(diffLine).join('\n') : escaped(content);
    return `<pre data-line="${token?.map?.[0] ?? 0}" tabindex="0"><code>${body}</code></pre>\n`;
  };
  return renderer;
}

function diffLine(line: string): string {
  const name = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : line.startsWith('@@') ? 'hunk' : undefined;
  return name === undefined ? escaped(line) : `<span class="${name}">${escaped(line)}</span>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const STYLE = `
body { padding: 0 2rem 3rem; background: var(--vscode-editor-background); color: var(--vscode-foreground); line-height: 1.5; overflow-wrap: anywhere; }
main { max-width: 60rem; }
h1, h2 { border-bottom: 1px solid var(--vscode-editorWidget-border, var(--vscode-contrastBorder)); padding-bottom: 0.3rem; }
h1 { font-size: 1.7em; } h2 { font-size: 1.35em; } h3 { font-size: 1.15em; } h4, h5, h6 { font-size: 1em; }
a { color: var(--vscode-textLink-foreground); text-decoration: underline; }
a:focus-visible, pre:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }
hr { border: 0; border-top: 1px solid var(--vscode-editorWidget-border, var(--vscode-contrastBorder)); }
h2 + hr { border: 0; margin: 0; }
blockquote { margin: 0 0 1em; padding: 0 1em; border-left: 4px solid var(--vscode-textBlockQuote-border); }
code { font-family: var(--vscode-editor-font-family); font-size: var(--vscode-editor-font-size); }
pre { background: var(--vscode-textCodeBlock-background); border: 1px solid var(--vscode-contrastBorder, transparent); padding: 0.7rem; overflow-x: auto; overflow-wrap: normal; }
pre code { background: none; padding: 0; color: inherit; }
table { border-collapse: collapse; } th, td { border: 1px solid var(--vscode-editorWidget-border, var(--vscode-contrastBorder)); padding: 0.2rem 0.6rem; }
pre span { display: inline-block; min-width: 100%; }
.added { background: var(--vscode-diffEditor-insertedLineBackground); }
.removed { background: var(--vscode-diffEditor-removedLineBackground); }
.hunk { color: var(--vscode-descriptionForeground); }
`;

/** Lets the extension open links. Scrolls to the start, or to where the reader was when VS Code loads the page of a hidden tab again. */
const SCRIPT = `
const editor = acquireVsCodeApi();
const { visit, start } = document.body.dataset;
const before = editor.getState();
if (before?.visit === visit) scrollTo(0, before.top);
else if (start !== undefined) {
  let target;
  for (const block of document.querySelectorAll('[data-line]')) if (Number(block.dataset.line) <= Number(start)) target = block;
  target?.scrollIntoView();
}
addEventListener(
  'click',
  (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (link === null) return;
    event.preventDefault();
    // VS Code would open the link as well.
    event.stopImmediatePropagation();
    editor.postMessage({ open: link.href });
  },
  true,
);
addEventListener('scroll', () => editor.setState({ visit, top: scrollY }));
`;
