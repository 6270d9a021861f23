import { DEFAULT_LANGUAGE } from '../../carriers/content.js';
import { isUuid } from '../../platform/ids.js';
import type { SendV2Body } from './v2-plan.js';

/**
 * Removes the default language code, so that requests with and without the code are equal. If the request identifies the
 * template by ID, the language code is kept.
 */
export function withoutDefaultLanguage(body: SendV2Body): SendV2Body {
  const { template_id: id, template_data: data, ...rest } = body;
  if (id === undefined || data?.language === undefined || isUuid(data.name ?? id)) return body;
  const { language, ...otherData } = data;
  if (language.code !== DEFAULT_LANGUAGE || Object.keys(language).length > 1) return body;
  return { ...rest, template_id: id, ...(Object.keys(otherData).length > 0 && { template_data: otherData }) };
}
