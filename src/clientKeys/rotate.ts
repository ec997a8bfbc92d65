import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiFailure } from '../api/failures.ts';
import type { ClientKey } from '../contract/clientKeys.ts';
import { type KeyProgram, nameOfProgram } from '../contract/clientKeyUse.ts';
import { visible } from '../contract/visibleText.ts';
import type { PickedProject } from '../projects/choose.ts';
import { chooseLanguage } from './chooseLanguage.ts';
import { languageData } from './languages.ts';
import { confirmDeletion } from './confirmDeletion.ts';
import { createClientKey, deleteClientKey, listClientKeys, readKeyUse } from './model.ts';
import { type LastUse, type Rotation, type Rotations, type RotationState, stateOf } from './rotation.ts';
import { openKeyTerminal } from './keyTerminal.ts';

export interface RotateSettings {
  readonly rotations: Rotations;
  readonly refreshView: () => void;
}

/** Milliseconds between looks at the use of the keys while the dialog is open. */
const PAUSE = 2_000;

type Step = 'setUp' | 'copy' | 'terminal' | 'confirm' | 'delete' | 'undo';

interface StepItem extends vscode.QuickPickItem {
  readonly step?: Step;
}

/** State that the dialog shows. */
interface Shown {
  readonly rotation: Rotation;
  readonly newKey: ClientKey | undefined;
  readonly state: RotationState;
}

/**
 * Replaces a client key by a new one in steps: creates the new key, shows how to set it up, waits for an event with it, shows which
 * programs still use the old key, and deletes the old key. The user may leave the dialog and continue later, also in another window,
 * and undo until the old key is deleted. Rejects with an `ApiFailure`.
 */
export async function rotate(settings: RotateSettings, picked: PickedProject, key: ClientKey): Promise<void> {
  const rotation = await beginOrContinue(settings, picked, key);
  for (;;) {
    const choice = await showDialog(settings, picked, rotation);
    if (choice === undefined) return offerContinuation(settings, picked, key, rotation);
    if (await perform(settings, picked, choice.shown, choice.step)) return;
  }
}

async function beginOrContinue(
  { rotations, refreshView }: RotateSettings,
  { account: { key: account }, client, project, path }: PickedProject,
  key: ClientKey,
): Promise<Rotation> {
  const begun = rotations.of(account, path).find(({ oldKey, newKey }) => oldKey === key.id || newKey === key.id);
  if (begun !== undefined) return begun;
  const made = await createClientKey(client, project);
  const rotation: Rotation = { account, path, oldKey: key.id, newKey: made.id, isConfirmed: false };
  await rotations.put(rotation);
  refreshView();
  return rotation;
}

async function load(settings: RotateSettings, { client, project, path }: PickedProject, begun: Rotation): Promise<Shown> {
  const { account, newKey } = begun;
  // The user may have confirmed it meanwhile.
  const rotation = settings.rotations.of(account, path).find((one) => one.newKey === newKey) ?? begun;
  const [keys, newUse, oldUse] = await Promise.all([
    listClientKeys(client, project),
    readKeyUse(client, project, newKey),
    readKeyUse(client, project, rotation.oldKey),
  ]);
  const uses = { keys, newUse: newUse ?? 'unreported', oldUse: oldUse ?? 'unreported' } as const;
  return { rotation, newKey: keys.find(({ id }) => id === newKey), state: stateOf(rotation, uses) };
}

/**
 * Shows the current step until the user selects something, and brings it up to date while it is open. Resolves to undefined if the
 * user leaves it. Rejects with an `ApiFailure` if the state cannot be read at first.
 */
async function showDialog(
  settings: RotateSettings,
  picked: PickedProject,
  rotation: Rotation,
): Promise<{ readonly shown: Shown; readonly step: Step | 'ended' } | undefined> {
  let shown = await load(settings, picked, rotation);
  if (shown.state.kind === 'newKeyGone' || shown.state.kind === 'oldKeyGone') return { shown, step: 'ended' };
  const pick = vscode.window.createQuickPick<StepItem>();
  pick.title = picked.account.named(l10n.t('Rotate Client Key {0} of {1}', rotation.oldKey, picked.path));
  pick.ignoreFocusOut = true;
  pick.totalSteps = 3;
  pick.matchOnDetail = true;
  let drawn = '';
  const draw = (): void => {
    const text = JSON.stringify(shown.state);
    if (text === drawn) return;
    drawn = text;
    pick.step = shown.state.kind === 'works' ? 3 : 2;
    pick.busy = shown.state.kind === 'waiting' && shown.state.isReported;
    pick.placeholder = placeholderOf(shown.state);
    pick.items = itemsOf(shown);
  };
  draw();
  return new Promise((resolve) => {
    let isOpen = true;
    const again = async (): Promise<void> => {
      try {
        shown = await load(settings, picked, rotation);
      } catch (error) {
        // A later look may succeed.
        if (!(error instanceof ApiFailure)) throw error;
      }
      if (!isOpen) return;
      if (shown.state.kind === 'newKeyGone' || shown.state.kind === 'oldKeyGone') finish({ shown, step: 'ended' });
      else {
        draw();
        timer = setTimeout(() => void again(), PAUSE);
      }
    };
    let timer = setTimeout(() => void again(), PAUSE);
    const finish = (choice: { readonly shown: Shown; readonly step: Step | 'ended' } | undefined): void => {
      if (!isOpen) return;
      isOpen = false;
      clearTimeout(timer);
      resolve(choice);
      pick.dispose();
    };
    pick.onDidAccept(() => {
      const step = pick.selectedItems[0]?.step;
      if (step !== undefined) finish({ shown, step });
    });
    pick.onDidHide(() => finish(undefined));
    pick.show();
  });
}

