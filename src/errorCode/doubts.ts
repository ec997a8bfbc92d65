import * as l10n from '@vscode/l10n';
import type { LineDoubt } from './lines.ts';

/** Returns a sentence that explains why a line may be another one than that of an event. */
export function doubtText(doubt: LineDoubt, release = '?'): string {
  switch (doubt) {
    case 'noRelease':
      return l10n.t('The line may have moved: the event names no release.');
    case 'noRepository':
      return l10n.t('The line may have moved: the file is in no Git repository that VS Code has opened.');
    case 'unknownRelease':
      return l10n.t('The line may have moved: release {0} is neither a commit nor a tag of the repository.', release);
    case 'missingCommit':
      return l10n.t('The line may have moved: the local repository does not have the commit of release {0}. Fetch it.', release);
    case 'missingFile':
      return l10n.t('The line may have moved: release {0} does not have this file.', release);
    case 'failed':
      return l10n.t('The line may have moved: it could not be compared with release {0}.', release);
    case 'changed':
      return l10n.t('This line has changed since release {0}.', release);
    case 'otherCode':
      return l10n.t('The line may have moved: release {0} has other code than the event.', release);
    case 'doubtfulMap':
      return l10n.t('The line may be another one: the source map may be of another release or build.');
  }
}
