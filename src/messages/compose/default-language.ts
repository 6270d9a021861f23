import { DEFAULT_LANGUAGE } from '../../carriers/content.js';
import { isUuid } from '../../platform/ids.js';
import type { SendV2Body } from './v2-plan.js';

/**
 * A send without the language of its template where that says nothing: a template that is named has `en_US` anyway, and that may
 * be all that `template_data` says. An id stands for a template in a language of its own, so there it says something.
 */
export function withoutDefaultLanguage(body: SendV2Body): SendV2Body {
  const { template_id: id, template_data: data, ...rest } = body;
  if (id === undefined || data?.language === undefined || isUuid(data.name ?? id)) return body;
  const { language, ...said } = data;
  if (language.code !== DEFAULT_LANGUAGE || Object.keys(language).length > 1) return body;
  return { ...rest, template_id: id, ...(Object.keys(said).length > 0 && { template_data: said }) };
}
