import * as vscode from 'vscode';

/** What becomes of an entered text. `refused`: the box stays open with the text, or with a replacement for it, and the reason. */
export type Verdict =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly text: string; readonly replacement?: string };

export interface InputBoxSettings {
  readonly title: string;
  readonly prompt: string;
  readonly placeholder?: string;
  readonly isPassword?: boolean;
  readonly buttons?: readonly InputButton[];
  /** Called while the user types. Returns a hint to show. */
  readonly hint?: (text: string) => vscode.InputBoxValidationMessage | undefined;
  /** Called when the user confirms the text. The box shows progress until it settles. */
  readonly check: (text: string) => Promise<Verdict>;
}

export interface InputButton extends vscode.QuickInputButton {
  readonly press: () => unknown;
}

/** Returns a text in which the input box finds no link. An instance could provide one that runs a command. */
function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}

/** Asks for a text until `check` accepts it, without losing what was entered. Returns undefined when the user cancelled. Rejects as `check` does. */
export function askInInputBox(settings: InputBoxSettings): Promise<string | undefined> {
  const { title, prompt, placeholder, isPassword = false, buttons = [], hint, check } = settings;
  return new Promise((resolve, reject) => {
    const box = vscode.window.createInputBox();
    box.title = title;
    box.prompt = prompt;
    box.placeholder = placeholder;
    box.password = isPassword;
    box.ignoreFocusOut = true;
    box.buttons = [...buttons];
    let isChecking = false;
    let isOpen = true;
    /** The last refusal, which is shown as long as the text is this one. */
    let refused: { readonly value: string; readonly message: vscode.InputBoxValidationMessage } | undefined;

    const finish = (end: () => void): void => {
      isOpen = false;
      end();
      box.dispose();
    };

    async function confirm(): Promise<void> {
      if (isChecking) return;
      isChecking = true;
      const text = box.value;
      // It stays enabled, because a disabled input field loses the focus.
      box.busy = true;
      try {
        const verdict = await check(text);
        if (!isOpen) return;
        if (verdict.kind === 'accepted') return finish(() => resolve(text));
        const message = { message: withoutLinks(verdict.text), severity: vscode.InputBoxValidationSeverity.Error };
        refused = { value: verdict.replacement ?? box.value, message };
        box.value = refused.value;
        box.validationMessage = message;
      } catch (error) {
        if (isOpen) finish(() => reject(error));
      } finally {
        isChecking = false;
        if (isOpen) box.busy = false;
      }
    }

    box.onDidChangeValue((text) => {
      box.validationMessage = text === refused?.value ? refused.message : hint?.(text);
    });
    box.onDidTriggerButton((pressed) => void buttons.find((button) => button === pressed)?.press());
    box.onDidAccept(() => void confirm());
    box.onDidHide(() => {
      if (isOpen) finish(() => resolve(undefined));
    });
    box.show();
  });
}
