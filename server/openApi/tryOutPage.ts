import { html } from 'hono/html';
import { isSecretParameter } from '../core/masking.ts';
import type { OwnRequests } from '../http/ownRequests.ts';
import { formTokenField, type Markup, notice, type PageContent, textArea, textField } from '../web/layout.ts';
import type { PageRequest } from '../web/route.ts';
import type { Shape } from './document.ts';
import { type Endpoint, type EndpointParameter, parametersOf } from './endpoints.ts';
import { accessMetadata, noteOf, REFERENCE_PATH, tryOutPath } from './page.ts';
import {
  CREDENTIAL,
  credentialOf,
  fieldOf,
  hasRawBody,
  isFile,
  isWrittenAsJson,
  RAW_BODY,
  requestOf,
  takesSession,
} from './tryOutRequest.ts';
import { responseSection } from './tryOutResponse.ts';

/** Form field that confirms a request that changes data. */
const CONFIRMED = 'confirmed';

interface FormState {
  readonly values: URLSearchParams;
  readonly errors: ReadonlyMap<string, string>;
}

/** Returns the page on which a request to an endpoint can be made. */
export function tryOutContent(endpoint: Endpoint, request: PageRequest): PageContent {
  return content(endpoint, request, { values: new URLSearchParams(), errors: new Map() });
}

/** Sends the request of a form with the rights of the session, and returns the page with the response. */
export async function sendTryOut(endpoint: Endpoint, request: PageRequest, ownRequests: OwnRequests): Promise<PageContent> {
  const { caller, form, context, baseUrl } = request;
  const built = requestOf(endpoint, form, caller?.user.username ?? '');
  const errors = new Map('errors' in built ? built.errors : []);
  if (changesData(endpoint) && form.get(CONFIRMED) !== '1') errors.set(CONFIRMED, 'Confirm that the request may change data.');
  if ('errors' in built || errors.size > 0) {
    context.noteRefusal('tryOut.form', 'a field of the form has no valid value, or the change was not confirmed');
    return { ...content(endpoint, request, { values: form, errors }), status: 422 };
  }
  const usesSession = takesSession(endpoint) && caller !== undefined;
  const sender = { userId: usesSession ? caller.user.id : undefined, address: context.address, baseUrl };
  const received = await ownRequests.send(built.request, sender);
  const response = responseSection(built.request, baseUrl, takesSession(endpoint), received);
  return content(endpoint, request, { values: form, errors }, response);
}

function changesData({ method }: Endpoint): boolean {
  return method !== 'GET';
}

function content(endpoint: Endpoint, request: PageRequest, state: FormState, response: Markup | string = ''): PageContent {
  const { method, path, operation } = endpoint;
  return {
    title: `${method} ${path}`,
    heading: html`<code>${method} ${path}</code>`,
    width: 'wide',
    body: html`<p class="lead"><a href="${REFERENCE_PATH}#${operation.operationId}">API reference</a></p>
${response}
<section class="card" aria-labelledby="request">
<h2 id="request">Request</h2>
${requestForm(endpoint, request, state)}
</section>
<section class="card" aria-labelledby="about">
<h2 id="about">About this endpoint</h2>
<dl class="facts">
${accessMetadata(operation)}
</dl>
</section>`,
  };
}

const locations = { path: 'Path', query: 'Query', body: 'Body' } as const;

function requestForm(endpoint: Endpoint, { formToken, caller }: PageRequest, state: FormState): Markup {
  const parameters = parametersOf(endpoint.operation);
  const credential = credentialOf(endpoint, caller?.user.username ?? '');
  const { errors, values } = state;
  return html`<form method="post" action="${tryOutPath(endpoint)}">
${formTokenField(formToken())}
${senderText(endpoint, caller?.user.username)}
${errors.size === 0 ? '' : notice('error', 'Nothing was sent. Correct the marked fields.')}
${
  credential === undefined
    ? ''
    : textField({
        name: CREDENTIAL,
        label: credential.label,
        type: 'password',
        error: errors.get(CREDENTIAL),
        optional: !credential.isRequired,
        autocomplete: 'off',
      })
}
${Object.entries(locations).map(([location, legend]) => {
  const members = parameters.filter((parameter) => parameter.location === location);
  return members.length === 0
    ? ''
    : html`<fieldset class="parameters"><legend>${legend}</legend>${members.map((parameter) => parameterField(parameter, state))}</fieldset>`;
})}
${hasRawBody(endpoint) ? textArea({ name: RAW_BODY, label: 'Body', value: values.get(RAW_BODY) ?? '', hint: 'A report as SDKs send it.', optional: true }) : ''}
${parameters.length === 0 ? '' : html`<p class="hint">An empty field leaves its parameter out. Enter <code>""</code> to send an empty text.</p>`}
${changesData(endpoint) ? confirmation(endpoint, errors.get(CONFIRMED)) : ''}
<div class="actions start"><button type="submit">Send request</button></div>
</form>`;
}

