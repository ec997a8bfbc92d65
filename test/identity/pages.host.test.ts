import { describePages } from '../support/host/pageChecks.ts';
import { walkSettingsPages } from '../support/host/settingsPages.ts';

describePages('the pages of a person’s settings', walkSettingsPages, [
  'tokens-empty',
  'tokens-refused',
  'tokens-made',
  'tokens-replaced',
  'tokens-revoked',
  'applications-empty',
  'applications-refused',
  'applications-registered',
  'applications-granted',
  'applications-revoked',
  'profile-saved',
  'profile-refused',
  'password-set',
  'password-refused',
  'email-saved',
  'email-refused',
  'two-factor-set-up',
  'two-factor-refused',
  'two-factor-codes',
  'two-factor-on',
  'sign-in-code',
  'sign-in-code-refused',
  'two-factor-off',
]);
