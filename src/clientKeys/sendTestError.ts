import { randomBytes } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type Send, TransportFailure, type WireResponse } from '../api/transport.ts';
import type { ClientKey } from '../contract/clientKeys.ts';
import { isJsonObject, parseJson, stringMember } from '../contract/json.ts';
import { ERROR_STATUSES, type TrackedError } from '../contract/trackedErrors.ts';
import type { ErrorPanels } from '../errorPanel/panel.ts';
import { createErrorSources, createResourceChoice } from '../errorTracking/sources.ts';
import { commands } from '../ids.ts';
import type { PickedProject } from '../projects/choose.ts';
import { sleep } from '../support/sleep.ts';
import { chooseOne } from '../ui/steps.ts';
import { chooseLanguage } from './chooseLanguage.ts';
import { type IngestStyle, type Language, languageData } from './languages.ts';
import { TEST_RELEASE, testRequest, testTitle } from './testEvent.ts';

export interface TestErrorSettings {
  readonly panels: () => Promise<ErrorPanels>;
  readonly send: Send;
}

/** Number of looks for the received error, and milliseconds between them. Instances count received events with a delay. */
const LOOKS = 10;
const PAUSE = 1_000;

/** Sends an error to a client key as the SDK of a language does, and shows it when the instance has received it. */
export async function sendTestError(settings: TestErrorSettings, picked: PickedProject, key: ClientKey): Promise<void> {
  const choice = await chooseShape();
  if (choice === undefined) return;
  const { language, style } = choice;
  const serverName = 'vscode';
  const values = { eventId: randomBytes(16).toString('hex'), now: Date.now(), serverName };
  const request = testRequest(language, style, key.tracker_dsn, values);
  const title = l10n.t('Sending a test error to {0}', picked.path);
  const found = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, async () => {
    const refusal = await refusalOf(settings.send({ method: 'POST', ...request }));
    return refusal ?? (await findError(picked, testTitle(language)));
  });
  if (typeof found === 'string') void vscode.window.showErrorMessage(found);
  else if (found === undefined)
    void vscode.window.showWarningMessage(l10n.t('The test error was accepted, but {0} does not list it yet.', picked.path));
  else await showError(settings, picked, found);
}

/** Lets the user select the language, first those of the workspace, and the style, first that of the language. */
async function chooseShape(): Promise<{ readonly language: Language; readonly style: IngestStyle } | undefined> {
  const title = l10n.t('Send Test Error');
  for (;;) {
    const placeholder = l10n.t('Send it as the SDK of this language does');
    const language = await chooseLanguage({ title, placeholder, canGoBack: false });
    if (language.kind !== 'answered') return undefined;
    const usual = languageData[language.value].style;
    const other: IngestStyle = usual === 'store' ? 'envelope' : 'store';
    const style = await chooseOne<IngestStyle>({
      title,
      placeholder: l10n.t('Send it to this endpoint'),
      canGoBack: true,
      current: usual,
      choices: [usual, other].map((value) => ({ value, label: value })),
    });
    if (style.kind === 'canceled') return undefined;
    if (style.kind === 'answered') return { language: language.value, style: style.value };
  }
}

/** Returns why the event was not accepted, as a sentence. */
async function refusalOf(sending: Promise<WireResponse>): Promise<string | undefined> {
  try {
    const { status, headers, body } = await sending;
    if (status === 200) return undefined;
    const json = parseJson(body);
    const detail = isJsonObject(json) ? stringMember(json, 'detail') : undefined;
    const reason = detail ?? headers.get('x-sentry-error') ?? '';
    return l10n.t('The test error was rejected with status {0}. {1}', status, reason).trim();
  } catch (error) {
    if (error instanceof TransportFailure) return error.message;
    throw error;
  }
}

/** Returns the error that the test event became. Rejects with an `ApiFailure`. */
async function findError({ client, project, path }: PickedProject, title: string): Promise<TrackedError | undefined> {
  const source = createErrorSources(createResourceChoice(), sleep)(client, { id: project, path });
  const query = { level: undefined, environment: undefined, release: TEST_RELEASE, search: undefined };
  for (let look = 0; look < LOOKS; look += 1) {
    const { items } = await source.list({ ...query, order: 'last_seen', statuses: ERROR_STATUSES });
    const found = items.find((error) => error.title === title);
    if (found !== undefined) return found;
    await sleep(PAUSE);
  }
  return undefined;
}

async function showError({ panels }: TestErrorSettings, picked: PickedProject, error: TrackedError): Promise<void> {
  void vscode.commands.executeCommand(commands.errorTrackingRefresh);
  const { account, project: id, path } = picked;
  (await panels()).show({ account: account.key, project: { id, path }, errorId: error.id }, error.title);
}