/** Returns the text of the empty input, which is short because it cannot be scrolled. */
function placeholderOf(state: RotationState): string {
  if (state.kind === 'works') {
    if (state.program === undefined) return l10n.t('You have confirmed that the new key works.');
    const [name = l10n.t('unnamed program')] = nameOfProgram(state.program).map(visible);
    return l10n.t('The new key works: {0} has used it.', name);
  }
  return state.kind === 'waiting' && state.isReported
    ? l10n.t('Set up your program with the new key. Waiting for its first use…')
    : l10n.t('This instance does not report the use of keys. Confirm that the new key works.');
}

function itemsOf({ rotation, state }: Shown): readonly StepItem[] {
  const { oldKey, newKey } = rotation;
  const item = (step: Step, icon: string, label: string, detail?: string): StepItem => ({
    ...{ step, label, iconPath: new vscode.ThemeIcon(icon) },
    ...(detail === undefined ? {} : { detail }),
  });
  const undo = item('undo', 'discard', l10n.t('Undo: Delete New Client Key {0}', newKey));
  if (state.kind === 'works') return [...endItems(state, oldKey, item), undo];
  return [
    item('setUp', 'file-code', l10n.t('Show Set-Up with Client Key {0}…', newKey)),
    item('copy', 'copy', l10n.t('Copy DSN of Client Key {0}', newKey)),
    item('terminal', 'terminal', l10n.t('Open Terminal with DSN')),
    item(
      'confirm',
      'check',
      l10n.t('Confirm That the New Key Works'),
      l10n.t('For programs whose events you have seen elsewhere'),
    ),
    undo,
  ];
}

function endItems(
  { remaining, lastUse }: RotationState & { kind: 'works' },
  oldKey: number,
  item: (step: Step, icon: string, label: string, detail?: string) => StepItem,
): readonly StepItem[] {
  const label = l10n.t('Delete Old Client Key {0}', oldKey);
  if (remaining === undefined)
    return [item('delete', 'trash', label, l10n.t('This instance does not report which programs still use it.'))];
  if (lastUse === undefined) return [item('delete', 'trash', label, l10n.t('No program has used it.'))];
  const last = l10n.t('Last used {0}', lastUseText(lastUse));
  if (remaining.length === 0) return [item('delete', 'trash', label, last)];
  return [
    item('delete', 'trash', label, l10n.t('Error reports of the programs below will be rejected.')),
    { label: l10n.t('Programs that still use the old key'), kind: vscode.QuickPickItemKind.Separator },
    ...remaining.map(programItem),
    ...(lastUse.morePrograms === 0 ? [] : [{ label: l10n.t('and {0} more', lastUse.morePrograms) }]),
    { label: '', kind: vscode.QuickPickItemKind.Separator },
  ];
}

function programItem(program: KeyProgram): StepItem {
  const [label = l10n.t('unnamed program'), ...rest] = nameOfProgram(program).map(visible);
  return {
    label,
    description: rest.join(' · '),
    detail: l10n.t('last used: {0}', momentText(program.lastAt)),
    iconPath: new vscode.ThemeIcon('warning'),
  };
}

/** Returns when a key was last used, and by whom if that is known. */
function lastUseText({ at, program }: LastUse): string {
  const name = program === undefined ? '' : visible(nameOfProgram(program).join(' · '));
  return name === '' ? momentText(at) : l10n.t('{0} by {1}', momentText(at), name);
}

