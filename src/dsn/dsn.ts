// Hovers, problems and actions for DSNs in editors. A separate bundle, loaded when an editor shows a DSN.
import { useTranslations } from '../support/translations.ts';
import { createExplainer, type DsnExplainer, type DsnExplainerSettings } from './explainer.ts';

export function createDsnExplainer(settings: DsnExplainerSettings): DsnExplainer {
  useTranslations();
  return createExplainer(settings);
}
