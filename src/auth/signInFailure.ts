import * as l10n from '@vscode/l10n';
import { failureOfError } from '../api/failures.ts';
import { EXTENSION_CLIENT_ID } from '../contract/product.ts';
import type { Instance } from '../instances/instances.ts';
import { messageOf } from '../support/log.ts';
import { OAuthFailure } from './tokenEndpoint.ts';

/** Reason for a failed sign-in, for the user. `unknownClient`: the instance does not know the OAuth application. */
export interface SignInFailure {
  readonly text: string;
  readonly cause: 'unknownClient' | 'other';
}

/** Returns what to show for an error; undefined if it is none that an instance or the network causes. The text can contain secrets. */
export function signInFailure(instance: Instance, error: unknown): SignInFailure | undefined {
  const failure = failureOfError(error);
  if (failure !== undefined) return { text: failure.message, cause: 'other' };
  if (!(error instanceof OAuthFailure)) return undefined;
  if (error.code !== 'invalid_client' && error.code !== 'unauthorized_client')
    return { text: l10n.t('{0} responded: {1}', instance.label, messageOf(error)), cause: 'other' };
  return { text: unknownClientText(instance), cause: 'unknownClient' };
}

function unknownClientText({ label, clientId }: Instance): string {
  return clientId === EXTENSION_CLIENT_ID
    ? l10n.t(
        '{0} does not know this extension. Register an OAuth application there (not confidential, scope "api", device authorization allowed) and set clientId of this instance in the setting signalbox.instances to its application ID.',
        label,
      )
    : l10n.t(
        '{0} does not know the application {1}. Check clientId of this instance in the setting signalbox.instances. It must be the application ID of an application that is not confidential.',
        label,
        clientId,
      );
}
