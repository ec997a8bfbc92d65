import { html } from 'hono/html';
import { isJsonObject } from '../../src/contract/json.ts';
import { isSecretParameter, maskPathTokens, maskQuery, maskTokens } from '../core/masking.ts';
import type { OwnRequest, OwnResponse } from '../http/ownRequests.ts';
import { formatSize, type Markup, notice } from '../web/layout.ts';

/** Returns the part of a page about a request and its response. Values that look like secrets are masked. */
export function responseSection(
  sent: OwnRequest,
  baseUrl: string,
  usesSession: boolean,
  received: OwnResponse | undefined,
): Markup {
  return html`<section class="card" aria-labelledby="response">
<h2 id="response">Response</h2>
${received === undefined ? notice('error', 'The server did not respond within 30 seconds.') : responseParts(received)}
<details><summary>Request for curl</summary><pre>${curlCommand(sent, baseUrl, usesSession)}</pre></details>
<p class="hint">Secrets are masked.</p>
</section>`;
}

function responseParts(response: OwnResponse): Markup {
  const { status, statusText, headers, isComplete, body } = response;
  return html`<p role="status"><span class="badge ${status < 400 ? 'passed' : 'refused'}">${status} ${statusText}</span></p>
${bodyPart(response)}
${isComplete ? '' : html`<p class="muted">Only the first ${formatSize(body.length)} are shown, because the response is longer or has no end.</p>`}
<details><summary>${headers.length} headers</summary><dl class="facts small">${headers.map(
    ([name, value]) => html`<dt class="mono">${name}</dt><dd class="mono">${maskHeader(name, value)}</dd>`,
  )}</dl></details>`;
}

function maskHeader(name: string, value: string): string {
  return isSecretParameter(name) ? '[masked]' : maskTokens(value);
}

function bodyPart({ headers, body, isComplete }: OwnResponse): Markup {
  if (body.length === 0) return html`<p class="muted">The response has no body.</p>`;
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const text = body.toString('utf8');
  if (/[/+]json\b/.test(type) && isComplete) {
    const json = prettyJson(text);
    if (json !== undefined) return shownBody(json);
  }
  if (/^text\/|[/+](?:json|xml|yaml)\b/.test(type)) return shownBody(maskTokens(text));
  return html`<p>${formatSize(body.length)} of the type <code>${type}</code></p>`;
}

/** A long body scrolls, so that the form below stays near. */
function shownBody(text: string): Markup {
  return html`<pre class="long" role="region" tabindex="0" aria-label="Body of the response">${text}</pre>`;
}

function prettyJson(text: string): string | undefined {
  try {
    return maskTokens(JSON.stringify(withMaskedSecrets(JSON.parse(text)), null, 2));
  } catch {
    return undefined;
  }
}

/** Returns a JSON value in which the texts of members with names of secrets are masked. */
export function withMaskedSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withMaskedSecrets(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      typeof part === 'string' && part !== '' && isSecretParameter(name) ? '[masked]' : withMaskedSecrets(part),
    ]),
  );
}

/** Returns the request as a command for a shell. Credentials are the variable `TOKEN` of the shell. */
function curlCommand({ method, path, headers, body }: OwnRequest, baseUrl: string, usesSession: boolean): string {
  const type = headers['Content-Type'] ?? '';
  const [location = '', query] = path.split('?', 2);
  const address = `${baseUrl}${maskPathTokens(location)}${query === undefined ? '' : `?${maskQuery(query)}`}`;
  const text = body?.toString('utf8') ?? '';
  const shown = type === 'application/json' ? JSON.stringify(withMaskedSecrets(JSON.parse(text))) : text;
  return [
    `curl --request ${method} ${quoted(address)}`,
    ...(usesSession ? ['--header "PRIVATE-TOKEN: $TOKEN"'] : []),
    ...Object.entries(headers).map(([name, value]) =>
      name === 'Content-Type' || name === 'Accept' ? `--header ${quoted(`${name}: ${value}`)}` : `--header "${name}: $TOKEN"`,
    ),
    ...(body === undefined ? [] : [`--data-binary ${quoted(maskTokens(shown))}`]),
  ].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