function momentText(at: number): string {
  return new Date(at).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Does what the user selected. Returns true if the rotation has ended. */
async function perform(
  settings: RotateSettings,
  picked: PickedProject,
  { rotation, newKey, state }: Shown,
  step: Step | 'ended',
): Promise<boolean> {
  switch (step) {
    case 'setUp':
      if (newKey !== undefined) await showSetUp(newKey);
      return false;
    case 'copy':
      if (newKey !== undefined) await vscode.env.clipboard.writeText(newKey.tracker_dsn);
      return false;
    case 'terminal':
      if (newKey !== undefined) openKeyTerminal(picked.path, newKey);
      return false;
    case 'confirm':
      await settings.rotations.put({ ...rotation, isConfirmed: true });
      return false;
    case 'delete':
      return endWith(settings, picked, rotation);
    case 'undo':
      return undo(settings, picked, rotation, state);
    case 'ended':
      await settings.rotations.remove(rotation);
      void vscode.window.showInformationMessage(
        state.kind === 'newKeyGone'
          ? l10n.t('The new client key {0} of {1} was deleted, so the rotation has ended.', rotation.newKey, picked.path)
          : l10n.t('The old client key {0} of {1} was deleted, so the rotation has ended.', rotation.oldKey, picked.path),
      );
      return true;
  }
}

async function endWith(settings: RotateSettings, picked: PickedProject, rotation: Rotation): Promise<boolean> {
  const { rotations, refreshView } = settings;
  const { account, client, project, path } = picked;
  const { oldKey, newKey } = rotation;
  if (!(await confirmDeletion(account, oldKey, path, await detailOfDeletion(settings, picked, rotation)))) return false;
  // Programs may have used it while the question was open.
  const { state } = await load(settings, picked, rotation);
  if (state.kind === 'works' && state.lastUse?.isRecent === true && !(await confirmInUse(oldKey, state.lastUse))) return false;
  await deleteClientKey(client, project, oldKey).finally(refreshView);
  await rotations.remove(rotation);
  void vscode.window.showInformationMessage(
    account.named(l10n.t('Client key {0} of {1} was replaced by client key {2}.', oldKey, path, newKey)),
  );
  return true;
}

/** Maximum number of programs that a question names. */
const MAX_ASKED = 10;

/** Says which programs can no longer report errors when the old key is deleted. */
async function detailOfDeletion(settings: RotateSettings, picked: PickedProject, rotation: Rotation): Promise<string> {
  const { state } = await load(settings, picked, rotation);
  const remaining = state.kind === 'works' ? (state.remaining ?? []) : [];
  if (remaining.length === 0) return l10n.t('Error reports that use this key will be rejected. This cannot be undone.');
  const names = remaining.slice(0, MAX_ASKED).map((program) => visible(nameOfProgram(program).join(' · ')));
  const more = remaining.length - names.length + (state.kind === 'works' ? (state.lastUse?.morePrograms ?? 0) : 0);
  const list = [...names, ...(more === 0 ? [] : [l10n.t('{0} more', more)])].join(', ');
  return l10n.t('Error reports that use this key will be rejected, also those of {0}. This cannot be undone.', list);
}

/** Asks again before a key is deleted that programs still use. */
async function confirmInUse(keyId: number, lastUse: LastUse): Promise<boolean> {
  const yes = l10n.t('Delete Anyway');
  const question = l10n.t('Client key {0} was used after the new key was created.', keyId);
  const detail = l10n.t('Last used {0}', lastUseText(lastUse));
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
}

async function undo(
  { rotations, refreshView }: RotateSettings,
  { account, client, project, path }: PickedProject,
  rotation: Rotation,
  state: RotationState,
): Promise<boolean> {
  const { oldKey, newKey } = rotation;
  if (state.kind === 'works') {
    const detail = l10n.t('Programs that already use the new key will be rejected. This cannot be undone.');
    if (!(await confirmDeletion(account, newKey, path, detail))) return false;
  }
  await deleteClientKey(client, project, newKey).finally(refreshView);
  await rotations.remove(rotation);
  void vscode.window.showInformationMessage(
    account.named(l10n.t('Client key {0} of {1} stays in use. The new key was deleted.', oldKey, path)),
  );
  return true;
}

/** Opens a document with code that sets up the SDK of a language. Nothing is written into the workspace. */
async function showSetUp({ tracker_dsn: dsn }: ClientKey): Promise<void> {
  const placeholder = l10n.t('Select the language of your program');
  const result = await chooseLanguage({ title: l10n.t('Show Set-Up'), placeholder, canGoBack: true });
  if (result.kind !== 'answered') return;
  const { editorLanguage, setUp } = languageData[result.value];
  const document = await vscode.workspace.openTextDocument({ language: editorLanguage, content: setUp(dsn) });
  await vscode.window.showTextDocument(document, { preview: true });
}

/** Says that the rotation can be continued. The user has just left the dialog. */
async function offerContinuation(
  settings: RotateSettings,
  picked: PickedProject,
  key: ClientKey,
  { oldKey, newKey }: Rotation,
): Promise<void> {
  const more = l10n.t('Continue');
  const text = picked.account.named(
    l10n.t('Client keys {0} and {1} are both in use. Rotate one of them again to continue.', oldKey, newKey),
  );
  if ((await vscode.window.showInformationMessage(text, more)) === more) await rotate(settings, picked, key);
}
