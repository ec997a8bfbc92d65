// The OAuth flows view. A separate bundle, loaded on first use.
import { useTranslations } from '../support/translations.ts';
import { createOAuthFlows, type OAuthFlows, type OAuthFlowsSettings } from './view.ts';

export function createOAuthFlowsView(settings: OAuthFlowsSettings): OAuthFlows {
  useTranslations();
  return createOAuthFlows(settings);
}
