// Codes of authenticator apps and recovery codes.

export {
  type CodeOutcome,
  disableSecondFactor,
  enableSecondFactor,
  type Enrolment,
  enrolment,
  hasSecondFactor,
  newRecoveryCodes,
  secondFactorState,
  spendCode,
  twoFactorFilter,
} from './secondFactor.ts';