function senderText(endpoint: Endpoint, username: string | undefined): Markup {
  if (!takesSession(endpoint))
    return html`<p>Your session does not stand for the credentials of this endpoint. Enter them where it needs some.</p>`;
  return username === undefined
    ? html`<p>You are not signed in, so the request is sent without credentials. <a href="/users/sign_in?return_to=${encodeURIComponent(tryOutPath(endpoint))}">Sign in</a></p>`
    : html`<p>The request is sent with all rights of <strong>@${username}</strong>.</p>`;
}

function confirmation({ method }: Endpoint, error: string | undefined): Markup {
  const text =
    method === 'DELETE'
      ? 'Send this request, which deletes data of this server'
      : 'Send this request, which can change data of this server';
  return html`<div class="field">
${error === undefined ? '' : html`<p class="complaint" id="${CONFIRMED}-error">${error}</p>`}
<label class="choice"><input type="checkbox" name="${CONFIRMED}" value="1" required ${error === undefined ? '' : html`aria-invalid="true" aria-describedby="${CONFIRMED}-error"`}><span>${text}</span></label>
</div>`;
}

function parameterField(parameter: EndpointParameter, { values, errors }: FormState): Markup {
  const { name: label, required, schema, marks } = parameter;
  const name = fieldOf(parameter);
  const isSecret = isSecretParameter(label);
  const common = { name, label, value: isSecret ? '' : (values.get(name) ?? ''), error: errors.get(name), optional: !required };
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum;
  const hint = hintOf(parameter);
  const field =
    choices !== undefined
      ? selectField({ ...common, choices, hint })
      : isLong(parameter)
        ? textArea({ ...common, ...(hint === '' ? {} : { hint }) })
        : textField({ ...common, type: isSecret ? 'password' : 'text', ...(hint === '' ? {} : { hint }), autocomplete: 'off' });
  return html`<div>${field}${noteOf(marks)}</div>`;
}

/** Texts of several lines have a field of several lines. */
function isLong(parameter: EndpointParameter): boolean {
  const { name, schema, location } = parameter;
  if (schema.type === 'array' || isWrittenAsJson(parameter) || isFile(schema)) return true;
  return (
    location === 'body' &&
    /(?:^|_)(?:description|content|body|message|query|note|text|key)$/.test(name) &&
    !isSecretParameter(name)
  );
}

const kinds: Readonly<Record<string, string>> = {
  integer: 'A number.',
  date: 'A day, such as 2030-01-31.',
  'date-time': 'A time, such as 2030-01-31T12:00:00Z.',
};

function hintOf(parameter: EndpointParameter): string {
  const { schema, required } = parameter;
  const fallback: unknown = schema.default;
  return [
    required ? 'Required.' : '',
    kindOf(parameter, schema),
    fallback === undefined ? '' : `Default: ${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}.`,
  ]
    .filter((text) => text !== '')
    .join(' ');
}

function kindOf(parameter: EndpointParameter, { type, format, items }: Shape): string {
  if (isWrittenAsJson(parameter)) return type === 'array' ? 'A list of objects, as JSON.' : 'An object, as JSON.';
  if (isFile(parameter.schema)) return 'The text of the file.';
  if (type === 'array') {
    const values = typeof items === 'object' ? items.enum : undefined;
    return values === undefined ? 'One value per line.' : `One value per line: ${values.join(', ')}.`;
  }
  return kinds[format ?? (typeof type === 'string' ? type : '')] ?? '';
}

interface SelectField {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly optional: boolean;
  readonly choices: readonly string[];
  readonly hint: string;
}

function selectField({ name, label, value, error, optional, choices, hint }: SelectField): Markup {
  const described = [...(error === undefined ? [] : [`${name}-error`]), ...(hint === '' ? [] : [`${name}-hint`])];
  return html`<div class="field">
<label for="${name}">${label}</label>
${error === undefined ? '' : html`<p class="complaint" id="${name}-error">${error}</p>`}
<select id="${name}" name="${name}" ${optional ? '' : html`required`} ${described.length === 0 ? '' : html`aria-describedby="${described.join(' ')}"`} ${error === undefined ? '' : html`aria-invalid="true"`}><option value="">${optional ? 'Not sent' : 'Choose a value'}</option>
${choices.map((choice) => html`<option value="${choice}" ${choice === value ? html`selected` : ''}>${choice}</option>`)}</select>
${hint === '' ? '' : html`<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`;
}
