// Page with the QR code for a second device. A separate bundle, loaded on first use.
import { renderSVG } from 'uqr';

export interface QrPage {
  /** URL in the QR code. */
  readonly address: string;
  readonly language: string;
  readonly title: string;
  /** Instruction above the code. */
  readonly text: string;
  /** Instruction for users who cannot scan the code. */
  readonly alternative: string;
}

/** Returns a complete HTML page without scripts or external resources. `nonce` must be new for each page. */
export function qrPage({ address, language, title, text, alternative }: QrPage, nonce: string): string {
  // Black on white in every theme, which scanners need, with a quiet zone of four modules (ISO/IEC 18004).
  const svg = renderSVG(address, { border: 4, blackColor: 'black', whiteColor: 'white' }).replace(
    '<svg ',
    '<svg aria-hidden="true" ',
  );
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'">
<title>${escaped(title)}</title>
<style nonce="${nonce}">
main { max-width: 40rem; margin: 2rem auto; text-align: center; }
figure { margin: 1.5rem auto; width: min(20rem, 80vw); }
figcaption { margin-top: 1rem; overflow-wrap: anywhere; }
</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
<figure>
<div role="img" aria-label="${escaped(address)}">${svg}</div>
<figcaption>${escaped(alternative)}</figcaption>
</figure>
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
