import { fingerprintPieces, type FingerprintPiece } from '../event/fingerprintVariables.ts';
import type { Frame, TrackedEvent } from '../event/trackedEvent.ts';
import { mainException, stacksOf } from '../event/mainStack.ts';
import { type FrameRules, usedStack } from './comparedStack.ts';
import { fileOf } from './filePaths.ts';
import { type FingerprintToken, type HashedPiece, isDefault } from './groupingParts.ts';

/**
 * Returns the tokens of a fingerprint with the values of its variables. Variables that do not exist or have no value are left
 * out. Empty if nothing is left, or nothing but the default grouping.
 */
export function fingerprintOf(event: TrackedEvent, rules: FrameRules): FingerprintToken[] {
  const tokens = event.fingerprint
    .map((sent) => sent.trim())
    .map((text) => ({ text, pieces: fingerprintPieces(text).flatMap((piece) => hashedPiece(event, rules, piece)) }))
    .filter(({ pieces }) => pieces.length > 0);
  return tokens.every(isDefault) ? [] : tokens;
}

function hashedPiece(event: TrackedEvent, rules: FrameRules, { kind, text }: FingerprintPiece): HashedPiece[] {
  if (kind === 'default') return [{ kind, text }];
  if (kind === 'unknown') return [];
  if (kind === 'text') return text.trim() === '' ? [] : [{ kind: 'token', text }];
  const value = kind === 'tag' ? event.tags.get(text) : valueOf(event, rules, kind);
  if (value === undefined || value.trim() === '') return [];
  return [{ kind: kind === 'tag' ? `tags.${text}` : kind, text: value.trim() }];
}

function valueOf(
  event: TrackedEvent,
  rules: FrameRules,
  kind: Exclude<FingerprintPiece['kind'], 'text' | 'tag' | 'unknown' | 'default'>,
): string | undefined {
  const main = mainException(event);
  switch (kind) {
    case 'type':
      return main?.type;
    case 'message':
      return event.message?.text ?? main?.value;
    case 'value':
      return main?.value ?? event.message?.text;
    case 'transaction':
      return event.transaction;
    case 'level':
      return event.level;
    case 'logger':
      return event.logger;
    case 'function':
    case 'module':
    case 'package': {
      const frame = failedFrame(event, rules);
      return frame && valueOfFrame(frame, rules, kind);
    }
  }
}

/** Returns the innermost frame that counts. */
function failedFrame(event: TrackedEvent, rules: FrameRules): Frame | undefined {
  const stack = usedStack(stacksOf(event), rules);
  const last = stack?.app.at(-1);
  return last && stack?.frames[last.innermost];
}

function valueOfFrame(frame: Frame, rules: FrameRules, kind: 'function' | 'module' | 'package'): string | undefined {
  if (kind === 'package') return frame.package === undefined ? undefined : fileOf(frame.package);
  const { name, isLine, location } = rules.clean(frame);
  if (kind === 'function') return isLine ? undefined : name;
  return frame.module === undefined ? undefined : location;
}
